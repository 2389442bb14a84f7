/**
 * The archive: the port that a kind of archive implements, and the gate that bounds and times what is asked of it.
 *
 * <p>May import: level 0 ({@code model}, {@code metrics}, {@code tasks}).
 */
@NullMarked
package org.anteroom.archive;

import org.jspecify.annotations.NullMarked;
