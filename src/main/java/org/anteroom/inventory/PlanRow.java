package org.anteroom.inventory;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A deletion plan and how far it is.
 *
 * @param free bytes that were asked for
 * @param expires when it may no longer be started
 * @param ended when it was done, or null
 * @param promised all its items
 * @param condemned those that wait for the end of their grace, or for their deletion
 * @param freed those whose copy is gone and whose bytes are given back
 * @param skipped those that were left alone, for a reason
 * @param failed those that could not be deleted, for a reason
 */
public record PlanRow(
        long id,
        long volumeId,
        String strategy,
        long free,
        PlanState state,
        Instant created,
        Instant expires,
        @Nullable Instant ended,
        Tally promised,
        Tally condemned,
        Tally freed,
        Tally skipped,
        Tally failed) {

    /**
     * A number of copies and their bytes.
     */
    public record Tally(long copies, long bytes) {}

    /** Items that were not looked at yet. */
    public Tally pending() {
        return new Tally(
                promised.copies - condemned.copies - freed.copies - skipped.copies - failed.copies,
                promised.bytes - condemned.bytes - freed.bytes - skipped.bytes - failed.bytes);
    }
}
