package org.anteroom.inventory;

import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.EmptyHandling;

/**
 * The transaction that begins a fill, claims one that nobody carries out, or finds that none is needed.
 *
 * <p>Any number of these may run at once for one file. What was read before may have changed when it is written, so each
 * change says what it expects, and the row of the fill comes before everything else: whoever has that row has the file to
 * itself until the transaction ends, and no two wait for each other crosswise, for a row and for a volume. And a
 * transaction changes the counters of one volume only, so that no two wait crosswise for volumes: a fill that was lost is
 * ended, which gives bytes back to the volume where it was, and all else is left to the next transaction.
 */
final class Beginning {
    private static final int MOST_TRIES = 20;

    private record Active(long id, FillState state, long epoch, Owner owner, boolean kept, long volumeId, long size) {
        boolean lost() {
            return state == FillState.RUNNING && !kept;
        }
    }

    private Beginning() {}

    /** What came of it; empty if a lost fill was ended, and the transaction is to be committed and another one made. */
    static Optional<BeginResult> begin(Handle handle, NewFill fill, List<Long> candidates, RetryPolicy policy) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            // in this order: a fill that ends between the two has made its copy by then
            Optional<Active> found = active(handle, fill.objid());
            List<CopyRow> cached = cached(handle, fill);
            if (!cached.isEmpty()) {
                return Optional.of(new BeginResult.Cached(cached));
            }
            if (found.filter(Active::lost).isPresent()) {
                end(handle, found.get(), policy);
                return Optional.empty();
            }
            Optional<BeginResult> result = attempt(handle, fill, candidates, found);
            if (result.isPresent()) {
                return result;
            }
        }
        throw new IllegalStateException("others began and ended fills of the file again and again");
    }

    /** Tries once; empty if somebody else was quicker, whose change the next try sees. */
    private static Optional<BeginResult> attempt(
            Handle handle, NewFill fill, List<Long> candidates, Optional<Active> found) {
        if (found.isPresent()) {
            Active active = found.get();
            if (active.kept()) {
                return Optional.of(new BeginResult.RunningElsewhere(active.id(), active.epoch(), active.owner()));
            }
        }
        // a fill that is queued waits on without a change
        if (!room(handle, fill, candidates)) {
            return Optional.of(noRoom(handle, fill, candidates));
        }
        if (found.isPresent()) {
            Active queued = found.get();
            return take(handle, queued.id(), queued.epoch())
                    .map(epoch -> claim(handle, fill, queued.id(), epoch, candidates));
        }
        return insert(handle, fill).map(id -> own(handle, fill, id, candidates));
    }

    /** Cached copies that the asking instance can read; if there is none, one that can be rescued. */
    static List<CopyRow> cached(Handle handle, NewFill fill) {
        List<CopyRow> copies = readable(handle, fill);
        if (copies.stream().noneMatch(copy -> copy.state() == CopyState.CACHED)) {
            for (CopyRow condemned : copies) {
                if (CopyStore.rescue(handle, condemned.id())) {
                    copies = readable(handle, fill);
                    break;
                }
            }
        }
        return copies.stream().filter(copy -> copy.state() == CopyState.CACHED).toList();
    }

    /** Copies that are cached, or could be again, where the asking instance can read them. */
    private static List<CopyRow> readable(Handle handle, NewFill fill) {
        return handle.createQuery("SELECT " + Rows.COPY + """
                         FROM copies c
                        WHERE c.objid = :objid
                            AND (c.state = 'cached' OR (c.state = 'condemned' AND c.condemned_by = 'eviction'))
                            AND EXISTS (SELECT 1 FROM volumes v WHERE v.id = c.volume_id
                                AND v.owner IN ('', :instance) AND v.status <> 'offline')
                        ORDER BY c.filled_at DESC, c.id DESC""")
                .bind("objid", fill.objid())
                .bind("instance", fill.owner().instance())
                .map(Rows.copies())
                .filter(copy -> fill.volumes().contains(copy.volumeId()))
                .list();
    }

    private static Optional<Active> active(Handle handle, String objid) {
        return handle.createQuery("""
                        SELECT id, state, epoch, instance, boot, COALESCE(volume_id, 0) AS volume_id, size,
                            CASE WHEN state = 'running' AND expires > <now> THEN 1 ELSE 0 END AS kept
                        FROM fills WHERE objid = :objid AND state IN ('queued', 'running')""")
                .bind("objid", objid)
                .map((row, context) -> new Active(
                        row.getLong("id"),
                        FillState.parse(row.getString("state")),
                        row.getLong("epoch"),
                        new Owner(row.getString("instance"), row.getString("boot")),
                        row.getInt("kept") == 1,
                        row.getLong("volume_id"),
                        row.getLong("size")))
                .findOne();
    }

    /** Whether there is room at all; nothing is held for that, so that a full cache costs no row. */
    private static boolean room(Handle handle, NewFill fill, List<Long> candidates) {
        return handle.createQuery("""
                        SELECT COUNT(*) FROM volumes
                        WHERE id IN (<ids>) AND status = 'active' AND used + reserved + :bytes <= capacity""")
                        .bindList(EmptyHandling.NULL_KEYWORD, "ids", candidates)
                        .bind("bytes", fill.facts().size())
                        .mapTo(Integer.class)
                        .one()
                > 0;
    }

    /** Asks for a plan, in an order that is the same for all. */
    static BeginResult noRoom(Handle handle, NewFill fill, List<Long> candidates) {
        candidates.stream()
                .sorted()
                .forEach(volume ->
                        VolumeStore.wantPlan(handle, volume, fill.facts().size()));
        return new BeginResult.NoRoom();
    }

    /** Makes the row that only one can have; empty if somebody else has it. It names no volume yet. */
    private static Optional<Long> insert(Handle handle, NewFill fill) {
        return handle.createQuery("""
                        INSERT INTO fills (objid, state, size, attempts, instance, boot, epoch, created)
                        VALUES (:objid, 'queued', :size, 0, :instance, :boot, 1, <now>)
                        ON CONFLICT (objid) WHERE state IN ('queued', 'running') DO NOTHING
                        RETURNING id""")
                .bind("objid", fill.objid())
                .bind("size", fill.facts().size())
                .bind("instance", fill.owner().instance())
                .bind("boot", fill.owner().boot())
                .mapTo(Long.class)
                .findOne();
    }

    /** Goes on with a row of one's own. */
    private static BeginResult own(Handle handle, NewFill fill, long id, List<Long> candidates) {
        // a whole fill may have begun and ended between the look for copies and the row: now none can
        List<CopyRow> cached = cached(handle, fill);
        Optional<Long> volume = cached.isEmpty() ? place(handle, fill, candidates) : Optional.empty();
        if (volume.isPresent()) {
            return run(handle, fill, id, 1, volume.get());
        }
        handle.createUpdate("DELETE FROM fills WHERE id = :id").bind("id", id).execute();
        return cached.isEmpty() ? noRoom(handle, fill, candidates) : new BeginResult.Cached(cached);
    }

    /** Takes a fill that is queued; empty if it is queued no more. */
    static Optional<Long> take(Handle handle, long id, long epoch) {
        return handle.createQuery("""
                        UPDATE fills SET epoch = epoch + 1
                        WHERE id = :id AND epoch = :epoch AND state = 'queued' RETURNING epoch""")
                .bind("id", id)
                .bind("epoch", epoch)
                .mapTo(Long.class)
                .findOne();
    }

    private static BeginResult claim(Handle handle, NewFill fill, long id, long epoch, List<Long> candidates) {
        Optional<Long> volume = place(handle, fill, candidates);
        return volume.isPresent() ? run(handle, fill, id, epoch, volume.get()) : noRoom(handle, fill, candidates);
    }

    /** Reserves the bytes in the first volume that has room. */
    static Optional<Long> place(Handle handle, NewFill fill, List<Long> candidates) {
        return candidates.stream()
                .filter(volume ->
                        VolumeStore.reserve(handle, volume, fill.facts().size()))
                .findFirst();
    }

    static BeginResult.Begun run(Handle handle, NewFill fill, long id, long epoch, long volume) {
        handle.createUpdate("""
                        UPDATE fills SET volume_id = :volume, name = :name, state = 'running', size = :size, bytes = 0,
                            attempts = attempts + 1, instance = :instance, boot = :boot, expires = <now> + :lease,
                            reason = NULL
                        WHERE id = :id""")
                .bind("volume", volume)
                .bind("name", fill.copyName())
                .bind("size", fill.facts().size())
                .bind("instance", fill.owner().instance())
                .bind("boot", fill.owner().boot())
                .bind("lease", fill.lease().toMillis())
                .bind("id", id)
                .execute();
        return new BeginResult.Begun(new FillTicket(id, epoch, volume, fill.copyName()));
    }

    /**
     * Ends a fill whose owner was not heard of for too long, unless somebody else did, or its owner was heard of after all.
     * Its row stays, since a file of that owner may be left, and another one is queued in its place.
     */
    private static void end(Handle handle, Active lost, RetryPolicy policy) {
        int ended = handle.createUpdate("""
                        UPDATE fills SET state = 'failed', reason = 'its owner was not heard of any more',
                            expires = NULL, ended = <now>
                        WHERE id = :id AND epoch = :epoch AND state = 'running' AND expires <= <now>""")
                .bind("id", lost.id())
                .bind("epoch", lost.epoch())
                .execute();
        if (ended == 1) {
            Requeue.successors(handle, List.of(lost.id()), policy);
            VolumeStore.unreserve(handle, lost.volumeId(), lost.size());
        }
    }
}
