package org.anteroom.inventory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * The queue of fills: what is to be cached though no reader waits for it.
 *
 * <p>A queued fill reserves nothing. It is claimed when its time has come, by whoever is first: a worker of any instance,
 * or a reader who wants the file ({@link FillStore#begin}). From then on it is a fill as any other. That a file has one fill
 * at a time, queued or running, is a unique index.
 *
 * <p>There are two lines, each in the order in which its fills became due: files that were asked for one by one, and those
 * of whole datasets, however many these are. Who claims says which line comes first ({@link Claimant#datasetsFirst}).
 */
public final class FillQueue {
    /** The most files that are added at once. */
    public static final int MOST_ADDED = 500;

    /** Rows in a state are counted up to here, since nobody waits for the sum of millions. */
    public static final int MOST_COUNTED = 100_000;

    private final Database database;
    private final Duration wait;
    private final RetryPolicy policy;

    /**
     * The queue in a database.
     *
     * @param wait how long a call may wait for the database in all
     */
    public FillQueue(Database database, Duration wait, RetryPolicy policy) {
        this.database = database;
        this.wait = wait;
        this.policy = policy;
    }

    /**
     * A file that is to be cached.
     *
     * @param size its bytes; not negative
     */
    public record Wish(String objid, long size) {

        /** Checks the size. */
        public Wish {
            if (size < 0) {
                throw new IllegalArgumentException("what has no known size is not cached");
            }
        }
    }

    /**
     * What came of wishes.
     *
     * @param cached files that have copies
     * @param queued files that are queued by this call
     * @param active files that were queued or being filled already
     */
    public record Added(Set<String> cached, Set<String> queued, Set<String> active) {
        /** Copies the sets. */
        public Added {
            cached = Set.copyOf(cached);
            queued = Set.copyOf(queued);
            active = Set.copyOf(active);
        }
    }

    /**
     * Asks for single files. Of those that are queued already, what waits to be tried again is due at once, and what was
     * asked for with its dataset is a single file now.
     *
     * @param files {@value #MOST_ADDED} at most, each once
     * @param owner who asks
     * @param volumes the volumes that the asking instance has: copies elsewhere are none to it
     */
    public Added add(List<Wish> files, Owner owner, Set<Long> volumes) throws DatabaseException {
        return add(files, 0, owner, volumes);
    }

    /** The same for files of a dataset all of whose files are asked for. */
    public Added addOfDataset(List<Wish> files, Owner owner, Set<Long> volumes) throws DatabaseException {
        return add(files, 1, owner, volumes);
    }

    private Added add(List<Wish> files, int bulk, Owner owner, Set<Long> volumes) throws DatabaseException {
        if (files.size() > MOST_ADDED) {
            throw new IllegalArgumentException(files.size() + " files at once");
        }
        List<Wish> sorted =
                files.stream().sorted(Comparator.comparing(Wish::objid)).toList();
        if (sorted.isEmpty()) {
            return new Added(Set.of(), Set.of(), Set.of());
        }
        Set<String> cached = cached(sorted.stream().map(Wish::objid).toList(), volumes);
        List<Wish> rest =
                sorted.stream().filter(wish -> !cached.contains(wish.objid())).toList();
        if (rest.isEmpty()) {
            return new Added(cached, Set.of(), Set.of());
        }
        // one that is cached by now is found to be so when it is claimed
        return database.write("queue-fills", wait, handle -> {
            Set<String> queued = insert(handle, rest, bulk, owner);
            List<String> active = rest.stream()
                    .map(Wish::objid)
                    .filter(objid -> !queued.contains(objid))
                    .toList();
            if (!active.isEmpty()) {
                want(handle, active, bulk);
            }
            return new Added(cached, queued, new HashSet<>(active));
        });
    }

    private Set<String> cached(List<String> objids, Set<Long> volumes) throws DatabaseException {
        return database.read("which-are-cached", wait, handle -> {
            Set<String> cached = new HashSet<>();
            handle.createQuery("SELECT c.objid, c.volume_id FROM copies c JOIN volumes v ON v.id = c.volume_id"
                            + " WHERE c.objid IN (<objids>) AND c.state = 'cached' AND v.status <> 'offline'")
                    .bindList("objids", objids)
                    .map((row, context) -> volumes.contains(row.getLong("volume_id")) ? row.getString("objid") : "")
                    .forEach(cached::add);
            cached.remove("");
            return cached;
        });
    }

    /** Rows for files that have none yet, in the order of their keys, so that no two who add wait crosswise. */
    private static Set<String> insert(Handle handle, List<Wish> files, int bulk, Owner owner) {
        PreparedBatch batch = handle.prepareBatch("""
                INSERT INTO fills (objid, state, size, attempts, instance, boot, epoch, created, next_at, wanted,
                    bulk)
                VALUES (:objid, 'queued', :size, 0, :instance, :boot, 0, <now>, <now>, 1, :bulk)
                ON CONFLICT (objid) WHERE state IN ('queued', 'running') DO NOTHING""");
        for (Wish file : files) {
            batch.bind("objid", file.objid())
                    .bind("size", file.size())
                    .bind("instance", owner.instance())
                    .bind("boot", owner.boot())
                    .bind("bulk", bulk)
                    .add();
        }
        int[] counts = batch.execute();
        Set<String> queued = new HashSet<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] == 1) {
                queued.add(files.get(i).objid());
            }
        }
        return queued;
    }

    private static void want(Handle handle, List<String> objids, int bulk) {
        handle.createUpdate("""
                        UPDATE fills SET wanted = 1, bulk = CASE WHEN bulk < :bulk THEN bulk ELSE :bulk END,
                            next_at = CASE WHEN next_at > <now> THEN <now> ELSE next_at END
                        WHERE id IN (SELECT id FROM fills
                            WHERE objid IN (<objids>) AND state IN ('queued', 'running')
                            ORDER BY id <for_update>)""").bindList("objids", objids).bind("bulk", bulk).execute();
    }

    /**
     * What there is to do.
     *
     * @param due whether a fill can be claimed
     * @param lost whether a fill runs whose owner was not heard of for too long
     */
    public record Look(boolean due, boolean lost) {}

    /** Looks whether there is anything to do; one statement, which reads two entries of indexes. */
    public Look look() throws DatabaseException {
        return database.read(
                "look-at-queue",
                wait,
                handle -> handle.createQuery("""
                        SELECT CASE WHEN EXISTS (SELECT 1 FROM fills WHERE state = 'queued' AND next_at <= <now>)
                                THEN 1 ELSE 0 END AS due,
                            CASE WHEN EXISTS (SELECT 1 FROM fills WHERE state = 'running' AND expires <= <now>)
                                THEN 1 ELSE 0 END AS lost""")
                        .map((row, context) -> new Look(row.getInt("due") == 1, row.getInt("lost") == 1))
                        .one());
    }

    /**
     * Claims the first fill that is due, and reserves its bytes.
     *
     * @param copyName the name of the copy to be, random and never used before
     * @param late is given a result that came when the time was up and this call had failed; it must be quick
     */
    public ClaimResult claim(Claimant by, String copyName, Consumer<ClaimResult> late) throws DatabaseException {
        return database.write("claim-fill", wait, handle -> Claiming.claim(handle, by, copyName, policy), late);
    }

    /** Says what an instance would take from the queue, so that others leave that to it; holds for one lease. */
    public void offer(Claimant by) throws DatabaseException {
        database.write("offer-to-fill", wait, handle -> {
            Offers.say(handle, by);
            return true;
        });
    }

    /**
     * Fills of files whose objid begins with a prefix, by objid and then by age.
     *
     * @param state only those, or null for all
     * @param prefix what the objid begins with, literally
     * @param after the objid of the fill to go on after, or the empty string
     * @param afterId the id of that fill, or 0
     */
    public List<FillRow> list(@Nullable FillState state, String prefix, String after, long afterId, int limit)
            throws DatabaseException {
        String end = Prefixes.end(prefix);
        String sql = "SELECT " + Rows.FILL + " FROM fills WHERE "
                + (state == null ? "" : "state = :state AND ")
                + (after.isEmpty() ? "objid >= :start" : "(objid, id) > (:start, :id)")
                + (end == null ? "" : " AND objid < :end")
                + " ORDER BY objid, id LIMIT :limit";
        return database.read("list-fills", wait, handle -> {
            Query query = handle.createQuery(sql)
                    .bind("start", after.isEmpty() ? prefix : after)
                    .bind("limit", limit);
            if (state != null) {
                query.bind("state", state.text());
            }
            if (!after.isEmpty()) {
                query.bind("id", afterId);
            }
            if (end != null) {
                query.bind("end", end);
            }
            return query.map(Rows.fills()).list();
        });
    }

    /** One fill. */
    public Optional<FillRow> get(long id) throws DatabaseException {
        return database.read(
                "get-fill",
                wait,
                handle -> handle.createQuery("SELECT " + Rows.FILL + " FROM fills WHERE id = :id")
                        .bind("id", id)
                        .map(Rows.fills())
                        .findOne());
    }

    /** The last fill of a file. */
    public Optional<FillRow> last(String objid) throws DatabaseException {
        return database.read(
                "last-fill",
                wait,
                handle -> handle.createQuery(
                                "SELECT " + Rows.FILL + " FROM fills WHERE objid = :objid ORDER BY id DESC LIMIT 1")
                        .bind("objid", objid)
                        .map(Rows.fills())
                        .findOne());
    }

    /**
     * The queued and running fills of some files, by objid.
     *
     * @param objids a thousand at most
     */
    public Map<String, FillRow> active(Collection<String> objids) throws DatabaseException {
        if (objids.isEmpty()) {
            return Map.of();
        }
        return database.read("active-fills", wait, handle -> {
            Map<String, FillRow> active = new HashMap<>();
            handle.createQuery("SELECT " + Rows.FILL
                            + " FROM fills WHERE objid IN (<objids>) AND state IN ('queued', 'running')")
                    .bindList("objids", List.copyOf(objids))
                    .map(Rows.fills())
                    .forEach(fill -> active.put(fill.objid(), fill));
            return active;
        });
    }

    /** What became of the wish to forget a fill. */
    public enum Dropped {
        /** It is forgotten. */
        YES,
        /** It has not ended, or a file that it left is not removed yet. */
        NOT_YET,
        /** There is no such fill. */
        UNKNOWN
    }

    /** Forgets a fill that has ended. */
    public Dropped drop(long id) throws DatabaseException {
        return database.write("drop-fill", wait, handle -> {
            int dropped = handle.createUpdate(
                            "DELETE FROM fills WHERE id = :id AND (state = 'done' OR (state = 'failed' AND name IS NULL))")
                    .bind("id", id)
                    .execute();
            if (dropped == 1) {
                return Dropped.YES;
            }
            boolean there = handle.createQuery("SELECT 1 FROM fills WHERE id = :id")
                    .bind("id", id)
                    .mapTo(Integer.class)
                    .findOne()
                    .isPresent();
            return there ? Dropped.NOT_YET : Dropped.UNKNOWN;
        });
    }

    /** Things that were counted, and their bytes. */
    public record Sum(long count, long bytes) {
        static final Sum NONE = new Sum(0, 0);
    }

    /**
     * How far a dataset is.
     *
     * @param cached its cached copies
     * @param fills its fills by state; ended ones are forgotten after some time
     */
    public record Progress(Sum cached, Map<FillState, Sum> fills) {
        /** Copies the map. */
        public Progress {
            fills = Map.copyOf(fills);
        }

        /** Fills in a state. */
        public Sum fills(FillState state) {
            return fills.getOrDefault(state, Sum.NONE);
        }
    }

    /** Adds up the copies and fills of files whose objid begins with a prefix; takes the longer the more there are. */
    public Progress progress(String prefix) throws DatabaseException {
        String end = Prefixes.end(prefix);
        String range = "objid >= :start" + (end == null ? "" : " AND objid < :end");
        return database.read("fill-progress", wait, handle -> {
            Map<FillState, Sum> fills = new HashMap<>();
            bound(
                            handle,
                            "SELECT state, COUNT(*), COALESCE(SUM(size), 0) FROM fills WHERE " + range
                                    + " GROUP BY state",
                            prefix,
                            end)
                    .map((row, context) -> {
                        fills.put(FillState.parse(row.getString(1)), new Sum(row.getLong(2), row.getLong(3)));
                        return true;
                    })
                    .list();
            Sum cached = bound(
                            handle,
                            "SELECT COUNT(*), COALESCE(SUM(size), 0) FROM copies WHERE " + range
                                    + " AND state = 'cached'",
                            prefix,
                            end)
                    .map((row, context) -> new Sum(row.getLong(1), row.getLong(2)))
                    .one();
            return new Progress(cached, fills);
        });
    }

    private static Query bound(Handle handle, String sql, String start, @Nullable String end) {
        Query query = handle.createQuery(sql).bind("start", start);
        return end == null ? query : query.bind("end", end);
    }

    /**
     * How long the queue is.
     *
     * @param counts fills in a state, {@value #MOST_COUNTED} at most
     * @param overdue for how long the first fill that is due could have been claimed; zero if none is due
     */
    public record Depth(Map<FillState, Long> counts, Duration overdue) {
        /** Copies the map. */
        public Depth {
            counts = Map.copyOf(counts);
        }
    }

    /** Measures the queue. */
    public Depth depth() throws DatabaseException {
        List<FillState> states = List.of(FillState.QUEUED, FillState.RUNNING, FillState.FAILED);
        return database.read("measure-queue", wait, handle -> {
            List<Long> numbers = handle.createQuery("""
                            SELECT
                                (SELECT COUNT(*) FROM (SELECT 1 FROM fills
                                    WHERE state = 'queued' AND next_at >= 0 LIMIT :most) counted) AS queued,
                                (SELECT COUNT(*) FROM (SELECT 1 FROM fills
                                    WHERE state = 'running' AND expires >= 0 LIMIT :most) counted) AS running,
                                (SELECT COUNT(*) FROM (SELECT 1 FROM fills
                                    WHERE state = 'failed' LIMIT :most) counted) AS failed,
                                (SELECT COALESCE(<now> - MIN(next_at), 0) FROM fills
                                    WHERE state = 'queued' AND next_at >= 0) AS overdue""")
                    .bind("most", MOST_COUNTED)
                    .map((row, context) -> {
                        List<Long> found = new ArrayList<>();
                        for (int column = 1; column <= 4; column++) {
                            found.add(row.getLong(column));
                        }
                        return found;
                    })
                    .one();
            Map<FillState, Long> counts = new HashMap<>();
            for (int i = 0; i < states.size(); i++) {
                counts.put(states.get(i), numbers.get(i));
            }
            return new Depth(counts, Duration.ofMillis(Math.max(0, numbers.get(3))));
        });
    }
}
