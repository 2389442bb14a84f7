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
    private final AtomicInteger listsInUse = new AtomicInteger();

    ArchiveMetrics(Metrics metrics, int limit, int listLimit, IntSupplier streams, int mostStreams) {
        this.calls = metrics.counter("anteroom_archive_calls", "Calls to the archive", "kind", "outcome");
        this.seconds = metrics.seconds(
                "anteroom_archive_call_seconds", "Time of calls to the archive, waiting included", SECONDS, "kind");
        metrics.gauge("anteroom_archive_in_use", "Calls to the archive for files that are running", inUse::get);
        metrics.gauge(
                "anteroom_archive_limit", "The most calls to the archive for files that may run at once", () -> limit);
        metrics.gauge("anteroom_archive_lists_in_use", "Folders of the archive that are being read", listsInUse::get);
        metrics.gauge(
                "anteroom_archive_lists_limit",
                "The most folders of the archive that may be read at once",
                () -> listLimit);
        metrics.gauge("anteroom_archive_streams", "Files of the archive that are being read", streams::getAsInt);
        metrics.gauge(
                "anteroom_archive_streams_limit",
                "The files being read past which readers are refused",
                () -> mostStreams);
    }

    /** Calls for files that run. */
    AtomicInteger inUse() {
        return inUse;
    }

    /** Calls for folders that run. */
    AtomicInteger listsInUse() {
        return listsInUse;
    }

    void finished(String kind, Duration time, @Nullable FailureException failure) {
        String outcome = failure == null ? "ok" : failure.reason().name().toLowerCase(Locale.ROOT);
        calls.labelValues(kind, outcome).inc();
        seconds.labelValues(kind).observe(time.toNanos() / 1e9);
    }
}
