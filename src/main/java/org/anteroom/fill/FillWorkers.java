package org.anteroom.fill;

import io.prometheus.metrics.core.metrics.Counter;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.anteroom.archive.Archive;
import org.anteroom.inventory.ClaimResult;
import org.anteroom.inventory.Claimant;
import org.anteroom.inventory.FillFailure;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillReasons;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.Owner;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FailureException;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What works off the queue of fills in this instance: a bounded number of threads, each of which claims a fill, carries it
 * out and claims the next.
 *
 * <p>The protocol. A claim is a row in state running with owner, epoch and lease, made in the transaction that reserves the
 * bytes; so any number of workers of any number of instances take no fill twice. The claim is renewed while the
 * archive is asked for the file, and after that, by {@link Fills}. One that is lost is somebody else's: its end finds zero
 * rows. A worker that has claimed a fill starts another worker, as long as there are fewer than there may be; one that
 * finds nothing ends. So an empty queue costs one look of the instance in a period, and no thread.
 */
public final class FillWorkers {
    /** Between two looks at the queue, give or take a quarter. */
    static final Duration PERIOD = Duration.ofSeconds(1);

    private static final Duration TICK = Duration.ofMillis(250);
    private static final Duration MEASURING = Duration.ofSeconds(15);
    private static final Duration LAST_WORDS = Duration.ofSeconds(3);

    /** Of so many claims, one is for the files of datasets first, and all others for those asked for one by one. */
    private static final int DATASETS_TURN = 4;

    /** So many fills that find no room in a row are enough until the next look. */
    private static final int MOST_IN_VAIN = 10;

    private static final Logger log = LoggerFactory.getLogger(FillWorkers.class);

    private final FillQueue queue;
    private final FillStore store;
    private final Fills fills;
    private final Placement placement;
    private final Function<BooleanSupplier, Archive> archives;
    private final Owner owner;
    private final int workers;
    private final BooleanSupplier permitted;
    private final ExecutorService threads;
    private final Tasks tasks;
    private final Counter ended;
    private final SecureRandom random = new SecureRandom();

    private final AtomicInteger active = new AtomicInteger();
    private final AtomicLong wakes = new AtomicLong();
    /** Claims that were tried, of which each so-many-th is for the files of datasets. */
    private final AtomicLong claims = new AtomicLong();

    private volatile boolean stopping;
    private volatile FillQueue.Depth depth = new FillQueue.Depth(Map.of(), Duration.ZERO);
    private long nextLook = System.nanoTime();
    private long nextOffer = System.nanoTime();

    /**
     * No worker yet.
     *
     * @param archives the archive as background work reads it, bounded in time, for a fill that readers may come to follow:
     *     given whether any do
     * @param permitted whether this instance may change anything; asked before each claim
     */
    public FillWorkers(
            FillQueue queue,
            FillStore store,
            Fills fills,
            Placement placement,
            Function<BooleanSupplier, Archive> archives,
            Owner owner,
            FillSettings settings,
            BooleanSupplier permitted,
            Tasks tasks) {
        this.queue = queue;
        this.store = store;
        this.fills = fills;
        this.placement = placement;
        this.archives = archives;
        this.owner = owner;
        this.workers = settings.workers();
        this.permitted = permitted;
        this.tasks = tasks;
        // a worker that ends may still hold its thread when the next one starts
        this.threads = tasks.pool("fill-worker", Math.max(1, workers), Math.max(1, workers));
        this.ended = tasks.metrics()
                .counter(
                        "anteroom_fill_queue_ended",
                        "Claims of fills from the queue that ended, by what came of them",
                        "end");
        tasks.metrics()
                .gauges(
                        "anteroom_fill_queue",
                        "Fills of the fleet in a state",
                        callback -> depth.counts().forEach((state, count) -> callback.call(count, state.text())),
                        "state");
        tasks.metrics()
                .gauge(
                        "anteroom_fill_queue_overdue_seconds",
                        "How long the first fill that is due could have been claimed",
                        () -> depth.overdue().toMillis() / 1000.0);
        tasks.metrics().gauge("anteroom_fill_workers_active", "Workers that are at work", active::get);
        tasks.metrics().gauge("anteroom_fill_workers_limit", "The most workers at once", () -> workers);
    }

    /** Looks at the queue from now on, and keeps what is claimed. */
    public void schedule() {
        tasks.every("fill-queue", TICK, this::tick);
        tasks.every("fill-queue-depth", MEASURING, this::measure);
    }

    private void tick() {
        long now = System.nanoTime();
        if (now - nextOffer >= 0) {
            nextOffer = now + Fills.RENEWAL.toNanos();
            offer();
        }
        if (now - nextLook >= 0 && permitted.getAsBoolean()) {
            nextLook = now + (long) (PERIOD.toNanos() * (0.75 + random.nextDouble() / 2));
            look();
        }
    }

    /** Looks whether there is anything to do, and does it. */
    void look() {
        try {
            FillQueue.Look look = queue.look();
            int released = look.lost() ? store.releaseExpired(owner, fills.atWork()) : 0;
            if (released > 0) {
                log.info("Released {} fills whose owners were not heard of any more", released);
            }
            if (look.due() || released > 0) {
                wake();
            }
        } catch (DatabaseException e) {
            log.debug("The queue of fills waits for the inventory: {}", e.getMessage());
        }
    }

    private void measure() {
        try {
            depth = queue.depth();
        } catch (DatabaseException e) {
            log.debug("The queue of fills is not measured: {}", e.getMessage());
        }
    }

