package org.anteroom.inventory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.anteroom.inventory.PlanRow.Tally;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Deletion plans: their items, and how they are carried out. */
public final class PlanStore {
    private static final int PAGE = 500;

    private static final String COLUMNS =
            "id, volume_id, strategy, free, state, created, expires, ended, copies, bytes,"
                    + " condemned_copies, condemned_bytes, freed_copies, freed_bytes, skipped_copies, skipped_bytes,"
                    + " failed_copies, failed_bytes";

    private static final RowMapper<PlanRow> PLANS = (row, context) -> new PlanRow(
            row.getLong("id"),
            row.getLong("volume_id"),
            row.getString("strategy"),
            row.getLong("free"),
            PlanState.parse(row.getString("state")),
            Instant.ofEpochMilli(row.getLong("created")),
            Instant.ofEpochMilli(row.getLong("expires")),
            Rows.time(row, "ended"),
            new Tally(row.getLong("copies"), row.getLong("bytes")),
            new Tally(row.getLong("condemned_copies"), row.getLong("condemned_bytes")),
            new Tally(row.getLong("freed_copies"), row.getLong("freed_bytes")),
            new Tally(row.getLong("skipped_copies"), row.getLong("skipped_bytes")),
            new Tally(row.getLong("failed_copies"), row.getLong("failed_bytes")));

    private static final RowMapper<PlanItem> ITEMS = (row, context) -> new PlanItem(
            row.getLong("plan_id"),
            row.getLong("position"),
            row.getLong("copy_id"),
            row.getString("objid"),
            row.getLong("size"),
            ItemState.parse(row.getString("state")),
            row.getString("reason"));

    private final Database database;
    private final Duration wait;

    /**
     * Plans in a database.
     *
     * @param wait how long a transaction may wait for the database in all
     */
    public PlanStore(Database database, Duration wait) {
        this.database = database;
        this.wait = wait;
    }

    /** The cached copies of a volume that are older than the age, the longest unused first, read by index in pages. */
    public CandidateSource leastRecentlyUsed(long volumeId, Duration minAge) {
        return new LeastRecentlyUsed(database, wait, volumeId, minAge);
    }

    /**
     * Makes a plan of the first candidates that together free what is asked for; fewer when there are no more. It is
     * written in several short transactions and proposed when it is whole.
     *
     * @param lease the role of the one who plans for the volume
     * @return empty if the lease was lost
     */
    public Optional<PlanRow> create(Lease lease, NewPlan plan, CandidateSource candidates) throws DatabaseException {
        Optional<Long> id = database.write("begin-plan", wait, handle -> insert(handle, lease, plan));
        if (id.isEmpty()) {
            return Optional.empty();
        }
        long planId = id.get();
        long position = 0;
        long bytes = 0;
        while (bytes < plan.free()) {
            List<Candidate> page = new ArrayList<>();
            for (Candidate candidate : candidates.next(PAGE)) {
                if (bytes < plan.free()) {
                    page.add(candidate);
                    bytes += candidate.size();
                }
            }
            if (page.isEmpty()) {
                break;
            }
            long first = position + 1;
            if (!database.write("add-to-plan", wait, handle -> add(handle, lease, planId, first, page))) {
                return Optional.empty();
            }
            position += page.size();
        }
        return database.write("propose-plan", wait, handle -> propose(handle, lease, planId));
    }

    private static Optional<Long> insert(Handle handle, Lease lease, NewPlan plan) {
        if (!LeaseStore.held(handle, lease)) {
            return Optional.empty();
        }
        return Optional.of(handle.createQuery("""
                        INSERT INTO plans (volume_id, strategy, free, state, created, expires)
                        VALUES (:volume, :strategy, :free, 'making', <now>, <now> + :expiry) RETURNING id""")
                .bind("volume", plan.volumeId())
                .bind("strategy", plan.strategy())
                .bind("free", plan.free())
                .bind("expiry", plan.expiry().toMillis())
                .mapTo(Long.class)
                .one());
    }

    private static boolean add(Handle handle, Lease lease, long planId, long first, List<Candidate> page) {
        if (!LeaseStore.held(handle, lease)) {
            return false;
        }
        long sum = page.stream().mapToLong(Candidate::size).sum();
        int changed = handle.createUpdate("""
                        UPDATE plans SET copies = copies + :copies, bytes = bytes + :bytes
                        WHERE id = :plan AND state = 'making'""")
                .bind("copies", page.size())
                .bind("bytes", sum)
                .bind("plan", planId)
                .execute();
        if (changed == 0) {
            return false;
        }
        try (PreparedBatch batch = handle.prepareBatch("""
                INSERT INTO plan_items (plan_id, position, copy_id, objid, size, state)
                VALUES (:plan, :position, :copy, :objid, :size, 'pending')""")) {
            long position = first;
            for (Candidate candidate : page) {
                batch.bind("plan", planId)
                        .bind("position", position++)
                        .bind("copy", candidate.copyId())
                        .bind("objid", candidate.objid())
                        .bind("size", candidate.size())
                        .add();
            }
            batch.execute();
        }
        return true;
    }

    private static Optional<PlanRow> propose(Handle handle, Lease lease, long planId) {
        if (!LeaseStore.held(handle, lease)) {
            return Optional.empty();
        }
        return handle.createQuery("UPDATE plans SET state = 'proposed' WHERE id = :plan AND state = 'making' RETURNING "
                        + COLUMNS)
                .bind("plan", planId)
                .map(PLANS)
                .findOne();
    }

    /** One plan. */
    public Optional<PlanRow> get(long planId) throws DatabaseException {
        return database.read(
                "get-plan",
                wait,
                handle -> handle.createQuery("SELECT " + COLUMNS + " FROM plans WHERE id = :plan")
                        .bind("plan", planId)
                        .map(PLANS)
                        .findOne());
    }

