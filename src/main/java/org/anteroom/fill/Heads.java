package org.anteroom.fill;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.inventory.HeadStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.tasks.Tasks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest versions of datasets in memory, in front of the inventory and the archive: from keys that name no version to
 * those that copies have.
 *
 * <p>The protocol is that of locations. {@link #resolve} reads memory alone. What is older than the time to live is still
 * used and refreshed in the background, from the archive, once however many ask; a refresh that fails leaves it in use. Only
 * what is not in memory waits, in {@link #lookup}: first for the inventory, which has what the archive told last, and is
 * used whatever its age, with a refresh at once; then, if it knows nothing or does not answer in time, for the archive. So
 * hits survive the loss of either.
 *
 * <p>Where the archive has no versions, keys are what they are, and nothing is asked or kept.
 */
public final class Heads {
    private static final Logger log = LoggerFactory.getLogger(Heads.class);

    private static final int KEPT = 100_000;
    private static final Duration RETRY_AFTER_FAILURE = Duration.ofSeconds(5);
    private static final Duration WRITE_WAIT = Duration.ofSeconds(10);

    private static final class Entry {
        final @Nullable String version;
        final AtomicBoolean refreshing = new AtomicBoolean();
        volatile long staleAt;

        Entry(@Nullable String version, long staleAt) {
            this.version = version;
            this.staleAt = staleAt;
        }
    }

    /**
     * What came of a lookup.
     *
     * @param waited for the inventory
     */
    private record Answer(Entry entry, Duration waited) {}

    /**
     * A key that copies have.
     *
     * @param waited how long that took the inventory
     */
    public record Resolved(FileKey key, Duration waited) {}

    private final ArchiveGate archive;
    private final HeadStore store;
    private final Duration lookupTimeout;
    private final Executor executor;
    private final BooleanSupplier permitted;
    private final Tasks tasks;
    private final Ticker ticker;
    private final long ttlNanos;
    private final Cache<String, Entry> entries;
    private final ConcurrentMap<String, CompletableFuture<Answer>> lookups = new ConcurrentHashMap<>();

    /**
     * Heads of an archive.
     *
     * @param ttl how long the archive's word is trusted
     * @param lookupTimeout the longest that somebody waits for the inventory
     * @param executor bounded; reads and writes the inventory, may reject
     * @param permitted whether this instance may change anything; asked before each change
     */
    public Heads(
            ArchiveGate archive,
            HeadStore store,
            Duration ttl,
            Duration lookupTimeout,
            Executor executor,
            BooleanSupplier permitted,
            Tasks tasks,
            Ticker ticker) {
        this.archive = archive;
        this.store = store;
        this.lookupTimeout = lookupTimeout;
        this.executor = executor;
        this.permitted = permitted;
        this.tasks = tasks;
        this.ticker = ticker;
        this.ttlNanos = ttl.toNanos();
        this.entries = Caffeine.newBuilder().maximumSize(KEPT).build();
        tasks.metrics().gauge("anteroom_heads", "Datasets whose newest version is in memory", entries::estimatedSize);
        tasks.metrics().gauge("anteroom_heads_limit", "The most newest versions kept in memory", () -> KEPT);
    }

    /** The key that copies have, if that is known without waiting; null if it is not. Costs no SQL. */
    public @Nullable FileKey resolve(FileKey key) {
        if (isResolved(key.version())) {
            return spelled(key);
        }
        Entry entry = get(key.dataset());
        return entry == null ? null : with(key, entry);
    }

    /** The same, after waiting; completes with a FailureException if nobody can tell, or there is no such dataset. */
    public CompletableFuture<Resolved> lookup(FileKey key) {
        return isResolved(key.version())
                ? CompletableFuture.completedFuture(new Resolved(spelled(key), Duration.ZERO))
                : lookup(key.dataset()).thenApply(answer -> new Resolved(with(key, answer.entry), answer.waited));
    }

    /** The same for a folder. */
    public CompletableFuture<FolderKey> lookup(FolderKey key) {
        return isResolved(key.version())
                ? CompletableFuture.completedFuture(spelled(key))
                : lookup(key.dataset())
                        .thenApply(answer -> answer.entry.version == null
                                ? key
                                : new FolderKey(key.dataset(), key.path(), answer.entry.version));
    }

    /** The key with its version, if it names one, in the one spelling that keys have; however somebody wrote it. */
    public FileKey spelled(FileKey key) {
        String version = key.version();
        String canonical = version == null ? null : archive.canonicalVersion(version);
        return Objects.equals(canonical, version) ? key : new FileKey(key.dataset(), key.path(), canonical);
    }

    private FolderKey spelled(FolderKey key) {
        String version = key.version();
        String canonical = version == null ? null : archive.canonicalVersion(version);
        return Objects.equals(canonical, version) ? key : new FolderKey(key.dataset(), key.path(), canonical);
    }

    private boolean isResolved(@Nullable String version) {
        return version != null || !archive.hasVersions();
    }

    private static FileKey with(FileKey key, Entry entry) {
        return entry.version == null ? key : new FileKey(key.dataset(), key.path(), entry.version);
    }

    private @Nullable Entry get(String dataset) {
        Entry entry = entries.getIfPresent(dataset);
        if (entry != null && ticker.read() - entry.staleAt >= 0 && entry.refreshing.compareAndSet(false, true)) {
            refresh(dataset, entry);
        }
        return entry;
    }

    private CompletableFuture<Answer> lookup(String dataset) {
        Entry known = get(dataset);
        if (known != null) {
            return CompletableFuture.completedFuture(new Answer(known, Duration.ZERO));
        }
        CompletableFuture<Answer> mine = new CompletableFuture<>();
        CompletableFuture<Answer> running = lookups.putIfAbsent(dataset, mine);
        if (running != null) {
            return running.copy();
        }
        long begun = ticker.read();
        try {
            var unused = askInventory(dataset)
                    .thenAccept(row -> {
                        Duration waited = Duration.ofNanos(ticker.read() - begun);
                        if (row.isPresent()) {
                            // the archive is asked at once, but nobody waits for it
                            settle(dataset, new Answer(new Entry(row.get().version(), ticker.read()), waited), mine);
                            get(dataset);
                        } else {
                            askArchive(dataset, waited, mine);
                        }
                    })
                    .whenComplete((asked, failure) -> failIf(failure, dataset, mine));
        } catch (RuntimeException | Error e) {
            failIf(e, dataset, mine);
        }
        return mine.copy();
    }

    /** Nobody is to wait for an answer that will not come; without effect on one that has. */
    private void failIf(@Nullable Throwable failure, String dataset, CompletableFuture<Answer> mine) {
        if (failure != null) {
            lookups.remove(dataset, mine);
            mine.completeExceptionally(ArchiveGate.failure(failure));
        }
    }

    private void settle(String dataset, Answer answer, CompletableFuture<Answer> mine) {
        entries.put(dataset, answer.entry);
        lookups.remove(dataset, mine);
        mine.complete(answer);
    }

    /** What the inventory knows; nothing if it does not answer in time. */
    private CompletableFuture<Optional<HeadStore.Head>> askInventory(String dataset) {
        CompletableFuture<Optional<HeadStore.Head>> row = new CompletableFuture<>();
        var timeout = tasks.after(lookupTimeout, () -> row.complete(Optional.empty()));
        var unused = row.whenComplete((found, failure) -> timeout.cancel(false));
        try {
            executor.execute(() -> {
                try {
                    row.complete(store.find(dataset, lookupTimeout));
                } catch (DatabaseException | RuntimeException e) {
                    log.debug("the newest version of {} is not known to the inventory", dataset, e);
                    row.complete(Optional.empty());
                }
            });
        } catch (RejectedExecutionException e) {
            row.complete(Optional.empty());
        }
        return row;
    }

    private void askArchive(String dataset, Duration waited, CompletableFuture<Answer> mine) {
        var unused = archive.newest(dataset)
                .thenAccept(version -> {
                    Entry entry = new Entry(version.orElse(null), ticker.read() + ttlNanos);
                    settle(dataset, new Answer(entry, waited), mine);
                    keep(dataset, entry.version);
                })
                .whenComplete((told, failure) -> failIf(failure, dataset, mine));
    }

    private void refresh(String dataset, Entry entry) {
        var unused = archive.newest(dataset).whenComplete((version, failure) -> {
            if (failure == null) {
                Entry fresh = new Entry(version.orElse(null), ticker.read() + ttlNanos);
                if (entries.asMap().replace(dataset, entry, fresh) && !Objects.equals(fresh.version, entry.version)) {
                    keep(dataset, fresh.version);
                }
            } else if (ArchiveGate.failure(failure).reason() == FailureReason.NOT_FOUND) {
                entries.asMap().remove(dataset, entry);
                write(dataset, () -> store.remove(dataset, WRITE_WAIT));
            } else {
                entry.staleAt = ticker.read() + Math.min(ttlNanos, RETRY_AFTER_FAILURE.toNanos());
                entry.refreshing.set(false);
            }
        });
    }

    private void keep(String dataset, @Nullable String version) {
        write(dataset, () -> store.put(dataset, version, WRITE_WAIT));
    }

    /** A change of the inventory. */
    private interface Change {
        void make() throws DatabaseException;
    }

    /** In the background; what is not written is asked of the archive again by whoever needs it. */
    private void write(String dataset, Change change) {
        if (!permitted.getAsBoolean()) {
            return;
        }
        try {
            executor.execute(() -> {
                try {
                    change.make();
                } catch (DatabaseException | RuntimeException e) {
                    log.debug("the newest version of {} is not kept", dataset, e);
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("the newest version of {} is not kept: too much waits", dataset, e);
        }
    }
}
