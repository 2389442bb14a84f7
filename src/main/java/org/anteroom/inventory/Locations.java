package org.anteroom.inventory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;

/**
 * Locations of files in memory, in front of the inventory: what makes a hit cost no SQL.
 *
 * <p>The protocol. {@link #get} reads memory alone. An entry older than the time to live is still used and refreshed in
 * the background, once however many ask; a refresh that fails leaves it in use, so that hits survive the loss of the
 * database. Only a file that is not in memory waits for SQL, in {@link #lookup}: one statement for all who ask at the
 * same time. That a file is absent is not remembered, so that a copy made by another instance is found by the next
 * request. A stale entry can name a copy that is gone, never a wrong one, since names of copies are not used twice.
 *
 * <p>A change that this instance makes ({@link #put}, {@link #forget}) wins over a refresh that began before it: each
 * entry is replaced by identity, and a lookup under way is discarded by {@link #forget}.
 *
 * @param <H> what is derived from a file's facts once and kept beside them
 */
public final class Locations<H> {
    private static final Duration RETRY_AFTER_FAILURE = Duration.ofSeconds(5);

    /** Finds the cached copies of a file, newest first; one indexed statement. */
    @FunctionalInterface
    public interface Finder {
        /** The rows in state cached, or an empty list. */
        List<CopyRow> find(String objid) throws DatabaseException;
    }

    private static final class Entry<H> {
        final Located<H> located;
        final AtomicBoolean refreshing = new AtomicBoolean();
        volatile long staleAt;

        Entry(Located<H> located, long staleAt) {
            this.located = located;
            this.staleAt = staleAt;
        }
    }

    private final Cache<String, Entry<H>> entries;
    private final ConcurrentMap<String, CompletableFuture<@Nullable Located<H>>> lookups = new ConcurrentHashMap<>();
    private final Finder finder;
    private final BiFunction<String, FileFacts, H> derive;
    private final Executor executor;
    private final Ticker ticker;
    private final long ttlNanos;
    private final CounterDataPoint refreshed;
    private final CounterDataPoint refreshFailed;
    private final CounterDataPoint lookedUp;

    /**
     * Locations over an inventory.
     *
     * @param derive from objid and facts to what is kept beside them
     * @param executor bounded; runs lookups and refreshes, may reject
     */
    public Locations(
            InventorySettings settings,
            Finder finder,
            BiFunction<String, FileFacts, H> derive,
            Executor executor,
            Ticker ticker,
            Metrics metrics) {
        this.finder = finder;
        this.derive = derive;
        this.executor = executor;
        this.ticker = ticker;
        this.ttlNanos = settings.locationTtl().toNanos();
        this.entries = Caffeine.newBuilder().maximumSize(settings.locationMax()).build();
        Counter reads = metrics.counter(
                "anteroom_location_reads",
                "Reads of the inventory for locations: lookups, refreshes, failures",
                "kind");
        this.refreshed = reads.labelValues("refresh");
        this.refreshFailed = reads.labelValues("refresh-failed");
        this.lookedUp = reads.labelValues("lookup");
        metrics.gauge("anteroom_locations", "Files whose location is in memory", entries::estimatedSize);
        metrics.gauge("anteroom_locations_limit", "The most locations kept in memory", settings::locationMax);
    }

    /** The file's location if it is in memory. Costs no SQL and waits for nobody. */
    public @Nullable Located<H> get(String objid) {
        Entry<H> entry = entries.getIfPresent(objid);
        if (entry == null) {
            return null;
        }
        if (ticker.read() - entry.staleAt >= 0 && entry.refreshing.compareAndSet(false, true)) {
            refresh(objid, entry);
        }
        return entry.located;
    }

    /**
     * The file's location from memory or the inventory; null when it has no cached copy. Completes exceptionally with a
     * DatabaseException when the inventory cannot tell, or RejectedExecutionException when too many ask.
     */
    public CompletableFuture<@Nullable Located<H>> lookup(String objid) {
        Located<H> known = get(objid);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        CompletableFuture<@Nullable Located<H>> mine = new CompletableFuture<>();
        CompletableFuture<@Nullable Located<H>> running = lookups.putIfAbsent(objid, mine);
        if (running != null) {
            return running;
        }
        try {
            executor.execute(() -> load(objid, mine));
        } catch (RejectedExecutionException e) {
            lookups.remove(objid, mine);
            mine.completeExceptionally(e);
        }
        return mine;
    }

    /** Remembers copies that are known to exist, such as one just made. Rows of older content are left out. */
    public @Nullable Located<H> put(String objid, List<CopyRow> rows) {
        Located<H> located = located(objid, rows);
        if (located != null) {
            entries.put(objid, new Entry<>(located, ticker.read() + ttlNanos));
        }
        return located;
    }

    /** Forgets a file, so that its next reader asks the inventory. */
    public void forget(String objid) {
        entries.asMap().compute(objid, (key, present) -> {
            lookups.remove(key);
            return null;
        });
    }

    private void load(String objid, CompletableFuture<@Nullable Located<H>> mine) {
        try {
            lookedUp.inc();
            List<CopyRow> rows = finder.find(objid);
            Located<H> located = located(objid, rows);
            // atomic with forget(): if that was called meanwhile, what was read may be older than the change
            entries.asMap().compute(objid, (key, present) -> {
                boolean current = lookups.remove(key, mine);
                return present != null || !current || located == null
                        ? present
                        : new Entry<>(located, ticker.read() + ttlNanos);
            });
            mine.complete(located);
        } catch (DatabaseException | RuntimeException e) {
            lookups.remove(objid, mine);
            mine.completeExceptionally(e);
        }
    }

    private void refresh(String objid, Entry<H> entry) {
        try {
            executor.execute(() -> {
                try {
                    Located<H> located = located(objid, finder.find(objid));
                    refreshed.inc();
                    if (located == null) {
                        entries.asMap().remove(objid, entry);
                    } else {
                        entries.asMap().replace(objid, entry, new Entry<>(located, ticker.read() + ttlNanos));
                    }
                } catch (DatabaseException | RuntimeException e) {
                    postpone(entry);
                }
            });
        } catch (RejectedExecutionException e) {
            postpone(entry);
        }
    }

    private void postpone(Entry<H> entry) {
        refreshFailed.inc();
        entry.staleAt = ticker.read() + Math.min(ttlNanos, RETRY_AFTER_FAILURE.toNanos());
        entry.refreshing.set(false);
    }

    private @Nullable Located<H> located(String objid, List<CopyRow> rows) {
        if (rows.isEmpty()) {
            return null;
        }
        FileFacts facts = rows.get(0).facts();
        List<CopyRow> same =
                rows.stream().filter(row -> row.facts().sameContent(facts)).toList();
        return new Located<>(objid, facts, same, derive.apply(objid, facts));
    }
}
