package org.anteroom.archive;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive as everyone but its own implementation uses it: never asked more than so much at once, never waited for
 * longer than so long, and not asked again for what it has just said.
 *
 * <p>Every blocking call runs on a pool of {@link ArchiveSettings#concurrency()} threads with a bounded queue. A full
 * queue is OVERLOADED, an answer that takes too long ARCHIVE_TIMEOUT; time begins when the call is handed in. Timeouts
 * are found by {@link #watch()}, so that they are late by its period at most.
 */
public final class ArchiveGate implements AutoCloseable {
    /** The most bytes that one step of a stream for a reader returns. */
    static final int READER_CHUNK = 64 * 1024;

    /** The most bytes that one step of a stream for a fill returns. */
    static final int FILL_CHUNK = 256 * 1024;

    /** An answer is remembered only to spare the archive a burst of the same question. */
    private static final Duration LONGEST_HEAD_MEMORY = Duration.ofSeconds(2);

    private static final int REMEMBERED_FILES = 10_000;
    private static final int WAITING_PER_THREAD = 4;
    private static final Duration WATCH_PERIOD = Duration.ofMillis(100);
    private static final Duration PROBE_PERIOD = Duration.ofSeconds(5);
    private static final Duration LONGEST_PROBE = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(ArchiveGate.class);

    private final Archive archive;
    private final ArchiveSettings settings;
    private final InstantSource clock;
    private final ExecutorService pool;
    private final BoundedCalls calls;
    private final Cache<FileKey, FileFacts> found;
    private final Cache<FileKey, FailureException> missing;
    private final ConcurrentMap<FileKey, CompletableFuture<FileFacts>> asked = new ConcurrentHashMap<>();
    private final Archive blocking = new BlockingArchive(this);
    private final AtomicBoolean probing = new AtomicBoolean();
    private volatile ArchiveHealth health;

    /**
     * A gate before an archive.
     *
     * @param clock for the times that are shown
     * @param ticker for the durations that are measured
     */
    public ArchiveGate(Archive archive, ArchiveSettings settings, Tasks tasks, InstantSource clock, Ticker ticker) {
        this.archive = archive;
        this.settings = settings;
        this.clock = clock;
        this.pool = tasks.pool("archive", settings.concurrency(), settings.concurrency() * WAITING_PER_THREAD);
        this.calls = new BoundedCalls(pool, new ArchiveMetrics(tasks.metrics(), settings.concurrency()), ticker);
        this.found = memory(min(settings.headTtl(), LONGEST_HEAD_MEMORY), ticker);
        this.missing = memory(settings.missingTtl(), ticker);
        this.health = new ArchiveHealth(true, "", clock.instant());
    }

    private static <T> Cache<FileKey, T> memory(Duration ttl, Ticker ticker) {
        return Caffeine.newBuilder()
                .maximumSize(REMEMBERED_FILES)
                .expireAfterWrite(ttl)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** Lets {@link #watch()} and {@link #probe()} be called again and again, each on a thread of its own. */
    public void schedule(Tasks tasks) {
        tasks.everyToTheEnd("archive-watch", WATCH_PERIOD, this::watch);
        tasks.every("archive-probe", PROBE_PERIOD, this::probe);
    }

    /**
     * What there is to say of a file. Askers of the same file share one call; an answer is remembered for a moment, a
     * NOT_FOUND for {@link ArchiveSettings#missingTtl()}.
     *
     * @return completes with the facts or with a FailureException (see {@link #failure})
     */
    public CompletableFuture<FileFacts> head(FileKey key) {
        FailureException gone = missing.getIfPresent(key);
        if (gone != null) {
            return CompletableFuture.failedFuture(gone);
        }
        FileFacts known = found.getIfPresent(key);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        CompletableFuture<FileFacts> mine = new CompletableFuture<>();
        CompletableFuture<FileFacts> others = asked.putIfAbsent(key, mine);
        if (others != null) {
            return others.copy();
        }
        CompletableFuture<FileFacts> answer =
                calls.submit("head", settings.firstByteTimeout(), () -> archive.head(key));
        var unused = answer.whenComplete((facts, failure) -> {
            boolean stillWanted = asked.remove(key, mine);
            if (failure == null) {
                if (stillWanted) {
                    found.put(key, facts);
                }
                mine.complete(facts);
            } else {
                FailureException reason = failure(failure);
                if (stillWanted && reason.reason() == FailureReason.NOT_FOUND) {
                    missing.put(key, reason);
                }
                mine.completeExceptionally(reason);
            }
        });
        return mine.copy();
    }

    /**
     * A file's bytes, for passing them through. Nothing is asked of the archive before the first read.
     *
     * @param expected the facts that the reader goes by; if the file is no longer that one, reading fails with WRONG_BYTES
     * @param offset the position to begin at
     */
    public AsyncArchiveStream open(FileKey key, FileFacts expected, long offset) {
        return stream(key, expected, offset, READER_CHUNK);
    }

    GatedStream stream(FileKey key, FileFacts expected, long offset, int chunk) {
        return new GatedStream(this, () -> openInner(key, expected, offset), chunk);
    }

    private ArchiveStream openInner(FileKey key, FileFacts expected, long offset) throws IOException {
        try {
            return archive.open(key, expected, offset);
        } catch (FailureException e) {
            forget(key);
            throw e;
        }
    }

    /** The same archive under the same bounds, for threads that may wait, such as those of fills. */
    public Archive blocking() {
        return blocking;
    }

    /** Forgets what was said of a file: the next question goes to the archive. */
    public void forget(FileKey key) {
        asked.remove(key);
        found.invalidate(key);
        missing.invalidate(key);
    }

    /** What the last probe found; a read of memory. */
    public ArchiveHealth health() {
        return health;
    }

    /** Ends the wait for every call whose time is up. Never blocks on the archive. */
    public void watch() {
        calls.expire();
    }

    /** Asks whether the archive answers and notes it for {@link #health()}. Does not wait; never piles up. */
    public void probe() {
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
        var unused = calls.submit("probe", probeTimeout(), work)
                .whenComplete((there, failure) -> note(failure == null ? null : failure(failure)));
    }

    CompletableFuture<Boolean> askWhetherThere() {
        return calls.submit("probe", probeTimeout(), () -> {
            archive.probe();
            return true;
        });
    }

    private Duration probeTimeout() {
        return min(settings.firstByteTimeout(), LONGEST_PROBE);
    }

    private void note(@Nullable FailureException failure) {
        ArchiveHealth before = health;
        boolean ok = failure == null;
        String reason = failure == null ? "" : failure.getMessage();
        health = new ArchiveHealth(ok, reason, ok == before.ok() ? before.since() : clock.instant());
        if (before.ok() && !ok) {
            log.warn("The archive is degraded: {}", reason, failure);
        } else if (!before.ok() && ok) {
            log.info("The archive is well");
        }
    }

    /** Ends the wait for every call with NOT_READY; what is running ends by itself. The pool belongs to the tasks. */
    @Override
    public void close() {
        calls.failAll(new FailureException(FailureReason.NOT_READY, "The service is stopping."));
    }

    /** The failure inside what a future of this gate completed with. */
    public static FailureException failure(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof FailureException failure) {
                return failure;
            }
        }
        return new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed.", thrown);
    }

    void submitStep(boolean first, CompletableFuture<Integer> future, BoundedCalls.Work<Integer> step) {
        calls.submit(
                first ? "open" : "read", first ? settings.firstByteTimeout() : settings.stallTimeout(), future, step);
    }

    ExecutorService executor() {
        return pool;
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
