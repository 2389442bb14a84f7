package org.anteroom.archive;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.jspecify.annotations.Nullable;

/** The figures of what is asked of the archive. */
final class ArchiveMetrics {
    private static final double[] SECONDS = {0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60};

    private final Counter calls;
    private final Histogram seconds;
    private final AtomicInteger inUse = new AtomicInteger();

    ArchiveMetrics(Metrics metrics, int limit, IntSupplier streams, int mostStreams) {
        this.calls = metrics.counter("anteroom_archive_calls", "Calls to the archive", "kind", "outcome");
        this.seconds = metrics.seconds(
                "anteroom_archive_call_seconds", "Time of calls to the archive, waiting included", SECONDS, "kind");
        metrics.gauge("anteroom_archive_in_use", "Calls to the archive that are running", inUse::get);
        metrics.gauge("anteroom_archive_limit", "The most calls to the archive that may run at once", () -> limit);
        metrics.gauge("anteroom_archive_streams", "Files of the archive that are being read", streams::getAsInt);
        metrics.gauge(
                "anteroom_archive_streams_limit",
                "The files being read past which readers are refused",
                () -> mostStreams);
    }

    void begun() {
        inUse.incrementAndGet();
    }

    void ended() {
        inUse.decrementAndGet();
    }

    void finished(String kind, Duration time, @Nullable FailureException failure) {
        String outcome = failure == null ? "ok" : failure.reason().name().toLowerCase(Locale.ROOT);
        calls.labelValues(kind, outcome).inc();
        seconds.labelValues(kind).observe(time.toNanos() / 1e9);
    }
}
