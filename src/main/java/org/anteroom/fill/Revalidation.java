package org.anteroom.fill;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.prometheus.metrics.core.metrics.Counter;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.anteroom.archive.Archive;
import org.anteroom.inventory.CondemnedBy;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.CopyStore;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares copies that are read with the archive once they are older than a period, in the background.
 *
 * <p>It sees the rows whenever the memory of a location is refreshed, which hits bring about and do not wait for; so it costs
 * them nothing, and a file nobody reads is not asked for. Where the archive says something else than when the copy was made,
 * or lacks the file, the copy is condemned: other instances send readers there until their memory of the location is too old.
 * Who reads it goes on. An archive that does not answer changes nothing, and is asked again at the next refresh.
 *
 * <p>Each instance remembers for itself what it has compared, {@value #REMEMBERED} files at most.
 */
public final class Revalidation {
    static final int REMEMBERED = 100_000;

    private static final int THREADS = 2;
    private static final int WAITING = 1000;

    private static final Logger log = LoggerFactory.getLogger(Revalidation.class);

    private final Duration period;
    private final Archive archive;
    private final CopyStore copies;
    private final Consumer<String> forget;
    private final BooleanSupplier permitted;
    private final InstantSource clock;
    private final @Nullable ExecutorService threads;
    /** Files that were compared within the period, or are being. */
    private final Cache<String, Boolean> compared;

    private final Counter ended;

    /**
     * Nothing was compared yet.
     *
     * @param period zero: nothing ever is
     * @param archive bounded in time
     * @param forget is told the key of a file whose location is not to be used any more
     * @param permitted whether this instance may change anything; asked before each comparison and each change
     */
    public Revalidation(
            Duration period,
            Archive archive,
            CopyStore copies,
            Consumer<String> forget,
            BooleanSupplier permitted,
            Tasks tasks,
            InstantSource clock,
            Ticker ticker,
            Metrics metrics) {
        this.period = period;
        this.archive = archive;
        this.copies = copies;
        this.forget = forget;
        this.permitted = permitted;
        this.clock = clock;
        this.threads = period.isZero() ? null : tasks.pool("revalidate", THREADS, WAITING);
        this.compared = Caffeine.newBuilder()
                .maximumSize(REMEMBERED)
                .expireAfterWrite(period)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
        this.ended = metrics.counter(
                "anteroom_revalidations",
                "Files whose copies were compared with the archive, by what came of it",
                "result");
    }

    /** Looks at the copies of a file that are being read, and begins to compare them if it is time. Does not wait. */
    public void seen(String objid, List<CopyRow> rows) {
        ExecutorService pool = threads;
        if (pool == null || !permitted.getAsBoolean()) {
            return;
        }
        Instant due = clock.instant().minus(period);
        List<CopyRow> old =
                rows.stream().filter(row -> !row.filledAt().isAfter(due)).toList();
        if (old.isEmpty() || compared.asMap().putIfAbsent(objid, true) != null) {
            return;
        }
        try {
            pool.execute(() -> compare(objid, old));
        } catch (RejectedExecutionException e) {
            log.debug("{} is compared later: too many wait for it", objid, e);
            compared.invalidate(objid);
        }
    }

    private void compare(String objid, List<CopyRow> old) {
        boolean done = false;
        try {
            FileFacts now = head(objid);
            List<CopyRow> changed = old.stream()
                    .filter(row -> now == null || !now.sameContent(row.facts()))
                    .toList();
            for (CopyRow copy : changed) {
                if (permitted.getAsBoolean() && copies.condemn(copy.id(), CondemnedBy.CHANGED)) {
                    log.info(
                            "Copy {} of {} is condemned: {}",
                            copy.name(),
                            objid,
                            now == null
                                    ? "the archive has no such file any more"
                                    : "the file has changed in the archive");
                }
            }
            if (!changed.isEmpty()) {
                forget.accept(objid);
            }
            ended.labelValues(changed.isEmpty() ? "same" : now == null ? "gone" : "changed")
                    .inc();
            done = true;
        } catch (IOException e) {
            ended.labelValues("failed").inc();
            log.debug("{} could not be compared with the archive: {}", objid, e.getMessage());
        } finally {
            if (!done) {
                compared.invalidate(objid);
            }
        }
    }

    /** What the archive says; null if it lacks the file. */
    private @Nullable FileFacts head(String objid) throws IOException {
        try {
            return archive.head(FileKey.parse(objid));
        } catch (FailureException e) {
            if (e.reason() == FailureReason.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }
}
