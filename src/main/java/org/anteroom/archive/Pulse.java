package org.anteroom.archive;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.model.FailureException;
import org.anteroom.tasks.Tasks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the archive is well: what the last probe found, and whether it is asked at all. The probe has a thread of its own,
 * so that a crowd does not pass for an archive that is away.
 */
final class Pulse {
    private static final Logger log = LoggerFactory.getLogger(Pulse.class);

    private final Archive archive;
    private final Duration timeout;
    private final Breaker breaker;
    private final InstantSource clock;
    private final ExecutorService prober;
    private final BoundedCalls probes;
    private final AtomicBoolean probing = new AtomicBoolean();
    private volatile @Nullable FailureException failure;
    private volatile ArchiveHealth health;

    Pulse(
            Archive archive,
            Duration timeout,
            Breaker breaker,
            Tasks tasks,
            ArchiveMetrics metrics,
            InstantSource clock,
            Ticker ticker) {
        this.archive = archive;
        this.timeout = timeout;
        this.breaker = breaker;
        this.clock = clock;
        this.prober = tasks.pool("archive-health", 1, 1);
        this.probes =
                new BoundedCalls((traffic, call) -> prober.execute(call), 1, null, metrics, metrics.inUse(), ticker);
        this.health = new ArchiveHealth(true, "", clock.instant());
    }

    /** What was found last; a read of memory. */
    ArchiveHealth health() {
        return health;
    }

    /** Asks whether the archive answers. Does not wait; never piles up. */
    void probe() {
        if (!probing.compareAndSet(false, true)) {
            return;
        }
        BoundedCalls.Work<Boolean> work = new BoundedCalls.Work<>() {
            @Override
            public Boolean run() throws IOException {
                archive.probe();
                return true;
            }

            @Override
            public void delivered(Boolean there) {
                probing.set(false);
            }

            @Override
            public void abandoned() {
                probing.set(false);
            }
        };
        var unused = probes.submit(BoundedCalls.Question.of("probe", "probe"), timeout, work)
                .whenComplete((there, thrown) -> {
                    failure = thrown == null ? null : ArchiveGate.failure(thrown);
                    if (thrown == null) {
                        breaker.probed();
                    }
                    look();
                });
    }

    /** Ends the wait for a probe whose time is up, and looks whether the archive is asked. */
    void watch() {
        probes.expire();
        look();
    }

    private synchronized void look() {
        FailureException found = failure;
        boolean open = breaker.isOpen();
        boolean ok = found == null && !open;
        String reason = found != null
                ? found.getMessage()
                : open ? "The archive has failed many times in a row and is not asked for now." : "";
        ArchiveHealth before = health;
        if (ok == before.ok() && reason.equals(before.reason())) {
            return;
        }
        health = new ArchiveHealth(ok, reason, ok == before.ok() ? before.since() : clock.instant());
        if (before.ok() && !ok) {
            Throwable cause = found == null ? null : found.getCause();
            log.warn("The archive is degraded: {}{}", reason, cause == null ? "" : " (" + cause + ")");
        } else if (!before.ok() && ok) {
            log.info("The archive is well");
        }
    }

    void close(FailureException stopping) {
        probes.failAll(stopping);
    }

    ExecutorService prober() {
        return prober;
    }
}
