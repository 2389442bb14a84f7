/**
 * Making copies: one fill per file, followed by its readers while it runs, verified before it counts.
 *
 * <p>May import: levels 0-1.
 */
@NullMarked
package org.anteroom.fill;

import org.jspecify.annotations.NullMarked;
