package org.anteroom.inventory;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jdbi.v3.core.Handle;

/** How fills come back into the queue. */
final class Requeue {
    private static final int PAGE = 500;

    private Requeue() {}

    /**
     * Queues fills whose owners were lost under rows of their own, in the transaction that ended them: the old rows stay,
     * since files of theirs may be left. Those that were begun too often are not: they may be what ends their owners.
     */
    static void successors(Handle handle, List<Long> lost, RetryPolicy policy) {
        for (int from = 0; from < lost.size(); from += PAGE) {
            handle.createUpdate("""
                            INSERT INTO fills (objid, state, size, attempts, instance, boot, epoch, created, next_at, wanted,
                                bulk)
                            SELECT objid, 'queued', size, attempts, instance, boot, 0, created, <now>, wanted, bulk
                            FROM fills WHERE id IN (<ids>) AND attempts < :most ORDER BY id
                            ON CONFLICT (objid) WHERE state IN ('queued', 'running') DO NOTHING""")
                    .bindList("ids", lost.subList(from, Math.min(from + PAGE, lost.size())))
                    .bind("most", policy.attempts())
                    .execute();
        }
    }

    /**
     * Ends one's own fill, of which no file is left: it goes back into the queue if somebody asked for it and it is worth
     * it, else it has failed. False if it was lost before.
     *
     * @param size of the file, as is known now
     */
    static boolean fail(Handle handle, FillTicket ticket, Owner owner, String reason, long size, RetryPolicy policy) {
        record Fill(long size, int attempts, boolean wanted) {}
        Fill fill = FillStore.mine(
                        handle.createQuery("SELECT size, attempts, wanted FROM fills" + FillStore.MINE), ticket, owner)
                .map((row, context) -> new Fill(row.getLong("size"), row.getInt("attempts"), row.getInt("wanted") == 1))
                .findOne()
                .orElse(null);
        if (fill == null) {
            return false;
        }
        FillFailure failure = FillFailure.of(reason);
        boolean counts = failure != FillFailure.STOPPED && failure != FillFailure.BUSY;
        boolean again = switch (failure) {
            case GONE, REFUSED, WRONG_BYTES -> false;
            case TRANSIENT -> fill.wanted() && fill.attempts() < policy.attempts();
            case NO_SPACE, BUSY, STOPPED -> fill.wanted();
        };
        long delay = failure != FillFailure.STOPPED
                ? policy.afterFailure(
                                fill.attempts(), ThreadLocalRandom.current().nextDouble())
                        .toMillis()
                : 0;
        String change = again
                ? "state = 'queued', volume_id = NULL, bytes = 0, size = :size, attempts = attempts - :uncounted,"
                        + " next_at = <now> + :delay"
                : "state = 'failed', ended = <now>";
        var update = FillStore.mine(
                        handle.createUpdate("UPDATE fills SET " + change
                                + ", reason = :reason, name = NULL, expires = NULL" + FillStore.MINE),
                        ticket,
                        owner)
                .bind("reason", reason);
        if (again) {
            update.bind("size", size < 0 ? fill.size() : size)
                    .bind("uncounted", counts ? 0 : 1)
                    .bind("delay", delay);
        }
        if (update.execute() == 0) {
            return false;
        }
        VolumeStore.unreserve(handle, ticket.volumeId(), fill.size());
        return true;
    }
}
