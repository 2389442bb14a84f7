package org.anteroom.volume;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.anteroom.metrics.Metrics;

/** The figures of all volumes of an instance, labelled by volume. */
public final class VolumeMetrics {
    private final List<VolumeGuard> guards = new CopyOnWriteArrayList<>();
    private final Counter busy;
    private final Counter failures;

    /** Registers the figures; to be made once for a registry. */
    public VolumeMetrics(Metrics metrics) {
        this.busy = metrics.counter("anteroom_volume_busy", "Reads refused because no permit was free", "volume");
        this.failures = metrics.counter(
                "anteroom_volume_failures", "Operations that failed for the volume's sake", "volume", "side");
        metrics.gauges(
                "anteroom_volume_degraded",
                "1 while the volume is not read or not written, else 0",
                callback -> guards.forEach(guard -> callback.call(guard.health().ok() ? 0 : 1, guard.name())),
                "volume");
        metrics.gauges(
                "anteroom_volume_permits_in_use",
                "Opens and reads that are running",
                callback -> guards.forEach(guard -> callback.call(guard.permitsInUse(), guard.name())),
                "volume");
        metrics.gauges(
                "anteroom_volume_permits_limit",
                "The most opens and reads that may run at once",
                callback -> guards.forEach(guard -> callback.call(guard.permitLimit(), guard.name())),
                "volume");
        metrics.gauges(
                "anteroom_volume_free_bytes",
                "Bytes free on what lies under the volume, as last seen",
                callback -> guards.forEach(guard -> callback.call((double) guard.free(), guard.name())),
                "volume");
    }

    void add(VolumeGuard guard) {
        guards.add(guard);
    }

    CounterDataPoint busy(String volume) {
        return busy.labelValues(volume);
    }

    CounterDataPoint failures(String volume, String side) {
        return failures.labelValues(volume, side);
    }
}
