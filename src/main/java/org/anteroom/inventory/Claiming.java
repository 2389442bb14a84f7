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
 * <p>What the claimant has no room for is left as it is when another instance would take it, and what fits here comes next.
 * Only where nobody would, the fill waits for room, or has failed.
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
        Optional<Due> first = due(handle, by, Long.MAX_VALUE);
        if (first.isEmpty()) {
            return new ClaimResult.Nothing();
        }
        Due due = first.get();
        Optional<ClaimResult> result = attempt(handle, due, fill(due, by, copyName), by);
        if (result.isPresent()) {
            return result.get();
        }
        if (!Offers.othersTake(handle, by.owner(), due.size())) {
            return noRoom(handle, due, fill(due, by, copyName), by.candidates().apply(due.size()), policy);
        }
        return due(handle, by, Offers.largest(handle, by))
                .flatMap(next -> attempt(handle, next, fill(next, by, copyName), by))
                .orElseGet(ClaimResult.Nothing::new);
    }

    private static NewFill fill(Due due, Claimant by, String copyName) {
        FileFacts facts = new FileFacts(due.size(), null, null, null, null);
        return new NewFill(due.objid(), facts, copyName, by.owner(), by.lease(), by.volumes());
    }

    /** Claims one; empty if there is no room for it here, and nothing of it is changed. */
    private static Optional<ClaimResult> attempt(Handle handle, Due due, NewFill fill, Claimant by) {
        if (!Beginning.cached(handle, fill).isEmpty()) {
            end(handle, due, FillState.DONE, FillReasons.CACHED);
            return Optional.of(new ClaimResult.Cached(due.objid()));
        }
        // the row is locked by the query that found it, or by there being one writer
        Optional<Long> volume = Beginning.place(handle, fill, by.candidates().apply(due.size()));
        if (volume.isEmpty()) {
            return Optional.empty();
        }
        long epoch = Beginning.take(handle, due.id(), due.epoch())
                .orElseThrow(() -> new IllegalStateException("a locked row was taken by somebody else"));
        FillTicket ticket =
                Beginning.run(handle, fill, due.id(), epoch, volume.get()).ticket();
        return Optional.of(new ClaimResult.Claimed(ticket, due.objid(), due.size()));
    }

    /** The first that is due, of so many bytes at most; of one line, or if that has none, of the other. */
    private static Optional<Due> due(Handle handle, Claimant by, long largest) {
        int line = by.datasetsFirst() ? 1 : 0;
        return due(handle, line, largest).or(() -> due(handle, 1 - line, largest));
    }

    private static Optional<Due> due(Handle handle, int bulk, long largest) {
        return handle.createQuery("""
                        SELECT id, objid, size, epoch, wanted, <now> - created AS waited FROM fills
                        WHERE state = 'queued' AND bulk = :bulk AND next_at <= <now> AND size <= :largest
                        ORDER BY next_at, id LIMIT 1 <skip_locked>""")
                .bind("bulk", bulk)
                .bind("largest", largest)
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
