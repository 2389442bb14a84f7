package org.anteroom.fill;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.volume.VolumeGuard;
import org.jspecify.annotations.Nullable;

/**
 * The caching side of an instance, as readers see it: nothing until the inventory has been reached for the first time, so
 * that an instance whose database is away at its start passes every file through. Copies can be read before any is made.
 */
public final class Caching {
    private final Admission admission;
    private final WrongBytes wrong;
    private final SecondLook secondLook;
    private volatile @Nullable State state;

    private record State(
            Map<Long, VolumeGuard> volumes, @Nullable Fills fills) {}

    /** Nothing is cached yet. */
    public Caching(CachingSettings settings, WrongBytes wrong, SecondLook secondLook, Ticker ticker) {
        this.admission = new Admission(settings.minRequests(), ticker);
        this.wrong = wrong;
        this.secondLook = secondLook;
    }

    /** Begins to read copies. */
    public void read(Map<Long, VolumeGuard> volumes) {
        state = new State(Map.copyOf(volumes), null);
    }

    /** Begins to read copies and to make them. */
    public void open(Map<Long, VolumeGuard> volumes, Fills fills) {
        state = new State(Map.copyOf(volumes), fills);
    }

    /** Whether copies are read. */
    public boolean isOpen() {
        return state != null;
    }

    /** A volume by its id in the inventory; null if this instance does not have it. */
    public @Nullable VolumeGuard volume(long id) {
        State now = state;
        return now == null ? null : now.volumes().get(id);
    }

    /** Ids of the volumes that this instance has. */
    public Set<Long> volumes() {
        State now = state;
        return now == null ? Set.of() : now.volumes().keySet();
    }

    /** Bytes that are written by now, of the fills that run here, by their id. */
    public Map<Long, Long> progress() {
        Fills fills = fills();
        return fills == null ? Map.of() : fills.progress();
    }

    private @Nullable Fills fills() {
        State now = state;
        return now == null ? null : now.fills();
    }

    /** The fill of a file that runs here. */
    public @Nullable Fill running(String objid) {
        Fills fills = fills();
        return fills == null ? null : fills.running(objid);
    }

    /** The files whose bytes do not match the archive's checksum. */
    public WrongBytes wrong() {
        return wrong;
    }

    /**
     * Has a file that was found wrong looked at again, if it is time for that: by a fill, so that there is a copy if it is
     * right; where none can be made, by reading it. Until then it stays refused.
     */
    public void lookAgainIfDue(FileKey key, FileFacts facts, Duration wait) {
        if (wrong.isDue(key.objid())) {
            var unused = begin(key, facts, wait).thenAccept(outcome -> {
                if (outcome instanceof Outcome.Bypass) {
                    secondLook.begin(key, facts);
                }
            });
        }
    }

    /** Begins or joins a fill for a reader, as {@link Fills#begin}, once the file has been asked for often enough. */
    public CompletableFuture<Outcome> beginForReader(FileKey key, FileFacts facts, Duration wait) {
        return admission.admits(key.objid())
                ? begin(key, facts, wait)
                : CompletableFuture.completedFuture(new Outcome.Bypass("too-few-requests"));
    }

    /** Begins or joins a fill, as {@link Fills#begin}. */
    public CompletableFuture<Outcome> begin(FileKey key, FileFacts facts, Duration wait) {
        Fills fills = fills();
        return fills == null
                ? CompletableFuture.completedFuture(new Outcome.Bypass("inventory-unavailable"))
                : fills.begin(key, facts, wait);
    }

    /** Begins no more fills, and gives those that run some time to end. */
    public void stop(Duration grace) {
        Fills fills = fills();
        if (fills != null) {
            fills.stop(grace);
        }
    }

    /** Lets go of the fill with that id, as {@link Fills#cancel(long)}. */
    public void cancel(long fillId) {
        Fills fills = fills();
        if (fills != null) {
            fills.cancel(fillId);
        }
    }

    /** Lets go of the fill of a file, as {@link Fills#cancel(String)}, and believes the archive's bytes again. */
    public void cancel(String objid) {
        wrong.forget(objid);
        Fills fills = fills();
        if (fills != null) {
            fills.cancel(objid);
        }
    }
}
