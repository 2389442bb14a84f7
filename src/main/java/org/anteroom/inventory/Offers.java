package org.anteroom.inventory;

import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * What instances would take from the queue of fills, as they have said lately.
 *
 * <p>An instance knows its own volumes: their limits, their health, their disks. What it has no room for may still be
 * another's to take, if that one has said so.
 */
final class Offers {
    private Offers() {}

    /** The size of the largest file that the claimant has room for now; -1 if it takes none. */
    static long largest(Handle handle, Claimant by) {
        if (by.limits().isEmpty()) {
            return -1;
        }
        record Free(long volumeId, long bytes) {}
        return handle
                .createQuery("""
                        SELECT id, capacity - used - reserved AS free FROM volumes
                        WHERE id IN (<ids>) AND status = 'active'""")
                .bindList("ids", List.copyOf(by.limits().keySet()))
                .map((row, context) -> new Free(row.getLong("id"), row.getLong("free")))
                .list()
                .stream()
                .mapToLong(free -> Math.min(free.bytes(), by.limits().getOrDefault(free.volumeId(), -1L)))
                .max()
                .orElse(-1);
    }

    /** Says what the claimant would take, for as long as its leases last. */
    static void say(Handle handle, Claimant by) {
        handle.createUpdate("""
                        INSERT INTO fill_offers (instance, largest, expires) VALUES (:instance, :largest, <now> + :lease)
                        ON CONFLICT (instance) DO UPDATE SET largest = excluded.largest, expires = excluded.expires""")
                .bind("instance", by.owner().instance())
                .bind("largest", largest(handle, by))
                .bind("lease", by.lease().toMillis())
                .execute();
    }

    /** Whether another instance would take a file of that size. */
    static boolean othersTake(Handle handle, Owner asking, long size) {
        return handle.createQuery("""
                        SELECT 1 FROM fill_offers
                        WHERE largest >= :size AND expires > <now> AND instance <> :instance LIMIT 1""")
                .bind("size", size)
                .bind("instance", asking.instance())
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
    }
}
