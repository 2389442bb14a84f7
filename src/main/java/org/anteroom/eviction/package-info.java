/**
 * Freeing space: deletion plans between watermarks, their strategies, and the removal of condemned copies.
 *
 * <p>May import: levels 0-1.
 */
@NullMarked
package org.anteroom.eviction;

import org.jspecify.annotations.NullMarked;
