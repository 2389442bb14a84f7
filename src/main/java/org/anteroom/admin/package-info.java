/**
 * The administration API, health and metrics endpoints.
 *
 * <p>May import: levels 0-2, the error and address parts of {@code http}, {@code jakarta.servlet}.
 */
@NullMarked
package org.anteroom.admin;

import org.jspecify.annotations.NullMarked;
