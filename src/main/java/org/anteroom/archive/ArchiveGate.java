package org.anteroom.archive;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.anteroom.archive.BoundedCalls.Question;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.tasks.Tasks;
import org.jspecify.annotations.Nullable;

/**
 * The archive as everyone but its own implementation uses it: never asked more than so much at once, never waited for
 * longer than so long, and not asked again for what it has just said.
 *
 * <p>Every blocking call for files runs on {@link ArchiveSettings#concurrency()} threads, which people and the background
 * share ({@link SharedPool}). {@link #probe()} has a thread of its own, and folders are read on {@value #LIST_THREADS} of
 * their own, since one may take long and files are not to wait behind it. What is asked
 * past the bounds is OVERLOADED, an answer that takes too long ARCHIVE_TIMEOUT; time begins when the call is handed in.
 * Timeouts are found by {@link #watch()}, so that they are late by its period at most.
 *
 * <p>Refused is what begins: a question, a stream at its first read, or a listing. The queues have room for one step of
 * everything that was admitted, so that nothing is ended for a crowd that came after it. While the archive does nothing but
 * fail, what begins is ARCHIVE_AWAY without asking it ({@link Breaker}); a read that broke off is gone on with at its offset
 * ({@link Resumption}).
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

    /** The background has one in so many of the threads. */
    private static final int BACKGROUND_SHARE = 4;

    private final Archive archive;
    private final ArchiveSettings settings;
    private final Ticker ticker;
    private final SharedPool pool;
    private final ArchiveMetrics metrics;
    private final BoundedCalls calls;
    private final BoundedCalls lists;
    private final BoundedCalls furtherLists;
    private final Pulse pulse;
    private final int mostStreams;
    private final AtomicInteger streams = new AtomicInteger();
    private final Answers<FileKey, FileFacts> files;
    private final Answers<FolderKey, Boolean> folders;
    private final Answers<String, Optional<String>> newest;
    private final ReadyStreams ready;
    private final Set<Rest> resting = ConcurrentHashMap.newKeySet();
    private volatile boolean closing;

    /** A broken read that waits for its next attempt. */
    private record Rest(GatedStream stream, GatedStream.Step step, long due) {}

    /**
     * A gate before an archive.
     *
     * @param clock for the times that are shown
     * @param ticker for the durations that are measured
     */
    public ArchiveGate(Archive archive, ArchiveSettings settings, Tasks tasks, InstantSource clock, Ticker ticker) {
        this.archive = archive;
        this.settings = settings;
        this.ticker = ticker;
        int threads = settings.concurrency();
        int questions = threads + threads * WAITING_PER_THREAD;
        this.mostStreams = Math.max(LEAST_STREAMS, threads * STREAMS_PER_THREAD);
        this.pool = new SharedPool(
                tasks.pool("archive", threads, threads),
                threads,
                Math.max(1, threads / BACKGROUND_SHARE),
                questions + mostStreams + RESERVE);
        int listThreads = Math.min(threads, LIST_THREADS);
        int listQuestions = listThreads + LISTS_WAITING;
        ExecutorService listPool = tasks.pool("archive-list", listThreads, listQuestions + MOST_LISTINGS);
        this.metrics = new ArchiveMetrics(tasks.metrics());
        Breaker breaker = new Breaker(ticker);
        metrics.show(tasks.metrics(), threads, listThreads, streams::get, mostStreams);
        metrics.show(tasks.metrics(), pool, breaker);
        BoundedCalls.Threads shared = (question, call) -> pool.execute(question.traffic(), question.begins(), call);
        this.calls = new BoundedCalls(shared, questions, breaker, metrics, metrics.inUse(), ticker);
        BoundedCalls.Threads listing = (question, call) -> listPool.execute(call);
        this.lists = new BoundedCalls(listing, listQuestions, breaker, metrics, metrics.listsInUse(), ticker);
        this.furtherLists = new BoundedCalls(listing, MOST_LISTINGS, breaker, metrics, metrics.listsInUse(), ticker);
        this.pulse = new Pulse(archive, probeTimeout(), breaker, tasks, metrics, clock, ticker);
        Duration foundTtl = min(settings.headTtl(), LONGEST_HEAD_MEMORY);
        this.files = new Answers<>(foundTtl, settings.missingTtl(), ticker);
        this.folders = new Answers<>(foundTtl, settings.missingTtl(), ticker);
        this.newest = new Answers<>(foundTtl, settings.missingTtl(), ticker);
        this.ready = new ReadyStreams(threads, ticker);
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
        return files.get(key, () -> ask(key));
    }

    /**
     * The same for somebody who will read the file from its beginning: where that is a question of its own, it is asked at
     * once, and who opens the file within {@link ReadyStreams#KEPT} has its bytes without asking again.
     */
    public CompletableFuture<FileFacts> headToRead(FileKey key) {
        return files.get(
                key,
                () -> ready.hasRoom()
                        ? calls.submit(Question.of("head", key), settings.firstByteTimeout(), new Learning(key))
                        : ask(key));
    }

    /**
     * The same for work that can wait: never refused for a crowd, and after people who wait.
     *
     * @param reads whether the file will be read from its beginning
     */
    CompletableFuture<FileFacts> headInBackground(FileKey key, boolean reads) {
        CompletableFuture<FileFacts> known = files.known(key);
        if (known != null) {
            return known;
        }
        CompletableFuture<FileFacts> answer = new CompletableFuture<>();
        Question question = new Question("head", key, Traffic.BACKGROUND, true);
        BoundedCalls.Work<FileFacts> work = reads && ready.hasRoom() ? new Learning(key) : () -> archive.head(key);
        calls.step(question, settings.firstByteTimeout(), answer, work);
        return answer;
    }

    private CompletableFuture<FileFacts> ask(FileKey key) {
        return calls.submit(Question.of("head", key), settings.firstByteTimeout(), () -> archive.head(key));
    }

    /** Asks for a file's facts in the way that brings its bytes along, if there is one. */
    private final class Learning implements BoundedCalls.Work<FileFacts> {
        private final FileKey key;
        private @Nullable OpenedFile opened;

        Learning(FileKey key) {
            this.key = key;
        }

        @Override
        public FileFacts run() throws IOException {
            OpenedFile file = archive.openNew(key);
            opened = file;
            return file == null ? archive.head(key) : file.facts();
        }

        @Override
        public void delivered(FileFacts facts) {
            ArchiveStream unused = opened == null ? null : ready.put(key, opened);
            if (unused != null) {
                GatedStream.closeQuietly(unused);
            }
        }

        @Override
        public void abandoned() {
            if (opened != null) {
                GatedStream.closeQuietly(opened.stream());
            }
        }
    }

    /** Whether a far position of a file is come to without reading what lies before; a read of memory. */
    public boolean canSeek(FileKey key, FileFacts facts) {
        return facts.hasSize() && archive.canSeek(key, facts);
    }

    /** Whether a file may be gone on with at an offset, since it can be told that it is still the same one. */
    boolean canResume(FileKey key, FileFacts facts) {
        return facts.etag() != null && canSeek(key, facts) && !archive.verifies(facts);
    }

    /** Whether a stream of the file verifies it, as {@link Archive#verifies} has it. */
    public boolean verifies(FileFacts facts) {
        return archive.verifies(facts);
    }

    /** Whether datasets may have versions. */
    public boolean hasVersions() {
        return archive.hasVersions();
    }

    /** A version as keys name it, as {@link Archive#canonicalVersion} has it. */
    public String canonicalVersion(String text) {
        return archive.canonicalVersion(text);
    }

    /**
     * The newest version of a dataset, empty if its files have none; asked like a file's {@link #head}, and remembered as
     * long.
     *
     * @return completes with the version or with a FailureException (see {@link #failure})
     */
    public CompletableFuture<Optional<String>> newest(String dataset) {
        if (!archive.hasVersions()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return newest.get(
                dataset,
                () -> calls.submit(
                        Question.of("newest", dataset), settings.firstByteTimeout(), () -> archive.newest(dataset)));
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
                () -> calls.submit(Question.of("folder", folder), settings.firstByteTimeout(), () -> {
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
        CompletableFuture<FolderPage> page = lists.submit(
                Question.of("list", folder), settings.firstByteTimeout(), () -> archive.list(folder, after, limit));
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
        return furtherLists.submit(
                new Question("list", folder, Traffic.PEOPLE, false),
                settings.firstByteTimeout(),
                () -> archive.list(folder, after, limit));
    }

    /**
     * A file's bytes, for passing them through. Nothing is asked of the archive before the first read.
     *
     * @param expected the facts that the reader goes by; if the file is no longer that one, reading fails with FILE_CHANGED
     * @param offset the position to begin at
     */
    public AsyncArchiveStream open(FileKey key, FileFacts expected, long offset) {
        return stream(() -> Traffic.PEOPLE, key, expected, offset, mostStreams, READER_CHUNK);
    }

    /** The same for a reader who has begun elsewhere: not refused for the number of those who read already. */
    public AsyncArchiveStream resume(FileKey key, FileFacts expected, long offset) {
        return stream(() -> Traffic.PEOPLE, key, expected, offset, mostStreams + RESERVE, READER_CHUNK);
    }

    /** A stream for a fill. */
    GatedStream streamForFill(Supplier<Traffic> traffic, FileKey key, FileFacts expected, long offset) {
        return stream(traffic, key, expected, offset, mostStreams + RESERVE, FILL_CHUNK);
    }

    private GatedStream stream(
            Supplier<Traffic> traffic, FileKey key, FileFacts expected, long offset, int most, int chunk) {
        return new GatedStream(this, traffic, key, expected, offset, most, chunk);
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

    /** The file that was opened to learn of it, if it is the one that is meant. Does not block. */
    @Nullable
    ArchiveStream takeReady(FileKey key, FileFacts expected) {
        OpenedFile file = ready.take(key);
        if (file == null || file.facts().sameContent(expected)) {
            return file == null ? null : file.stream();
        }
        GatedStream.closeElsewhere(this, file.stream());
        return null;
    }

    /** Opens a file on the archive's own thread. */
    ArchiveStream openInner(FileKey key, FileFacts expected, long offset) throws IOException {
        ArchiveStream opened = offset == 0 ? takeReady(key, expected) : null;
        if (opened != null) {
            return opened;
        }
        try {
            return archive.open(key, expected, offset);
        } catch (FailureException e) {
            forget(key);
            throw e;
        }
    }

    /**
     * The same archive under the same bounds, for threads that may wait and somebody waits for, such as those of fills that
     * readers began.
     */
    public Archive blocking() {
        return new BlockingArchive(this, () -> Traffic.PEOPLE, false);
    }

    /** The same for work that can wait: it has a quarter of the calls at most, and people who wait come first. */
    public Archive background() {
        return new BlockingArchive(this, () -> Traffic.BACKGROUND, false);
    }

    /**
     * The same for work that reads the files it asks about, as {@link #headToRead}, and that somebody may begin to wait for.
     *
     * @param awaited whether somebody does; asked before each call, so it must be cheap
     */
    public Archive background(BooleanSupplier awaited) {
        return new BlockingArchive(this, () -> awaited.getAsBoolean() ? Traffic.PEOPLE : Traffic.BACKGROUND, true);
    }

    /** Forgets what was said of a file: the next question goes to the archive. */
    public void forget(FileKey key) {
        files.forget(key);
        folders.forget(FolderKey.of(key));
    }

    /** What the last probe found, and whether the archive is asked at all; a read of memory. */
    public ArchiveHealth health() {
        return pulse.health();
    }

    /** Ends the wait for every call whose time is up, and goes on with reads that broke off. Never blocks on the archive. */
    public void watch() {
        calls.expire();
        lists.expire();
        furtherLists.expire();
        pulse.watch();
        long now = ticker.read();
        resting.forEach(rest -> {
            if (now - rest.due() >= 0 && resting.remove(rest)) {
                metrics.resumed();
                rest.stream().goOn(rest.step());
            }
        });
        ready.expired().forEach(unused -> GatedStream.closeElsewhere(this, unused));
    }

    /** Has a broken read wait; false if there is no more waiting. */
    boolean rest(GatedStream stream, GatedStream.Step step, Duration time) {
        Rest rest = new Rest(stream, step, ticker.read() + time.toNanos());
        resting.add(rest);
        // who closes looks at those that rest after it has said so
        return !closing || !resting.remove(rest);
    }

    /** Asks whether the archive answers and notes it for {@link #health()}. Does not wait; never piles up. */
    public void probe() {
        pulse.probe();
    }

    CompletableFuture<Boolean> askWhetherThere() {
        return calls.submit(new Question("probe", "probe", Traffic.PEOPLE, false), probeTimeout(), () -> {
            archive.probe();
            return true;
        });
    }

    private Duration probeTimeout() {
        return min(settings.firstByteTimeout(), LONGEST_PROBE);
    }

    /**
     * Ends the wait for every call with NOT_READY, and closes the archive; what is running ends by itself. The pool belongs to
     * the tasks.
     */
    @Override
    public void close() {
        closing = true;
        FailureException stopping = new FailureException(FailureReason.NOT_READY, "The service is stopping.");
        calls.failAll(stopping);
        lists.failAll(stopping);
        furtherLists.failAll(stopping);
        pulse.close(stopping);
        resting.forEach(rest -> {
            if (resting.remove(rest)) {
                rest.stream().giveUp(rest.step(), stopping);
            }
        });
        ready.close().forEach(GatedStream::closeQuietly);
        archive.close();
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

    /** A step of a stream that was admitted. */
    void submitStep(
            FileKey key,
            Traffic traffic,
            boolean begins,
            boolean first,
            CompletableFuture<Integer> future,
            BoundedCalls.Work<Integer> step) {
        Question question = new Question(first ? "open" : "read", key, traffic, begins);
        calls.step(question, first ? settings.firstByteTimeout() : settings.stallTimeout(), future, step);
    }

    FailureException refused() {
        return calls.refused("open");
    }

    /** Runs something short on a thread for the archive. */
    void execute(Runnable work) {
        pool.execute(Traffic.PEOPLE, false, work);
    }

    ExecutorService prober() {
        return pulse.prober();
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
