/**
 * The listener that wires everything by constructors, starts and stops it in order, and the route table.
 *
 * <p>May import: everything; nobody imports it.
 */
@NullMarked
package org.anteroom.app;

import org.jspecify.annotations.NullMarked;
