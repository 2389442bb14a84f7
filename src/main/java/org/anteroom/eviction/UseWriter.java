package org.anteroom.eviction;

import java.time.Duration;
import java.util.List;
import org.anteroom.inventory.Use;
import org.anteroom.inventory.UseLog;
import org.anteroom.inventory.UseStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of uses: it brings those that are collected in memory into the inventory, in batches.
 *
 * <p>A reader may use a copy for as long as its instance trusts the location. The use of one that was condemned meanwhile
 * must be written before the grace is over, or else the copy is not rescued: so the period is shorter than the grace
 * less that trust.
 */
public final class UseWriter {
    private static final Logger log = LoggerFactory.getLogger(UseWriter.class);

    private static final Duration LONGEST_PERIOD = Duration.ofSeconds(20);
    private static final int BATCH = 500;

    private final UseLog uses;
    private final UseStore store;
    private final Duration period;

    /**
     * A writer that does nothing until it is asked.
     *
     * @param locationTtl how long a location is trusted
     * @param grace how long a condemned copy stays; longer than the trust
     */
    public UseWriter(UseLog uses, UseStore store, Duration locationTtl, Duration grace, Metrics metrics) {
        this.uses = uses;
        this.store = store;
        this.period = period(locationTtl, grace);
        metrics.gauge("anteroom_uses_waiting", "Copies whose uses are in memory", uses::size);
        metrics.gauge("anteroom_uses_limit", "The most copies whose uses are kept in memory", () -> UseLog.LIMIT);
    }

    /** Every 20 s, or twice in the time between the end of the trust and the end of the grace, if that is short. */
    static Duration period(Duration locationTtl, Duration grace) {
        Duration between = grace.minus(locationTtl);
        if (between.isNegative() || between.isZero()) {
            throw new IllegalArgumentException("the grace of condemned copies (" + grace
                    + ") must be longer than locations are trusted (" + locationTtl + ")");
        }
        Duration half = between.dividedBy(2);
        return half.compareTo(LONGEST_PERIOD) < 0 ? half : LONGEST_PERIOD;
    }

    /** Writes again and again. */
    public void schedule(Tasks tasks) {
        tasks.every("uses", period, this::flush);
    }

    /** Writes what is there; what could not be written is kept for the next time. To be called once more at the end. */
    public void flush() {
        List<Use> taken = uses.drain();
        for (int from = 0; from < taken.size(); from += BATCH) {
            List<Use> batch = taken.subList(from, Math.min(from + BATCH, taken.size()));
            try {
                store.record(batch);
            } catch (DatabaseException e) {
                uses.restore(taken.subList(from, taken.size()));
                log.debug("The uses of {} copies are not recorded yet: {}", taken.size() - from, e.getMessage());
                return;
            }
        }
    }
}
