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
    private final Counter resumed;
    private final AtomicInteger inUse = new AtomicInteger();
    private final AtomicInteger listsInUse = new AtomicInteger();

    ArchiveMetrics(Metrics metrics) {
        this.calls = metrics.counter("anteroom_archive_calls", "Calls to the archive", "kind", "outcome");
        this.seconds = metrics.seconds(
                "anteroom_archive_call_seconds", "Time of calls to the archive, waiting included", SECONDS, "kind");
        this.resumed = metrics.counter(
                "anteroom_archive_resumed", "Reads of the archive that broke off and were gone on with");
        metrics.gauge("anteroom_archive_in_use", "Calls to the archive for files that are running", inUse::get);
        metrics.gauge("anteroom_archive_lists_in_use", "Folders of the archive that are being read", listsInUse::get);
    }

    /** Shows the bounds and what comes up to them. */
    void show(Metrics metrics, int limit, int listLimit, IntSupplier streams, int mostStreams) {
        metrics.gauge(
                "anteroom_archive_limit", "The most calls to the archive for files that may run at once", () -> limit);
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

    /** Shows how the threads are shared, and whether the archive is asked at all. */
    void show(Metrics metrics, SharedPool pool, Breaker breaker) {
        metrics.gauge(
                "anteroom_archive_background_in_use",
                "Calls to the archive for files nobody waits for that are running",
                pool::runningInBackground);
        metrics.gauge(
                "anteroom_archive_background_limit",
                "The most calls to the archive for files nobody waits for that may run at once",
                pool::share);
        metrics.gauges(
                "anteroom_archive_waiting",
                "Calls to the archive for files that wait for a thread",
                callback -> {
                    for (Traffic traffic : Traffic.values()) {
                        callback.call(pool.waiting(traffic), traffic.name().toLowerCase(Locale.ROOT));
                    }
                },
                "traffic");
        metrics.gauge(
                "anteroom_archive_waiting_limit",
                "The most calls to the archive for files that may wait for a thread",
                pool::mostWaiting);
        metrics.gauge(
                "anteroom_archive_suspended",
                "1 while the archive is not asked since it does nothing but fail",
                () -> breaker.isOpen() ? 1 : 0);
    }

    /** A read is gone on with. */
    void resumed() {
        resumed.inc();
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