    /** Lets the queue be looked at now, since something was added to it. Never blocks. */
    public void wake() {
        wakes.incrementAndGet();
        start();
    }

    private void start() {
        int now;
        do {
            now = active.get();
            if (stopping || now >= workers) {
                return;
            }
        } while (!active.compareAndSet(now, now + 1));
        try {
            threads.execute(tasks.guarded("fill-worker", this::work));
        } catch (RejectedExecutionException | Error e) {
            active.decrementAndGet();
            log.debug("no worker is started", e);
        }
    }

    private void work() {
        long woken = wakes.get();
        try {
            int inVain = 0;
            while (inVain < MOST_IN_VAIN) {
                woken = wakes.get();
                ClaimResult result = claim();
                if (result instanceof ClaimResult.Nothing) {
                    break;
                }
                if (result instanceof ClaimResult.Claimed claimed) {
                    start();
                    ended.labelValues(carryOut(claimed)).inc();
                }
                inVain = result instanceof ClaimResult.NoRoom ? inVain + 1 : 0;
                count(result);
            }
        } finally {
            active.decrementAndGet();
            // who woke us after the last claim may have found all workers there
            if (wakes.get() != woken) {
                start();
            }
        }
    }

    private void count(ClaimResult result) {
        if (result instanceof ClaimResult.Cached) {
            ended.labelValues("cached").inc();
        } else if (result instanceof ClaimResult.NoRoom noRoom) {
            log.debug("no room for {}", noRoom.objid());
            if (!noRoom.waits()) {
                ended.labelValues(FillFailure.NO_SPACE.text()).inc();
            }
        }
    }

    /** Whether there is anything that this instance could do for the queue. */
    private boolean canClaim() {
        // without a volume that can be written, the queue is left to those who have one
        return !stopping && permitted.getAsBoolean() && !placement.limits().isEmpty();
    }

    private Claimant claimant(boolean datasetsFirst) {
        return new Claimant(
                owner, Fills.LEASE, placement.volumes(), placement::candidates, placement.limits(), datasetsFirst);
    }

    /** Tells other instances what they may leave to this one. */
    void offer() {
        if (workers == 0 || !canClaim()) {
            return;
        }
        try {
            queue.offer(claimant(false));
        } catch (DatabaseException e) {
            log.debug("The queue of fills is told nothing: {}", e.getMessage());
        }
    }

    private ClaimResult claim() {
        if (!canClaim()) {
            return new ClaimResult.Nothing();
        }
        String copyName = copyName();
        try {
            boolean datasetsFirst = claims.incrementAndGet() % DATASETS_TURN == 0;
            ClaimResult result = queue.claim(claimant(datasetsFirst), copyName, this::giveBack);
            if (result instanceof ClaimResult.Claimed claimed) {
                fills.claims().add(claimed);
            }
            return result;
        } catch (DatabaseException e) {
            log.debug("no fill is claimed: {}", e.getMessage());
            // the answer to its commit may be what was lost
            fills.claims().addUnanswered(copyName);
            return new ClaimResult.Nothing();
        }
    }

    private void giveBack(ClaimResult late) {
        if (late instanceof ClaimResult.Claimed claimed) {
            fills.claims().addTooLate(claimed);
        }
    }

    /** Makes the copy; what came of it, as figures call it. */
    private String carryOut(ClaimResult.Claimed claimed) {
        try {
            FileKey key = FileKey.parse(claimed.objid());
            Archive archive = archives.apply(() -> {
                Fill fill = fills.running(claimed.objid());
                return fill != null && fill.followed();
            });
            FileFacts facts = archive.head(key);
            if (!facts.hasSize()) {
                return fail(claimed, FillReasons.UNKNOWN_LENGTH, claimed.size());
            }
            if (facts.size() != claimed.size()) {
                return fail(claimed, FillReasons.CHANGED, facts.size());
            }
            String result = fills.run(claimed, key, facts, archive);
            return result.equals(Fills.STORED) || result.equals(Fills.TAKEN)
                    ? result
                    : FillFailure.of(result).text();
        } catch (FailureException e) {
            return fail(claimed, reason(e), claimed.size());
        } catch (IOException e) {
            return fail(claimed, stopping ? FillReasons.STOPPING : "archive-failed", claimed.size());
        } catch (RuntimeException | Error e) {
            log.error("The copy of {} was not made", claimed.objid(), e);
            return fail(claimed, "internal", claimed.size());
        }
    }

    private static String reason(FailureException failure) {
        return failure.reason().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private String fail(ClaimResult.Claimed claimed, String reason, long size) {
        boolean interrupted = Thread.interrupted();
        try {
            if (!fills.claims().giveUp(claimed, reason, size)) {
                return Fills.TAKEN;
            }
            log.warn("The copy of {} was not made: {}", claimed.objid(), reason);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return FillFailure.of(reason).text();
    }

    /** Claims nothing more; what is at work goes on. */
    public void stopClaiming() {
        stopping = true;
    }

    /** Claims nothing more and waits for what is at work; what is left then is interrupted, and goes back to the queue. */
    public void stop(Duration grace) {
        stopClaiming();
        threads.shutdown();
        try {
            if (!threads.awaitTermination(grace.toNanos(), TimeUnit.NANOSECONDS)) {
                threads.shutdownNow();
                boolean over = threads.awaitTermination(LAST_WORDS.toNanos(), TimeUnit.NANOSECONDS);
                log.debug("workers have ended: {}", over);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String copyName() {
        byte[] name = new byte[16];
        random.nextBytes(name);
        return HexFormat.of().formatHex(name);
    }
}
