package org.anteroom.http;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.anteroom.fill.Caching;
import org.anteroom.inventory.CopyRow;
import org.anteroom.tasks.Lane;
import org.anteroom.volume.VolumeGuard;

/** One {@link Lane} of a pool for each volume, so that a volume that hangs holds only the threads of its own. */
final class Lanes {
    /** Threads of a pool that one volume may hold; the pool has as many for each volume, and its own. */
    static final int WIDTH = 8;

    private final Executor pool;
    private final int waiting;
    private final Caching caching;
    private final Map<Long, Lane> lanes = new ConcurrentHashMap<>();

    Lanes(Executor pool, int waiting, Caching caching) {
        this.pool = pool;
        this.waiting = waiting;
        this.caching = caching;
    }

    /** The way of work that reads from a volume. */
    Executor of(long volumeId) {
        return lanes.computeIfAbsent(volumeId, id -> new Lane(pool, WIDTH, waiting, () -> readable(id)));
    }

    /** The way of work that opens the first of these copies that can be read. */
    Executor of(List<CopyRow> copies) {
        for (CopyRow copy : copies) {
            if (readable(copy.volumeId())) {
                return of(copy.volumeId());
            }
        }
        return pool;
    }

    private boolean readable(long volumeId) {
        VolumeGuard volume = caching.volume(volumeId);
        return volume != null && volume.readable();
    }

    /** Sends on what waits for volumes that are degraded by now. */
    void relieve() {
        lanes.values().forEach(Lane::relieve);
    }
}
