package org.anteroom.inventory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.anteroom.model.FileFacts;
import org.jdbi.v3.core.Handle;

/**
 * The transaction that claims the first fill of the queue.
 *
 * <p>Rows that somebody else is about to claim are left to him. As in {@link Beginning}, the row of the fill comes before
 * everything else, and the counters of one volume are changed at most, but for wishes for plans, in the order of all.
 */
final class Claiming {

    private record Due(long id, String objid, long size, long epoch, boolean wanted, Duration waited) {}

    private Claiming() {}

    /**
     * Claims.
     *
     * @param copyName the name of the copy to be
     */
    static ClaimResult claim(Handle handle, Claimant by, String copyName, RetryPolicy policy) {
        Optional<Due> first = due(handle);
        if (first.isEmpty()) {
            return new ClaimResult.Nothing();
        }
        Due due = first.get();
        FileFacts facts = new FileFacts(due.size(), null, null, null, null);
        NewFill fill = new NewFill(due.objid(), facts, copyName, by.owner(), by.lease(), by.volumes());
        if (!Beginning.cached(handle, fill).isEmpty()) {
            end(handle, due, FillState.DONE, FillReasons.CACHED);
            return new ClaimResult.Cached(due.objid());
        }
        List<Long> candidates = by.candidates().apply(due.size());
        Optional<Long> epoch = Beginning.take(handle, due.id(), due.epoch());
        if (epoch.isEmpty()) {
            // it is locked by the query, so this cannot be; where it is, somebody else has it
            return new ClaimResult.Nothing();
        }
        Optional<Long> volume = Beginning.place(handle, fill, candidates);
        return volume.isPresent()
                ? new ClaimResult.Claimed(
                        Beginning.run(handle, fill, due.id(), epoch.get(), volume.get())
                                .ticket(),
                        due.objid(),
                        due.size())
                : noRoom(handle, due, fill, candidates, policy);
    }

    private static Optional<Due> due(Handle handle) {
        return handle.createQuery("""
                        SELECT id, objid, size, epoch, wanted, <now> - created AS waited FROM fills
                        WHERE state = 'queued' AND next_at <= <now> ORDER BY next_at, id LIMIT 1 <skip_locked>""")
                .map((row, context) -> new Due(
                        row.getLong("id"),
                        row.getString("objid"),
                        row.getLong("size"),
                        row.getLong("epoch"),
                        row.getInt("wanted") == 1,
                        Duration.ofMillis(Math.max(0, row.getLong("waited")))))
                .findOne();
    }

    /** It waits for room, if anybody asked for it and it has not waited for too long; a plan is asked for. */
    private static ClaimResult noRoom(Handle handle, Due due, NewFill fill, List<Long> candidates, RetryPolicy policy) {
        String reason = candidates.isEmpty() ? FillReasons.NO_VOLUME : FillReasons.NO_ROOM;
        boolean waits = due.wanted() && due.waited().compareTo(policy.roomWait()) < 0;
        if (waits) {
            Duration delay =
                    policy.forRoom(due.waited(), ThreadLocalRandom.current().nextDouble());
            handle.createUpdate("UPDATE fills SET next_at = <now> + :delay, reason = :reason WHERE id = :id")
                    .bind("delay", delay.toMillis())
                    .bind("reason", reason)
                    .bind("id", due.id())
                    .execute();
        } else {
            end(handle, due, FillState.FAILED, reason);
        }
        var unused = Beginning.noRoom(handle, fill, candidates);
        return new ClaimResult.NoRoom(due.objid(), waits);
    }

    private static void end(Handle handle, Due due, FillState state, String reason) {
        handle.createUpdate("UPDATE fills SET state = :state, reason = :reason, ended = <now> WHERE id = :id")
                .bind("state", state.text())
                .bind("reason", reason)
                .bind("id", due.id())
                .execute();
    }
}
