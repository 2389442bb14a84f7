package org.anteroom.fill;

import io.prometheus.metrics.core.metrics.Counter;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.anteroom.archive.Archive;
import org.anteroom.fill.FillEnds.End;
import org.anteroom.inventory.BeginResult;
import org.anteroom.inventory.ClaimResult;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.FillReasons;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.FillTicket;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.NewFill;
import org.anteroom.inventory.Owner;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.anteroom.volume.VolumeGuard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fills of this instance: one per file in the whole fleet, started by the first reader that misses.
 *
 * <p>The protocol. In this instance the map of running fills is the single flight, in the fleet the row in {@code fills}.
 * Whoever wins the row owns (fill, epoch) for a lease, which {@link #renew} keeps. The copy is written, verified and
 * named; then one transaction, conditional on owner and epoch, turns the fill into a copy ({@link FillEnds}).
 *
 * <p>A reader who comes while a worker that has claimed the file still asks the archive for it knows that already, and
 * begins the fill in its place ({@link Claims}).
 *
 * <p>A fill that was lost, since its lease ran out or somebody ended it, makes no copy any more. It goes on for those who
 * follow it, and ends when nobody does. New readers follow it only as long as nobody has taken its row.
 *
 * <p>No lock is held over anything, and no connection while the archive or a volume is waited for.
 */
public final class Fills {
    /** How long a fill is owned without being renewed. */
    public static final Duration LEASE = Duration.ofSeconds(30);

    /** How often {@link #renew} is to be called. */
    public static final Duration RENEWAL = Duration.ofSeconds(10);

    /** How a fill ends that has made its copy. */
    static final String STORED = "stored";

    /** How a worker's claim ends that somebody else has: a reader here, or another instance. */
    static final String TAKEN = "taken";

    private static final Duration LAST_WORDS = Duration.ofSeconds(3);

    /** With less time than this a fill is not begun: it would most likely be too late. */
    private static final Duration LEAST_WAIT = Duration.ofMillis(50);

    private static final Logger log = LoggerFactory.getLogger(Fills.class);

    private final FillStore store;
    private final Placement placement;
    private final Archive archive;
    private final Locations<?> locations;
    private final WrongBytes wrong;
    private final Owner owner;
    private final ExecutorService threads;
    private final Semaphore slots;
    private volatile boolean stopping;
    private final SecureRandom random = new SecureRandom();
    private final Counter ended;

    /** From the first reader's wish to the end of the fill; completed once it is known what came of the wish. */
    private final ConcurrentMap<String, CompletableFuture<Outcome>> wishes = new ConcurrentHashMap<>();

    private final ConcurrentMap<FillTicket, Fill> running = new ConcurrentHashMap<>();
    private final FillEnds ends;
    private final Claims claims;

    /**
     * No fill runs yet.
     *
     * @param archive bounded in time: a stalled read fails
     * @param concurrency the most fills at once
     */
    public Fills(
            FillStore store,
            Placement placement,
            Archive archive,
            Locations<?> locations,
            WrongBytes wrong,
            Owner owner,
            int concurrency,
            Tasks tasks,
            Metrics metrics) {
        this.store = store;
        this.placement = placement;
        this.archive = archive;
        this.locations = locations;
        this.wrong = wrong;
        this.owner = owner;
        this.threads = tasks.pool("fill", concurrency, concurrency);
        this.slots = new Semaphore(concurrency);
        this.ended = metrics.counter("anteroom_fills", "Fills that ended, by how", "result");
        this.ends = new FillEnds(store, placement, owner, metrics);
        this.claims = new Claims(store, ends, owner);
        metrics.gauge("anteroom_fills_running", "Fills that run in this instance", running::size);
        metrics.gauge("anteroom_fills_limit", "The most fills at once", () -> concurrency);
    }

    /** The fill of a file that runs in this instance. */
    public @Nullable Fill running(String objid) {
        CompletableFuture<Outcome> wish = wishes.get(objid);
        return wish == null ? null : fillOf(wish);
    }

    private static @Nullable Fill fillOf(CompletableFuture<Outcome> wish) {
        return wish.getNow(null) instanceof Outcome.Following following ? following.fill() : null;
    }

    /**
     * Begins a fill, or joins the one that runs. Blocks the first caller, in the inventory only, at most for {@code wait};
     * others who want the same file get a future that the first one completes.
     *
     * @param facts what the archive says of the file now
     */
    public CompletableFuture<Outcome> begin(FileKey key, FileFacts facts, Duration wait) {
        String objid = key.objid();
        CompletableFuture<Outcome> mine = new CompletableFuture<>();
        CompletableFuture<Outcome> present = wishes.putIfAbsent(objid, mine);
        if (present != null) {
            return present.thenApply(Fills::joined);
        }
        Outcome outcome = new Outcome.Bypass("error");
        try {
            outcome = tryBegin(key, objid, facts, wait, mine);
        } finally {
            if (!(outcome instanceof Outcome.Following)) {
                wishes.remove(objid, mine);
            }
            mine.complete(outcome);
        }
        return mine;
    }

    private static Outcome joined(Outcome outcome) {
        return outcome instanceof Outcome.Following following
                ? new Outcome.Following(following.fill(), false)
                : outcome;
    }

    private Outcome tryBegin(
            FileKey key, String objid, FileFacts facts, Duration wait, CompletableFuture<Outcome> wish) {
        if (!facts.hasSize()) {
            return new Outcome.Bypass("unknown-length");
        }
        if (wait.compareTo(LEAST_WAIT) < 0) {
            return new Outcome.Bypass("inventory-unavailable");
        }
        List<Long> candidates = placement.candidates(facts.size());
        if (candidates.isEmpty()) {
            return new Outcome.Bypass("no-volume");
        }
        if (stopping || !slots.tryAcquire()) {
            return new Outcome.Bypass("busy");
        }
        boolean started = false;
        long begun = System.nanoTime();
        NewFill asked = new NewFill(objid, facts, copyName(), owner, LEASE, placement.volumes());
        try {
            FillTicket claim = claims.take(objid, facts, wait);
            if (claim != null) {
                started = true;
                return start(key, facts, claim, wish);
            }
            // a claim that was lost has taken some of the time
            Duration left = wait.minusNanos(System.nanoTime() - begun);
            BeginResult result = store.begin(asked, candidates, left, late -> giveBack(objid, late));
            if (result instanceof BeginResult.Cached cached) {
                return new Outcome.Cached(cached.copies());
            }
            if (result instanceof BeginResult.Begun own) {
                started = true;
                return start(key, facts, own.ticket(), wish);
            }
            Fill here = running(objid);
            if (here != null) {
                // a worker's claim has become a fill meanwhile
                return new Outcome.Following(here, false);
            }
            return new Outcome.Bypass(result instanceof BeginResult.NoRoom ? "no-room" : "filled-elsewhere");
        } catch (DatabaseException e) {
            log.debug("no fill of {}: {}", objid, e.getMessage());
            // the answer to its commit may be what was lost
            ends.doubt(asked.copyName(), objid);
            return new Outcome.Bypass("inventory-unavailable");
        } finally {
            if (!started) {
                slots.release();
            }
        }
    }

    /** A fill that runs from now on; another one of the same file has been lost, be that known or not. */
    private Fill register(FillTicket ticket, String objid, FileFacts facts) {
        Fill fill = new Fill(objid, facts, ticket.volumeId());
        running.values().stream().filter(other -> other.objid().equals(objid)).forEach(Fill::lose);
        running.put(ticket, fill);
        return fill;
    }

    private Outcome start(FileKey key, FileFacts facts, FillTicket ticket, CompletableFuture<Outcome> wish) {
        Fill fill = register(ticket, key.objid(), facts);
        Outcome outcome = new Outcome.Following(fill, true);
        // before the thread begins: its end looks for a wish that is complete
        wish.complete(outcome);
        try {
            threads.execute(() -> {
                try {
                    run(key, ticket, fill, archive);
                } finally {
                    slots.release();
                }
            });
        } catch (RejectedExecutionException | Error e) {
            // while stopping, or when the machine has no thread left: there are as many threads as slots
            log.warn("The copy of {} is not made: {}", fill.objid(), e.toString());
            ends.keep(ticket, End.nothing(fill.objid(), "no thread"));
            conclude(
                    ticket,
                    fill,
                    stopping ? "stopping" : "internal",
                    () -> fill.abandon(new IOException("no thread", e)));
            slots.release();
        }
        return outcome;
    }

    /** A fill that was begun when nobody waited for that any more; on the inventory's thread. */
    private void giveBack(String objid, BeginResult late) {
        if (late instanceof BeginResult.Begun begun) {
            ends.keep(begun.ticket(), End.nothing(objid, FillReasons.TOO_LATE));
        }
    }

    /** What the workers of the queue have claimed here. */
    Claims claims() {
        return claims;
    }

    /**
     * Carries out a fill that was claimed from the queue, on the calling thread; readers follow it as any other.
     *
     * @param from the archive as such fills read it
     * @return {@link #STORED}, or {@link #TAKEN}, or why there is no copy
     */
    String run(ClaimResult.Claimed claim, FileKey key, FileFacts facts, Archive from) {
        FillTicket ticket = claim.ticket();
        String objid = claim.objid();
        boolean mine = claims.become(claim, () -> {
            Fill fill = register(ticket, objid, facts);
            // in place of a wish that is just being turned down because of this fill, or of a fill that was lost
            wishes.put(objid, CompletableFuture.completedFuture(new Outcome.Following(fill, true)));
        });
        Fill fill = running.get(ticket);
        return mine && fill != null ? run(key, ticket, fill, from) : TAKEN;
    }

    /** Ids of the fills that this instance is at, and of those whose end it has still to tell. */
    public Set<Long> atWork() {
        Set<Long> ids = new HashSet<>(ends.ids());
        ids.addAll(claims.ids());
        running.keySet().forEach(ticket -> ids.add(ticket.fillId()));
        return ids;
    }

    /** Bytes that are written by now, of the fills that run here, by their id. */
    Map<Long, Long> progress() {
        Map<Long, Long> progress = new HashMap<>();
        running.forEach((ticket, fill) -> progress.put(ticket.fillId(), fill.readable()));
        return progress;
    }

    private String run(FileKey key, FillTicket ticket, Fill fill, Archive from) {
        // until the run says otherwise
        End end = new End(fill.objid(), null, "internal", true, FileFacts.UNKNOWN_SIZE);
        try {
            VolumeGuard volume = placement.volume(ticket.volumeId());
            FillRun.Result result = new FillRun(from, volume, key, ticket, fill, wrong).run();
            end = new End(fill.objid(), result.stored(), reason(result), result.left(), FileFacts.UNKNOWN_SIZE);
            if (result.failure() != null) {
                log.warn("The copy of {} was not made: {}", fill.objid(), FillRun.describe(result.failure()));
            }
        } catch (RuntimeException | Error e) {
            log.error("The copy of {} was not made", fill.objid(), e);
            fill.abandon(new IOException(e));
        } finally {
            End how = end;
            // a stop interrupts the reading of the archive, but what became of it is still told
            boolean interrupted = Thread.interrupted();
            conclude(ticket, fill, how.reason(), () -> ends.tell(ticket, how, copy -> remember(fill, copy)));
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return end.reason();
    }

    private String reason(FillRun.Result result) {
        return stopping && result.failure() != null ? FillReasons.STOPPING : reason(result.failure());
    }

    /** Does the last of a fill, and lets go of it whatever comes of that. */
    private void conclude(FillTicket ticket, Fill fill, String result, Runnable last) {
        try {
            last.run();
        } catch (RuntimeException | Error e) {
            log.error("The fill of {} ended in an error", fill.objid(), e);
        } finally {
            end(ticket, fill, result);
        }
    }

    private void end(FillTicket ticket, Fill fill, String result) {
        ended.labelValues(result).inc();
        running.remove(ticket);
        forget(fill.objid(), fill);
        fill.release();
    }

    /** Lets the next reader of a file begin a fill of its own, since this one is not to be followed any more. */
    private void forget(String objid, @Nullable Fill fill) {
        wishes.computeIfPresent(objid, (key, wish) -> {
            Fill present = fillOf(wish);
            return present != null && (fill == null || present == fill) ? null : wish;
        });
    }

    /** Sends no new readers to the fill of a file that is being deleted, and ends it if nobody follows it. */
    public void cancel(String objid) {
        forget(objid, null);
        renew(objid);
    }

    /** The same for one fill, by its id. */
    public void cancel(long fillId) {
        running.forEach((ticket, fill) -> {
            if (ticket.fillId() == fillId) {
                forget(fill.objid(), fill);
                renew(fill.objid());
            }
        });
    }

    /** Finds out whether the fills of a file were ended. */
    private void renew(String objid) {
        running.forEach((ticket, fill) -> {
            if (fill.objid().equals(objid)) {
                renew(ticket, fill);
            }
        });
    }

    /**
     * Puts a new copy into memory unless its fill was cancelled: who deletes a file cancels its fill and then forgets its
     * location, and the cancelling waits for what is done here.
     */
    private void remember(Fill fill, CopyRow copy) {
        wishes.computeIfPresent(copy.objid(), (objid, wish) -> {
            if (fillOf(wish) == fill) {
                locations.put(objid, List.of(copy));
            }
            return wish;
        });
    }

    /** Keeps what runs or was claimed for another lease, and tells the inventory of ends that it does not know yet. */
    public void renew() {
        running.forEach(this::renew);
        claims.renewAll();
        ends.tellAll();
    }

    private void renew(FillTicket ticket, Fill fill) {
        try {
            boolean kept = !fill.isLost() && store.renew(ticket, owner, LEASE, fill.readable());
            if (kept || !running.containsKey(ticket)) {
                return;
            }
            if (fill.lose()) {
                log.warn("The fill of {} is no longer this instance's", fill.objid());
            }
            if (!store.holds(ticket, owner)) {
                // who comes now may want a newer file
                forget(fill.objid(), fill);
            }
        } catch (DatabaseException e) {
            log.debug("The fill of {} could not be renewed: {}", fill.objid(), e.getMessage());
        } catch (RuntimeException e) {
            log.error("The fill of {} could not be renewed", fill.objid(), e);
        }
    }

    /**
     * Sends the readers of a fill elsewhere whose thread hangs in a volume that takes nothing any more; to be called twice
     * a second or so. The fill itself goes on when the volume does.
     */
    public void relieve() {
        running.forEach((ticket, fill) -> {
            if (fill.hangsInVolume() && !placement.volume(ticket.volumeId()).writable()) {
                forget(fill.objid(), fill);
                fill.abandon(new FillAbandonedException("the volume hangs", null));
            }
        });
    }

    /**
     * Begins no more fills, and waits for those that run; what is left is interrupted, and its rows are released by the
     * next boot.
     */
    public void stop(Duration grace) {
        stopping = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(grace.toNanos(), TimeUnit.NANOSECONDS)) {
                if (!running.isEmpty()) {
                    log.warn("{} fills are broken off by the stop", running.size());
                }
                threads.shutdownNow();
                // each still tells the inventory that it failed
                boolean ended = threads.awaitTermination(LAST_WORDS.toNanos(), TimeUnit.NANOSECONDS);
                log.debug("fills have ended: {}", ended);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Fills that run in this instance. */
    public int runningCount() {
        return running.size();
    }

    private String copyName() {
        byte[] name = new byte[16];
        random.nextBytes(name);
        return HexFormat.of().formatHex(name);
    }

    private static String reason(@Nullable IOException failure) {
        if (failure instanceof FailureException reasoned) {
            return reasoned.reason().name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
        if (failure instanceof FillAbandonedException) {
            return FillReasons.LOST;
        }
        return failure == null ? STORED : "volume-failed";
    }
}
