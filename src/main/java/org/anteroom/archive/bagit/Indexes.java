package org.anteroom.archive.bagit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The indexes of all bags: made when a bag is asked for the first time, kept in a folder, and made again when the bag has
 * changed or the index is lost.
 *
 * <p>A bag is indexed once, however many ask; {@link #AT_ONCE} bags at a time. Who comes while that goes on waits until it has
 * taken {@link #PATIENCE}, and is refused from then on: a big bag must not keep all threads from the others.
 */
final class Indexes {
    /** How many bags are indexed at once. */
    static final int AT_ONCE = 4;

    /** How long somebody waits for an index that another one makes. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(Indexes.class);

    /** The least time of indexing that is worth a line in the log. */
    private static final Duration LONG = Duration.ofSeconds(1);

    private static final long SORTED_BYTES = 8 * 1024 * 1024;
    private static final int HEADERS_IN_MEMORY = 10_000;
    private static final int BLOCKS_IN_MEMORY = 2048;
    private static final int FAILURES_IN_MEMORY = 1000;
    private static final Duration FAILURE_TTL = Duration.ofMinutes(1);

    private final IndexFolder folder;
    private final Bags bags;
    private final Disk disk;
    private final Ticker ticker;
    private final long sortedBytes;
    private final Semaphore permits = new Semaphore(AT_ONCE);
    private final Cache<Path, BagIndex> headers;
    private final Cache<BagIndex.Place, byte[]> blocks;
    private final Cache<Path, FailureException> failures;
    private final ConcurrentMap<Path, Running> running = new ConcurrentHashMap<>();

    /** An indexing under way. */
    private record Running(CompletableFuture<BagIndex> index, long begun) {}

    Indexes(IndexFolder folder, Bags bags, Disk disk, Ticker ticker) {
        this(folder, bags, disk, ticker, SORTED_BYTES);
    }

    /**
     * Indexes.
     *
     * @param sortedBytes of a bag's records in memory while it is indexed
     */
    Indexes(IndexFolder folder, Bags bags, Disk disk, Ticker ticker, long sortedBytes) {
        this.folder = folder;
        this.bags = bags;
        this.disk = disk;
        this.ticker = ticker;
        this.sortedBytes = sortedBytes;
        this.headers = Caffeine.newBuilder()
                .maximumSize(HEADERS_IN_MEMORY)
                .executor(Runnable::run)
                .build();
        this.blocks = Caffeine.newBuilder()
                .maximumSize(BLOCKS_IN_MEMORY)
                .executor(Runnable::run)
                .build();
        this.failures = Caffeine.newBuilder()
                .maximumSize(FAILURES_IN_MEMORY)
                .expireAfterWrite(FAILURE_TTL)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** A question to an index. */
    interface Question<T> {
        T ask(BagIndex.Reader reader) throws IOException;
    }

    /** Asks the index of a bag, which is made for that if there is none. */
    <T> T ask(Bag bag, Question<T> question) throws IOException {
        BagIndex index = index(bag);
        try {
            return ask(index, question);
        } catch (LostIndexException e) {
            // unless another one has made it again
            if (headers.asMap().remove(index.path(), index)) {
                log.warn("The index of {} is lost and made again: {}", bag.path(), e.getMessage());
                folder.delete(index.path());
            }
            return ask(index(bag), question);
        }
    }

    private static <T> T ask(BagIndex index, Question<T> question) throws IOException {
        try (BagIndex.Reader reader = index.reader()) {
            return question.ask(reader);
        }
    }

    private BagIndex index(Bag bag) throws IOException {
        Path path = folder.file(bag);
        BagIndex known = headers.getIfPresent(path);
        if (known != null) {
            return known;
        }
        FailureException failure = failures.getIfPresent(path);
        if (failure != null) {
            throw failure;
        }
        Running mine = new Running(new CompletableFuture<>(), ticker.read());
        Running other = running.putIfAbsent(path, mine);
        return other == null ? indexFor(mine, bag, path) : await(other);
    }

    private BagIndex indexFor(Running mine, Bag bag, Path path) throws IOException {
        try {
            BagIndex index = loadOrMake(bag, path);
            headers.put(path, index);
            running.remove(path);
            mine.index.complete(index);
            return index;
        } catch (IOException | RuntimeException | Error e) {
            running.remove(path);
            mine.index.completeExceptionally(e);
            throw e;
        }
    }

    private BagIndex await(Running other) throws IOException {
        long left = PATIENCE.toNanos() - (ticker.read() - other.begun);
        try {
            return other.index.get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw busy();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a bag was indexed", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure
                    ? failure
                    : new IOException("indexing failed", e.getCause());
        }
    }

    private static FailureException busy() {
        return new FailureException(
                FailureReason.OVERLOADED, "The bag that holds the file is being indexed; try again in a while.");
    }

    private BagIndex loadOrMake(Bag bag, Path path) throws IOException {
        if (Files.exists(path)) {
            try {
                BagIndex index = BagIndex.load(path, bag.identity(), blocks);
                folder.touch(path);
                return index;
            } catch (LostIndexException e) {
                log.warn("The index of {} is made again: {}", bag.path(), e.getMessage());
            }
        }
        try {
            if (!permits.tryAcquire(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                throw busy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted before a bag was indexed", e);
        }
        try {
            return make(bag, path);
        } finally {
            permits.release();
        }
    }

    private BagIndex make(Bag bag, Path path) throws IOException {
        long begun = ticker.read();
        Path temporary = folder.temporary();
        try {
            try (IndexWriter out = new IndexWriter(temporary);
                    Sorter sorter = new Sorter(folder.temporary(), sortedBytes)) {
                build(bag, path, sorter, out);
            }
            if (!bags.isStill(bag)) {
                throw Damage.changed();
            }
            folder.keep(temporary, bag);
        } catch (IOException | RuntimeException e) {
            folder.delete(temporary);
            throw e;
        }
        BagIndex index = BagIndex.load(path, bag.identity(), blocks);
        Duration taken = Duration.ofNanos(ticker.read() - begun);
        if (taken.compareTo(LONG) >= 0) {
            log.info("Indexed {} in {} s: {} files", bag.path(), taken.toSeconds(), index.entries());
        }
        return index;
    }

    private void build(Bag bag, Path path, Sorter sorter, IndexWriter out) throws IOException {
        try {
            new IndexBuilder(bag, disk, sorter).build(out);
        } catch (FailureException e) {
            // the bag's own fault, which stays as long as the bag
            failures.put(path, e);
            throw e;
        }
    }
}
