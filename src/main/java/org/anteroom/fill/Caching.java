package org.anteroom.fill;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.volume.VolumeGuard;
import org.jspecify.annotations.Nullable;

/**
 * The caching side of an instance, as readers see it: nothing until the inventory has been reached for the first time, so
 * that an instance whose database is away at its start passes every file through.
 */
public final class Caching {
    private volatile @Nullable State state;

    private record State(Map<Long, VolumeGuard> volumes, Fills fills) {}

    /** Begins to cache. */
    public void open(Map<Long, VolumeGuard> volumes, Fills fills) {
        state = new State(Map.copyOf(volumes), fills);
    }

    /** Whether copies are made and read. */
    public boolean isOpen() {
        return state != null;
    }

    /** A volume by its id in the inventory; null if this instance does not have it. */
    public @Nullable VolumeGuard volume(long id) {
        State now = state;
        return now == null ? null : now.volumes().get(id);
    }

    /** The fill of a file that runs here. */
    public @Nullable Fill running(String objid) {
        State now = state;
        return now == null ? null : now.fills().running(objid);
    }

    /** Begins or joins a fill, as {@link Fills#begin}. */
    public CompletableFuture<Outcome> begin(FileKey key, FileFacts facts, Duration wait) {
        State now = state;
        return now == null
                ? CompletableFuture.completedFuture(new Outcome.Bypass("inventory-unavailable"))
                : now.fills().begin(key, facts, wait);
    }

    /** Begins no more fills, and gives those that run some time to end. */
    public void stop(Duration grace) {
        State now = state;
        if (now != null) {
            now.fills().stop(grace);
        }
    }

    /** Sends no new readers to a running fill, as {@link Fills#cancel}. */
    public void cancel(String objid) {
        State now = state;
        if (now != null) {
            now.fills().cancel(objid);
        }
    }
}
