package org.anteroom.testing;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import org.anteroom.metrics.Metrics;

/** Reads single figures out of a registry. */
public final class Figures {
    private Figures() {}

    /** The value of a counter or gauge with exactly these labels; 0 if it has never been touched. */
    public static double value(Metrics metrics, String name, String... labels) {
        Labels wanted = Labels.of(labels);
        for (MetricSnapshot snapshot : metrics.registry().scrape()) {
            if (!snapshot.getMetadata().getName().equals(name)) {
                continue;
            }
            if (snapshot instanceof CounterSnapshot counter) {
                return counter.getDataPoints().stream()
                        .filter(point -> point.getLabels().equals(wanted))
                        .mapToDouble(CounterSnapshot.CounterDataPointSnapshot::getValue)
                        .sum();
            }
            if (snapshot instanceof GaugeSnapshot gauge) {
                return gauge.getDataPoints().stream()
                        .filter(point -> point.getLabels().equals(wanted))
                        .mapToDouble(GaugeSnapshot.GaugeDataPointSnapshot::getValue)
                        .sum();
            }
        }
        throw new AssertionError("no counter or gauge " + name);
    }
}
