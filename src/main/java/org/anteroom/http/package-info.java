/**
 * The way of a request for a file: the raw-URI filter, the file servlet, asynchronous sending, and the filter that turns failures into answers.
 *
 * <p>May import: levels 0-2, {@code jakarta.servlet}.
 */
@NullMarked
package org.anteroom.http;

import org.jspecify.annotations.NullMarked;
