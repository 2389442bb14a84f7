package org.anteroom.inventory;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FileFacts;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.EmptyHandling;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * The fills: the single flight of the fleet, the reservations, and the leases on them.
 *
 * <p>A running fill has its bytes reserved in one volume; a queued one reserves nothing and names no volume.
 */
public final class FillStore {
    static final String MINE =
            " WHERE id = :id AND epoch = :epoch AND instance = :instance AND boot = :boot" + " AND state = 'running'";

    /**
     * That the owner of a fill may be at work: its lease has not run out; or it is the one who asks; or it is another
     * instance that has lost the fill only lately, and may not know yet. Earlier boots of the same instance are dead.
     */
    private static final String AT_WORK = "((state = 'running' AND expires > <now>)"
            + " OR (instance = :instance AND boot = :boot)"
            + " OR (instance <> :instance AND COALESCE(ended, expires) > <now> - :unaware))";

    private static final int MOST_TRIES = 20;

    private static final Duration UNAWARE = Duration.ofMinutes(10);

    private static final int USUAL_ATTEMPTS = 6;

    private final Database database;
    private final Duration wait;
    private final RetryPolicy policy;

    /**
     * Fills in a database, begun as often as is usual.
     *
     * @param wait how long a call may wait for the database in all, unless it is told otherwise
     */
    public FillStore(Database database, Duration wait) {
        this(database, wait, RetryPolicy.of(USUAL_ATTEMPTS));
    }

    /** Fills in a database, with a policy for those that somebody asked for and that fail, and for those that are lost. */
    public FillStore(Database database, Duration wait, RetryPolicy policy) {
        this.database = database;
        this.wait = wait;
        this.policy = policy;
    }

