package org.anteroom.http;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;

/** The transfers that are under way: counted, watched for clients that stall, and ended when the instance stops. */
public final class Transfers {
    private final Set<Transfer> active = ConcurrentHashMap.newKeySet();
    private final Object drained = new Object();
    private volatile boolean draining;
    private final StallWatch watch;
    private final Map<Kind, Figures> figures = new EnumMap<>(Kind.class);

    /** What is sent. */
    enum Kind {
        FILE,
        LISTING,
        /** One of the {@link ShortAnswers} on HTTP/2. */
        SHORT
    }

    /** The figures of one kind. */
    private record Figures(CounterDataPoint bytes, Map<Transfer.End, CounterDataPoint> ends) {}

    /** None yet. */
    public Transfers(DeliverySettings settings, Metrics metrics) {
        this.watch = new StallWatch(settings.stallTimeout(), SendQueues::of);
        Counter bytes = metrics.counter("anteroom_sent_bytes", "Bytes of bodies handed to the container", "kind");
        Counter ended = metrics.counter("anteroom_transfers", "Transfers that ended, by how", "kind", "end");
        for (Kind kind : Kind.values()) {
            String label = label(kind);
            Map<Transfer.End, CounterDataPoint> ends = new EnumMap<>(Transfer.End.class);
            for (Transfer.End end : Transfer.End.values()) {
                ends.put(end, ended.labelValues(label, label(end)));
            }
            figures.put(kind, new Figures(bytes.labelValues(label), ends));
        }
        metrics.gauge("anteroom_transfers_active", "Transfers of files and listings under way", active::size);
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    void begun(Transfer transfer) {
        active.add(transfer);
    }

    void ended(Transfer transfer, Kind kind, Transfer.End end, long sent) {
        active.remove(transfer);
        if (draining && active.isEmpty()) {
            synchronized (drained) {
                drained.notifyAll();
            }
        }
        Figures mine = Objects.requireNonNull(figures.get(kind));
        mine.bytes().inc(sent);
        Objects.requireNonNull(mine.ends().get(end)).inc();
    }

    /** Waits until no transfer is under way; false if the time was up before. To be called when none begins any more. */
    public boolean awaitNone(Duration wait) {
        draining = true;
        long deadline = System.nanoTime() + wait.toNanos();
        synchronized (drained) {
            while (!active.isEmpty()) {
                long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (millis <= 0) {
                    return false;
                }
                try {
                    drained.wait(millis);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
        return true;
    }

    /** Transfers under way. */
    public int active() {
        return active.size();
    }

    /** Drops the clients that have taken nothing for longer than the stall timeout; called every few seconds. */
    public void dropStalled() {
        long now = System.nanoTime();
        // one that has begun to take bytes since is waited for anew
        watch.stalled(active, now).forEach(transfer -> transfer.dropIfStalled(now));
    }

    /** Ends what is under way: with 503 where nothing has been sent, by breaking it off elsewhere. */
    public void abortAll() {
        FailureException cause =
                new FailureException(FailureReason.NOT_READY, "The service is stopping; try again in a moment.");
        active.forEach(transfer -> transfer.abort(cause));
    }
}
