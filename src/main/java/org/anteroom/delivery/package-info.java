/**
 * HTTP semantics of a file as pure functions: preconditions, ranges, validators, headers; the result is an immutable plan of the response. No servlet types and no I/O.
 *
 * <p>May import: {@code model}.
 */
@NullMarked
package org.anteroom.delivery;

import org.jspecify.annotations.NullMarked;