    /**
     * Begins a fill if one is needed, nobody runs it, and there is room; in one transaction, before which a fill whose owner
     * was not heard of for too long is ended in another one.
     *
     * <p>Copies count that the asking instance can read: in shared volumes and in its own, unless they are offline. One
     * that eviction condemned is rescued instead of filling again.
     *
     * @param candidates the volumes that may take it, the best first
     * @param late is given a result that came when the time was up and this call had failed; it must be quick
     */
    public BeginResult begin(NewFill fill, List<Long> candidates, Duration wait, Consumer<BeginResult> late)
            throws DatabaseException {
        long deadline = System.nanoTime() + wait.toNanos();
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            Optional<BeginResult> result = database.write(
                    "begin-fill",
                    left,
                    handle -> Beginning.begin(handle, fill, candidates, policy),
                    begun -> begun.ifPresent(late));
            if (result.isPresent()) {
                return result.get();
            }
        }
        throw new IllegalStateException("fills of the file were lost again and again");
    }

    /**
     * Keeps a fill for another lease, from now.
     *
     * @param bytes how many are written
     * @return false if it is lost
     */
    public boolean renew(FillTicket ticket, Owner owner, Duration lease, long bytes) throws DatabaseException {
        return renew(ticket, owner, lease, bytes, wait);
    }

    /** The same for one who waits no longer than that. */
    public boolean renew(FillTicket ticket, Owner owner, Duration lease, long bytes, Duration wait)
            throws DatabaseException {
        return database.write(
                "renew-fill",
                wait,
                handle -> mine(
                                        handle.createUpdate("UPDATE fills SET expires = <now> + :lease, bytes = :bytes"
                                                + MINE + " AND expires > <now>"),
                                        ticket,
                                        owner)
                                .bind("lease", lease.toMillis())
                                .bind("bytes", bytes)
                                .execute()
                        == 1);
    }

    /** Whether nobody has taken a running fill from its owner, be its lease over or not. */
    public boolean holds(FillTicket ticket, Owner owner) throws DatabaseException {
        return database.read(
                "fill-held",
                wait,
                handle -> mine(handle.createQuery("SELECT 1 FROM fills" + MINE), ticket, owner)
                        .mapTo(Integer.class)
                        .findOne()
                        .isPresent());
    }

    /**
     * Ends a fill whose copy is durable under its name: the copy gets its row, what was reserved is used, and suspect
     * copies of the file are condemned.
     *
     * @return empty if the fill is lost or the volume has a cached copy already: the owner removes the file that it made
     */
    public Optional<CopyRow> complete(FillTicket ticket, Owner owner, FileFacts facts) throws DatabaseException {
        return database.write("complete-fill", wait, handle -> complete(handle, ticket, owner, facts));
    }

    private static Optional<CopyRow> complete(Handle handle, FillTicket ticket, Owner owner, FileFacts facts) {
        record Fill(long volumeId, String objid, String name, long size) {}
        Optional<Fill> ended = mine(
                        handle.createQuery(
                                "UPDATE fills SET state = 'done', bytes = :bytes, expires = NULL, ended = <now>" + MINE
                                        + " AND expires > <now> RETURNING volume_id, objid, name, size"),
                        ticket,
                        owner)
                .bind("bytes", facts.size())
                .map((row, context) -> new Fill(
                        row.getLong("volume_id"), row.getString("objid"), row.getString("name"), row.getLong("size")))
                .findOne();
        if (ended.isEmpty()) {
            return Optional.empty();
        }
        Fill fill = ended.get();
        Optional<Long> copyId = Rows.bindFacts(handle.createQuery("""
                                INSERT INTO copies (volume_id, objid, name, size, sha256, etag, content_type,
                                    modified_seconds, modified_nanos, state, since, filled_at, verified_at)
                                VALUES (:volume, :objid, :name, :size, :sha256, :etag, :content_type,
                                    :modified_seconds, :modified_nanos, 'cached', <now>, <now>, <now>)
                                ON CONFLICT (objid, volume_id) WHERE state = 'cached' DO NOTHING
                                RETURNING id"""), facts)
                .bind("volume", fill.volumeId())
                .bind("objid", fill.objid())
                .bind("name", fill.name())
                .mapTo(Long.class)
                .findOne();
        if (copyId.isEmpty()) {
            // one was rescued meanwhile
            handle.createUpdate("UPDATE fills SET state = 'failed', reason = :reason WHERE id = :id")
                    .bind("reason", "the volume has a copy already")
                    .bind("id", ticket.fillId())
                    .execute();
            VolumeStore.unreserve(handle, fill.volumeId(), fill.size());
            return Optional.empty();
        }
        CopyRow copy = added(handle, copyId.get(), fill.objid());
        // the volume last, since everybody else's fills wait for that row
        VolumeStore.copyAdded(handle, fill.volumeId(), fill.size(), facts.size());
        return Optional.of(copy);
    }

    /** What a new copy brings with it. */
    private static CopyRow added(Handle handle, long copyId, String objid) {
        handle.createUpdate("""
                        UPDATE copies SET state = 'condemned', condemned_by = :by, since = <now>
                        WHERE id IN (SELECT id FROM copies WHERE objid = :objid AND state = 'suspect'
                            ORDER BY id <for_update>)""")
                .bind("by", CondemnedBy.FAILED_CHECK.text())
                .bind("objid", objid)
                .execute();
        handle.createUpdate("""
                        INSERT INTO copy_use (copy_id, volume_id, last_use, uses)
                        SELECT id, volume_id, filled_at, 0 FROM copies WHERE id = :id""").bind("id", copyId).execute();
        return handle.createQuery("SELECT " + Rows.COPY + " FROM copies c WHERE c.id = :id")
                .bind("id", copyId)
                .map(Rows.copies())
                .one();
    }

    /**
     * Ends a fill without a copy, of which no file is left, and gives its bytes back. If somebody asked for it, it goes back
     * into the queue as its {@link FillFailure} says.
     *
     * @param reason see {@link FillReasons}
     * @return false if it was lost before
     */
    public boolean fail(FillTicket ticket, Owner owner, String reason) throws DatabaseException {
        return fail(ticket, owner, reason, FileFacts.UNKNOWN_SIZE);
    }

    /** The same for a file that turned out to have another size. */
    public boolean fail(FillTicket ticket, Owner owner, String reason, long size) throws DatabaseException {
        // Also after the lease ran out, as long as nobody else took the fill: then the bytes are back sooner.
        return database.write("fail-fill", wait, handle -> Requeue.fail(handle, ticket, owner, reason, size, policy));
    }

    /** Ends the queued and running fills of a file; how many. Their owners find out later. */
    public int cancel(String objid) throws DatabaseException {
        return database.write(
                "cancel-fills",
                wait,
                handle -> end(
                        handle,
                        ending(
                                        handle,
                                        " WHERE objid = :objid AND state IN ('queued', 'running')",
                                        "the file was deleted")
                                .bind("objid", objid)));
    }

    /** Ends one queued or running fill. */
    public boolean cancel(long fillId) throws DatabaseException {
        return database.write(
                "cancel-fill",
                wait,
                handle -> end(
                                handle,
                                ending(handle, " WHERE id = :id AND state IN ('queued', 'running')", "cancelled")
                                        .bind("id", fillId))
                        == 1);
    }

    /** Ends what earlier boots of the same instance left running, to be begun anew; how many. */
    public int releaseEarlierBoots(Owner current) throws DatabaseException {
        return database.write(
                "release-earlier-fills",
                wait,
                handle -> lose(
                        handle,
                        ending(
                                        handle,
                                        " WHERE id IN (SELECT id FROM fills WHERE instance = :instance AND boot <> :boot"
                                                + " AND state = 'running' ORDER BY id <for_update>)",
                                        "the instance was started anew")
                                .bind("instance", current.instance())
                                .bind("boot", current.boot())));
    }

    /**
     * Ends running fills whose lease has run out, to be begun anew; how many.
     *
     * @param asking who asks; an owner that is alive ends by itself what it is still at
     * @param atWork the fills that it is at
     */
    public int releaseExpired(Owner asking, Collection<Long> atWork) throws DatabaseException {
        List<Long> spared = new ArrayList<>(atWork);
        // a list of none would be no list
        spared.add(-1L);
        return database.write(
                "release-expired-fills",
                wait,
                handle -> lose(
                        handle,
                        ending(
                                        handle,
                                        // what another instance is about to end is left to it
                                        " WHERE id IN (SELECT id FROM fills WHERE expires <= <now> AND state = 'running'"
                                                + " AND (instance <> :instance OR boot <> :boot OR id NOT IN (<spared>))"
                                                + " ORDER BY id <skip_locked>)",
                                        "its owner was not heard of any more")
                                .bind("instance", asking.instance())
                                .bind("boot", asking.boot())
                                .bindList("spared", spared)));
    }

    /**
     * Whether that owner of a fill may still be at work; if not, its temporary file is dead.
     *
     * @param asking whose fills count as at work, even lost ones, since it removes their files itself
     */
    public boolean alive(long fillId, long epoch, Owner asking) throws DatabaseException {
        return database.read(
                "fill-alive",
                wait,
                handle -> asking(
                                handle.createQuery(
                                        "SELECT 1 FROM fills WHERE id = :id AND epoch = :epoch AND " + AT_WORK),
                                asking)
                        .bind("id", fillId)
                        .bind("epoch", epoch)
                        .mapTo(Integer.class)
                        .findOne()
                        .isPresent());
    }

    /**
     * Fills of a volume that were taken from their owners, who are not at work any more: a temporary file of theirs may be
     * left, and a file under the copy's name. They are given again until they are {@link #cleaned}.
     *
     * @param asking whose own fills are left out, since it removes their files itself
     */
    public List<FillTicket> leftovers(long volumeId, Owner asking, int limit) throws DatabaseException {
        return database.read(
                "fill-leftovers",
                wait,
                handle -> asking(handle.createQuery("""
                                SELECT id, epoch, volume_id, name FROM fills
                                WHERE volume_id = :volume AND state = 'failed' AND name IS NOT NULL AND NOT\s""" + AT_WORK + " ORDER BY id LIMIT :limit"), asking)
                        .bind("volume", volumeId)
                        .bind("limit", limit)
                        .map((row, context) -> ticket(row))
                        .list());
    }

    /**
     * Fills that name a copy and belong to an owner: running, or ended by others while it knew of nothing. Some of them it
     * may have begun without learning of it.
     */
    public List<FillTicket> named(Owner owner, Collection<Long> volumes) throws DatabaseException {
        return database.read(
                "named-fills",
                wait,
                handle -> handle.createQuery("""
                        SELECT id, epoch, volume_id, name FROM fills
                        WHERE instance = :instance AND boot = :boot AND state = 'running'
                        UNION ALL
                        SELECT id, epoch, volume_id, name FROM fills
                        WHERE instance = :instance AND boot = :boot AND state = 'failed' AND name IS NOT NULL
                            AND volume_id IN (<volumes>)""")
                        .bind("instance", owner.instance())
                        .bind("boot", owner.boot())
                        .bindList(EmptyHandling.NULL_KEYWORD, "volumes", List.copyOf(volumes))
                        .map((row, context) -> ticket(row))
                        .list());
    }

    private static FillTicket ticket(ResultSet row) throws SQLException {
        return new FillTicket(row.getLong("id"), row.getLong("epoch"), row.getLong("volume_id"), row.getString("name"));
    }

    /** Notes that nothing is left of a fill that failed. */
    public boolean cleaned(FillTicket ticket) throws DatabaseException {
        return database.write(
                "fill-cleaned",
                wait,
                handle -> handle.createUpdate(
                                        "UPDATE fills SET name = NULL WHERE id = :id AND epoch = :epoch AND state = 'failed'")
                                .bind("id", ticket.fillId())
                                .bind("epoch", ticket.epoch())
                                .execute()
                        == 1);
    }

    /** Whether the copy that a fill was to make has its row, in whatever state: then its file is no leftover. */
    public boolean stored(FillTicket ticket) throws DatabaseException {
        return database.read(
                "fill-stored",
                wait,
                handle -> handle.createQuery("SELECT 1 FROM copies WHERE volume_id = :volume AND name = :name")
                        .bind("volume", ticket.volumeId())
                        .bind("name", ticket.name())
                        .mapTo(Integer.class)
                        .findOne()
                        .isPresent());
    }

    /** Whether a running fill is about to give that name to its copy: such a file without a row is no stray. */
    public boolean expects(long volumeId, String copyName) throws DatabaseException {
        return database.read(
                "fill-expects",
                wait,
                handle -> handle.createQuery("""
                        SELECT 1 FROM fills
                        WHERE volume_id = :volume AND name = :name AND state = 'running' AND expires > <now>""")
                        .bind("volume", volumeId)
                        .bind("name", copyName)
                        .mapTo(Integer.class)
                        .findOne()
                        .isPresent());
    }

    /**
     * Fills, newest first.
     *
     * @param state only those, or null for all
     * @param beforeId the id to go on before, or {@link Long#MAX_VALUE}
     */
    public List<FillRow> list(@Nullable FillState state, long beforeId, int limit) throws DatabaseException {
        return database.read("list-fills", wait, handle -> {
            Query query = handle.createQuery("SELECT " + Rows.FILL + " FROM fills WHERE id < :before"
                            + (state == null ? "" : " AND state = :state") + " ORDER BY id DESC LIMIT :limit")
                    .bind("before", beforeId)
                    .bind("limit", limit);
            if (state != null) {
                query.bind("state", state.text());
            }
            return query.map(Rows.fills()).list();
        });
    }

    /** Forgets fills that ended longer ago and left nothing behind; how many, at most the limit. */
    public int pruneEnded(Duration olderThan, int limit) throws DatabaseException {
        return database.write(
                "prune-fills",
                wait,
                handle -> handle.createUpdate("""
                        DELETE FROM fills WHERE id IN (SELECT id FROM fills
                            WHERE ended IS NOT NULL AND ended <= <now> - :age AND (state = 'done' OR name IS NULL)
                            ORDER BY ended LIMIT :limit <skip_locked>)""")
                        .bind("age", olderThan.toMillis())
                        .bind("limit", limit)
                        .execute());
    }

    /** Forgets the oldest fills that failed and left nothing behind, but for the newest; how many, at most the limit. */
    public int pruneFailed(int kept, int limit) throws DatabaseException {
        return database.write(
                "prune-failed-fills",
                wait,
                handle -> handle.createUpdate("""
                        DELETE FROM fills WHERE id IN (SELECT id FROM fills
                            WHERE state = 'failed' AND name IS NULL AND id <= (SELECT id FROM fills
                                WHERE state = 'failed' ORDER BY id DESC LIMIT 1 OFFSET :kept)
                            ORDER BY id LIMIT :limit <skip_locked>)""")
                        .bind("kept", kept)
                        .bind("limit", limit)
                        .execute());
    }

    static <S extends SqlStatement<S>> S mine(S statement, FillTicket ticket, Owner owner) {
        return statement
                .bind("id", ticket.fillId())
                .bind("epoch", ticket.epoch())
                .bind("instance", owner.instance())
                .bind("boot", owner.boot());
    }

    private static <S extends SqlStatement<S>> S asking(S statement, Owner asking) {
        return statement
                .bind("instance", asking.instance())
                .bind("boot", asking.boot())
                .bind("unaware", UNAWARE.toMillis());
    }

    private static Query ending(Handle handle, String rest, String reason) {
        return handle.createQuery("UPDATE fills SET state = 'failed', reason = :reason, expires = NULL, ended = <now>"
                        + rest + " RETURNING id, COALESCE(volume_id, 0) AS volume_id, size")
                .bind("reason", reason);
    }

    /** Carries out an ending and gives back what the fills had reserved; how many they were. */
    private static int end(Handle handle, Query ending) {
        List<Ended> ended = ending.map(Ended::of).list();
        unreserve(handle, ended);
        return ended.size();
    }

    /** The same for fills that were lost with their owners, which are queued anew. */
    private int lose(Handle handle, Query ending) {
        List<Ended> lost = ending.map(Ended::of).list();
        // the rows of fills before those of volumes
        Requeue.successors(handle, lost.stream().map(Ended::id).toList(), policy);
        unreserve(handle, lost);
        return lost.size();
    }

    private record Ended(long id, long volumeId, long size) {
        static Ended of(ResultSet row, StatementContext context) throws SQLException {
            return new Ended(row.getLong("id"), row.getLong("volume_id"), row.getLong("size"));
        }
    }

    private static void unreserve(Handle handle, List<Ended> ended) {
        Map<Long, Long> sums = new TreeMap<>();
        for (Ended fill : ended) {
            // those that were queued name no volume
            if (fill.volumeId() != 0) {
                sums.merge(fill.volumeId(), fill.size(), Long::sum);
            }
        }
        sums.forEach((volume, bytes) -> VolumeStore.unreserve(handle, volume, bytes));
    }
}
