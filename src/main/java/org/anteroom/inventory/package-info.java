/**
 * The database of volumes, copies, fills and plans, and the in-memory locations over it that make a hit cost no SQL.
 *
 * <p>May import: level 0 ({@code model}, {@code metrics}, {@code tasks}, {@code jdbc}).
 */
@NullMarked
package org.anteroom.inventory;

import org.jspecify.annotations.NullMarked;
