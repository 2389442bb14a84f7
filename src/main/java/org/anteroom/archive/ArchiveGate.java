package org.anteroom.archive;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.tasks.Tasks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive as everyone but its own implementation uses it: never asked more than so much at once, never waited for
 * longer than so long, and not asked again for what it has just said.
 *
 * <p>Every blocking call for files runs on a pool of {@link ArchiveSettings#concurrency()} threads with a bounded queue.
 * {@link #probe()} has a thread of its own, so that a crowd does not pass for an archive that is away, and folders are read
 * on {@value #LIST_THREADS} threads of their own, since one may take long and files are not to wait behind it. What is asked
 * past the bounds is OVERLOADED, an answer that takes too long ARCHIVE_TIMEOUT; time begins when the call is handed in.
 * Timeouts are found by {@link #watch()}, so that they are late by its period at most.
 *
 * <p>Refused is what begins: a question, a stream at its first read, or a listing. The queues have room for one step of
 * everything that was admitted, so that nothing is ended for a crowd that came after it.
 */
public final class ArchiveGate implements AutoCloseable {
    /** The most bytes that one step of a stream for a reader returns. */
    static final int READER_CHUNK = 64 * 1024;

    /** The most bytes that one step of a stream for a fill returns. */
    static final int FILL_CHUNK = 256 * 1024;

    /** An answer is remembered only to spare the archive a burst of the same question. */
    private static final Duration LONGEST_HEAD_MEMORY = Duration.ofSeconds(2);

    /** Folders that are read at once, at most. */
    static final int LIST_THREADS = 4;

    /** Folders that wait to be read, at most, besides the listings that have begun. */
    static final int LISTS_WAITING = 100;

    /** Listings that have begun and may go on, at most: for who begins them to see to. */
    public static final int MOST_LISTINGS = 1000;

    private static final int WAITING_PER_THREAD = 4;
    /** So few that each stream's next step comes well before the stall timeout, though all ask at once. */
    private static final int STREAMS_PER_THREAD = 16;

    private static final int LEAST_STREAMS = 256;

    /** Streams past the others, for readers who have begun elsewhere and for fills; bounded by transfers and fill slots. */
    private static final int RESERVE = 20_000;

    private static final Duration WATCH_PERIOD = Duration.ofMillis(100);
    private static final Duration PROBE_PERIOD = Duration.ofSeconds(5);
    private static final Duration LONGEST_PROBE = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(ArchiveGate.class);

    private final Archive archive;
    private final ArchiveSettings settings;
    private final InstantSource clock;
    private final ExecutorService pool;
    private final BoundedCalls calls;
    private final BoundedCalls lists;
    private final BoundedCalls furtherLists;
    private final ExecutorService prober;
    private final BoundedCalls probes;
    private final int mostStreams;
    private final AtomicInteger streams = new AtomicInteger();
    private final Answers<FileKey, FileFacts> files;
    private final Answers<FolderKey, Boolean> folders;
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
        int threads = settings.concurrency();
        int questions = threads + threads * WAITING_PER_THREAD;
        this.mostStreams = Math.max(LEAST_STREAMS, threads * STREAMS_PER_THREAD);
        this.pool = tasks.pool("archive", threads, questions + mostStreams + RESERVE);
        int listThreads = Math.min(threads, LIST_THREADS);
        int listQuestions = listThreads + LISTS_WAITING;
        ExecutorService listPool = tasks.pool("archive-list", listThreads, listQuestions + MOST_LISTINGS);
        ArchiveMetrics metrics = new ArchiveMetrics(tasks.metrics(), threads, listThreads, streams::get, mostStreams);
        this.calls = new BoundedCalls(pool, questions, metrics, metrics.inUse(), ticker);
        this.lists = new BoundedCalls(listPool, listQuestions, metrics, metrics.listsInUse(), ticker);
        this.furtherLists = new BoundedCalls(listPool, MOST_LISTINGS, metrics, metrics.listsInUse(), ticker);
        this.prober = tasks.pool("archive-health", 1, 1);
        this.probes = new BoundedCalls(prober, 1, metrics, metrics.inUse(), ticker);
        Duration foundTtl = min(settings.headTtl(), LONGEST_HEAD_MEMORY);
        this.files = new Answers<>(foundTtl, settings.missingTtl(), ticker);
        this.folders = new Answers<>(foundTtl, settings.missingTtl(), ticker);
        this.health = new ArchiveHealth(true, "", clock.instant());
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
        return files.get(key, () -> calls.submit("head", settings.firstByteTimeout(), () -> archive.head(key)));
    }

    /**
     * Whether there is a folder; asked like a file's {@link #head}, and remembered as long.
     *
     * @return completes with true or with a FailureException (see {@link #failure}), of which NOT_FOUND says that there is
     *     none, and NOT_LISTED that nobody can tell
     */
    public CompletableFuture<Boolean> folder(FolderKey folder) {
        return folders.get(
                folder,
                () -> calls.submit("folder", settings.firstByteTimeout(), () -> {
                    archive.list(folder, "", 0);
                    return true;
                }));
    }

    /**
     * A page of a folder, as {@link Archive#list} has it, for somebody who begins. Who cancels it before its turn spares the
     * archive the call.
     *
     * @return completes with the page or with a FailureException (see {@link #failure})
     */
    public CompletableFuture<FolderPage> list(FolderKey folder, String after, int limit) {
        FailureException gone = folders.missing(folder);
        if (gone != null) {
            return CompletableFuture.failedFuture(gone);
        }
        CompletableFuture<FolderPage> page =
                lists.submit("list", settings.firstByteTimeout(), () -> archive.list(folder, after, limit));
        var unused = page.whenComplete((found, failure) -> {
            if (failure != null) {
                folders.missed(folder, failure(failure));
            }
        });
        return page;
    }

    /**
     * The next page for somebody who has begun: not refused, however many begin, as long as no more than
     * {@link #MOST_LISTINGS} have begun.
     */
    public CompletableFuture<FolderPage> listOn(FolderKey folder, String after, int limit) {
        return furtherLists.submit("list", settings.firstByteTimeout(), () -> archive.list(folder, after, limit));
    }

    /**
     * A file's bytes, for passing them through. Nothing is asked of the archive before the first read.
     *
     * @param expected the facts that the reader goes by; if the file is no longer that one, reading fails with WRONG_BYTES
     * @param offset the position to begin at
     */
    public AsyncArchiveStream open(FileKey key, FileFacts expected, long offset) {
        return new GatedStream(this, mostStreams, () -> openInner(key, expected, offset), READER_CHUNK);
    }

    /** The same for a reader who has begun elsewhere: not refused for the number of those who read already. */
    public AsyncArchiveStream resume(FileKey key, FileFacts expected, long offset) {
        return new GatedStream(this, mostStreams + RESERVE, () -> openInner(key, expected, offset), READER_CHUNK);
    }

    /** A stream for a fill. */
    GatedStream streamForFill(FileKey key, FileFacts expected, long offset) {
        return new GatedStream(this, mostStreams + RESERVE, () -> openInner(key, expected, offset), FILL_CHUNK);
    }

    /** Admits one more stream if there are fewer than that; who is admitted leaves once. */
    boolean admit(int most) {
        if (streams.incrementAndGet() <= most) {
            return true;
        }
        streams.decrementAndGet();
        return false;
    }

    void leave() {
        streams.decrementAndGet();
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
        files.forget(key);
        folders.forget(FolderKey.of(key));
    }

    /** What the last probe found; a read of memory. */
    public ArchiveHealth health() {
        return health;
    }

    /** Ends the wait for every call whose time is up. Never blocks on the archive. */
    public void watch() {
        calls.expire();
        lists.expire();
        furtherLists.expire();
        probes.expire();
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
        var unused = probes.submit("probe", probeTimeout(), work)
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
            Throwable cause = failure == null ? null : failure.getCause();
            log.warn("The archive is degraded: {}{}", reason, cause == null ? "" : " (" + cause + ")");
        } else if (!before.ok() && ok) {
            log.info("The archive is well");
        }
    }

    /** Ends the wait for every call with NOT_READY; what is running ends by itself. The pool belongs to the tasks. */
    @Override
    public void close() {
        FailureException stopping = new FailureException(FailureReason.NOT_READY, "The service is stopping.");
        calls.failAll(stopping);
        lists.failAll(stopping);
        furtherLists.failAll(stopping);
        probes.failAll(stopping);
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
        calls.step(
                first ? "open" : "read", first ? settings.firstByteTimeout() : settings.stallTimeout(), future, step);
    }

    FailureException refused() {
        return calls.refused("open");
    }

    ExecutorService executor() {
        return pool;
    }

    ExecutorService prober() {
        return prober;
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
