/**
 * Named, guarded and stoppable threads, periodic work, and the clock that all time is read from.
 *
 * <p>May import: {@code model}, {@code metrics}.
 */
@NullMarked
package org.anteroom.tasks;

import org.jspecify.annotations.NullMarked;
