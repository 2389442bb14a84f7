package org.anteroom.inventory;

import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;

/** The transaction that begins a fill, claims one that nobody carries out, or finds that none is needed. */
final class Beginning {

    private record Active(long id, FillState state, long epoch, Owner owner, boolean kept, long volumeId, long size) {}

    private Beginning() {}

    static BeginResult begin(Handle handle, NewFill fill, List<Long> candidates) {
        List<CopyRow> cached = cached(handle, fill);
        if (!cached.isEmpty()) {
            return new BeginResult.Cached(cached);
        }
        Optional<Active> active = active(handle, fill.objid());
        if (active.isPresent() && active.get().kept()) {
            Active running = active.get();
            return new BeginResult.RunningElsewhere(running.id(), running.epoch(), running.owner());
        }
        if (active.isPresent() && active.get().state() == FillState.QUEUED) {
            return claim(handle, fill, active.get(), candidates);
        }
        active.ifPresent(lost -> end(handle, lost));
        return place(handle, fill, candidates)
                .<BeginResult>map(volume -> insert(handle, fill, volume))
                .orElseGet(BeginResult.NoRoom::new);
    }

    /** Cached copies that the asking instance can read; if there is none, one that can be rescued. */
    private static List<CopyRow> cached(Handle handle, NewFill fill) {
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

    /** Reserves the bytes where there is room first; where there is none, a plan is asked for. */
    private static Optional<Long> place(Handle handle, NewFill fill, List<Long> candidates) {
        long size = fill.facts().size();
        for (Long volume : candidates) {
            if (VolumeStore.reserve(handle, volume, size)) {
                return Optional.of(volume);
            }
        }
        candidates.forEach(volume -> VolumeStore.wantPlan(handle, volume, size));
        return Optional.empty();
    }

    private static BeginResult insert(Handle handle, NewFill fill, long volume) {
        long id = bind(handle.createQuery("""
                                INSERT INTO fills (objid, volume_id, name, state, size, attempts, instance, boot, epoch,
                                    expires, created)
                                VALUES (:objid, :volume, :name, 'running', :size, 1, :instance, :boot, 1,
                                    <now> + :lease, <now>)
                                RETURNING id"""), fill, volume)
                .bind("objid", fill.objid())
                .mapTo(Long.class)
                .one();
        return new BeginResult.Begun(new FillTicket(id, 1, volume, fill.copyName()));
    }

    /** Ends a fill whose owner was not heard of for too long. Its row stays, since a file of that owner may be left. */
    private static void end(Handle handle, Active lost) {
        fail(handle, lost, "its owner was not heard of any more");
        VolumeStore.unreserve(handle, lost.volumeId(), lost.size());
    }

    private static void fail(Handle handle, Active active, String reason) {
        handle.createUpdate("""
                        UPDATE fills SET state = 'failed', reason = :reason, expires = NULL, ended = <now>
                        WHERE id = :id AND epoch = :epoch""")
                .bind("reason", reason)
                .bind("id", active.id())
                .bind("epoch", active.epoch())
                .execute();
    }

    /** Takes a fill that is queued. */
    private static BeginResult claim(Handle handle, NewFill fill, Active queued, List<Long> candidates) {
        Optional<Long> volume = place(handle, fill, candidates);
        if (volume.isEmpty()) {
            fail(handle, queued, "no volume has room");
            return new BeginResult.NoRoom();
        }
        long epoch = bind(handle.createQuery("""
                                UPDATE fills SET volume_id = :volume, name = :name, state = 'running', size = :size,
                                    bytes = 0, attempts = attempts + 1, instance = :instance, boot = :boot,
                                    epoch = epoch + 1, expires = <now> + :lease
                                WHERE id = :id AND epoch = :epoch
                                RETURNING epoch"""), fill, volume.get())
                .bind("id", queued.id())
                .bind("epoch", queued.epoch())
                .mapTo(Long.class)
                .one();
        return new BeginResult.Begun(new FillTicket(queued.id(), epoch, volume.get(), fill.copyName()));
    }

    private static <S extends SqlStatement<S>> S bind(S statement, NewFill fill, long volume) {
        return statement
                .bind("volume", volume)
                .bind("name", fill.copyName())
                .bind("size", fill.facts().size())
                .bind("instance", fill.owner().instance())
                .bind("boot", fill.owner().boot())
                .bind("lease", fill.lease().toMillis());
    }
}
