/**
 * Counters, gauges and histograms in one registry of our own, and their Prometheus text.
 *
 * <p>May import: {@code model}.
 */
@NullMarked
package org.anteroom.metrics;

import org.jspecify.annotations.NullMarked;
