/**
 * Keeping what the inventory says and what the volumes hold the same: recovery at start, markers, leftovers, counters.
 *
 * <p>May import: levels 0-1.
 */
@NullMarked
package org.anteroom.integrity;

import org.jspecify.annotations.NullMarked;
