/**
 * Cache volumes: the port that a kind of volume implements, and the guard that keeps a slow or failing one from holding up readers.
 *
 * <p>May import: level 0 ({@code model}, {@code metrics}, {@code tasks}).
 */
@NullMarked
package org.anteroom.volume;

import org.jspecify.annotations.NullMarked;