    /** The plan that is being carried out in a volume. */
    public Optional<PlanRow> running(long volumeId) throws DatabaseException {
        return database.read(
                "running-plan",
                wait,
                handle -> handle.createQuery(
                                "SELECT " + COLUMNS + " FROM plans WHERE volume_id = :volume AND state = 'running'")
                        .bind("volume", volumeId)
                        .map(PLANS)
                        .findOne());
    }

    /**
     * Items by position.
     *
     * @param after the position to go on after, or 0
     */
    public List<PlanItem> items(long planId, long after, int limit) throws DatabaseException {
        return database.read(
                "plan-items",
                wait,
                handle -> handle.createQuery("""
                        SELECT plan_id, position, copy_id, objid, size, state, reason FROM plan_items
                        WHERE plan_id = :plan AND position > :after ORDER BY position LIMIT :limit""")
                        .bind("plan", planId)
                        .bind("after", after)
                        .bind("limit", limit)
                        .map(ITEMS)
                        .list());
    }

    /**
     * Starts a proposed plan or resumes a stopped one. One without open items is done at once.
     *
     * @param lease the role of the one who carries out plans in the volume
     * @return false if the lease is lost, if the plan is in another state or expired, or if the volume has another running
     *     plan
     */
    public boolean start(Lease lease, long planId) throws DatabaseException {
        return database.write("start-plan", wait, handle -> {
            if (!LeaseStore.held(handle, lease)) {
                return false;
            }
            int changed = handle.createUpdate("""
                            UPDATE plans SET state = 'running'
                            WHERE id = :plan AND (state = 'stopped' OR (state = 'proposed' AND expires > <now>))
                                AND NOT EXISTS (SELECT 1 FROM plans o
                                    WHERE o.volume_id = plans.volume_id AND o.state = 'running')""").bind("plan", planId).execute();
            PlanItems.finish(handle, planId);
            return changed == 1;
        });
    }

    /** Stops a running plan; what it condemned still goes. */
    public boolean stop(long planId) throws DatabaseException {
        return database.write(
                "stop-plan",
                wait,
                handle ->
                        handle.createUpdate("UPDATE plans SET state = 'stopped' WHERE id = :plan AND state = 'running'")
                                        .bind("plan", planId)
                                        .execute()
                                == 1);
    }

    /** Drops a plan that does not run, with its items. */
    public boolean drop(long planId) throws DatabaseException {
        boolean ended = database.write(
                "drop-plan",
                wait,
                handle -> handle.createUpdate("""
                                UPDATE plans SET state = 'expired', ended = COALESCE(ended, <now>)
                                WHERE id = :plan AND state <> 'running'""").bind("plan", planId).execute() == 1);
        if (!ended) {
            return false;
        }
        // nothing starts it any more, so that its items can go in several transactions
        int items;
        do {
            items = database.write("drop-plan-items", wait, handle -> dropSome(handle, planId));
        } while (items == PAGE);
        return true;
    }

    private static int dropSome(Handle handle, long planId) {
        int items = handle.createUpdate("""
                        DELETE FROM plan_items WHERE plan_id = :plan AND position IN (SELECT position FROM plan_items
                            WHERE plan_id = :plan ORDER BY position LIMIT :limit)""")
                .bind("plan", planId)
                .bind("limit", PAGE)
                .execute();
        if (items < PAGE) {
            // somebody else may drop it, too, and its items be fewer here only because they are his at the moment
            handle.createUpdate("""
                            DELETE FROM plans WHERE id = :plan AND state = 'expired'
                                AND NOT EXISTS (SELECT 1 FROM plan_items i WHERE i.plan_id = plans.id)""").bind("plan", planId).execute();
        }
        return items;
    }

    /** Lets plans expire that were not started in time, or never finished being made; how many. */
    public int expire() throws DatabaseException {
        return database.write(
                "expire-plans",
                wait,
                handle -> handle.createUpdate("UPDATE plans SET state = 'expired', ended = <now>"
                                + " WHERE id IN (SELECT id FROM plans WHERE state IN ('making', 'proposed')"
                                + " AND expires <= <now> ORDER BY expires <skip_locked>)")
                        .execute());
    }

    /** Drops plans that ended longer ago; how many, at most the limit. */
    public int pruneEnded(Duration olderThan, int limit) throws DatabaseException {
        List<Long> old = database.read(
                "old-plans",
                wait,
                handle -> handle.createQuery("""
                        SELECT id FROM plans
                        WHERE ended IS NOT NULL AND ended <= <now> - :age ORDER BY ended LIMIT :limit""")
                        .bind("age", olderThan.toMillis())
                        .bind("limit", limit)
                        .mapTo(Long.class)
                        .list());
        int dropped = 0;
        for (Long planId : old) {
            dropped += drop(planId) ? 1 : 0;
        }
        return dropped;
    }

    /**
     * Condemns the copies of the next pending items; those that are no longer cached or were used since the plan was
     * made are skipped. A plan without open items is done.
     *
     * @param lease the role of the one who carries out plans in the volume
     * @return empty if the lease is lost or the plan does not run
     */
    public Optional<PlanStep> condemnNext(Lease lease, long planId, int limit) throws DatabaseException {
        return database.write("condemn-next", wait, handle -> Condemning.next(handle, lease, planId, limit));
    }

    /** Notes that a condemned copy could not be deleted. Should that work later, the item is freed all the same. */
    public boolean itemFailed(long copyId, String reason) throws DatabaseException {
        return database.write(
                "plan-item-failed", wait, handle -> PlanItems.settle(handle, copyId, ItemState.FAILED, reason));
    }
}
