package org.anteroom.eviction;

import io.prometheus.metrics.core.metrics.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.CopyState;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.PlanStore;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStatus;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.anteroom.volume.VolumeDegradedException;
import org.anteroom.volume.VolumeGuard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The remover of condemned copies, whoever condemned them.
 *
 * <p>The protocol, for each copy whose grace is over: its state becomes deleting (or it is rescued, if eviction condemned
 * it and it was used since); its file is unlinked; its row goes and its bytes are given back, in one transaction with its
 * plan's sums. Each step can be done again by anyone, so that it may be broken off anywhere. A volume that is degraded
 * or offline is left alone.
 */
public final class Reaper {
    private static final Logger log = LoggerFactory.getLogger(Reaper.class);

    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final int PAGE = 100;

    private final CopyStore copies;
    private final PlanStore plans;
    private final VolumeStore volumes;
    private final Locations<?> locations;
    private final Duration grace;
    private final Counter evicted;
    private final Counter evictedBytes;
    private final List<Round> rounds;

    /**
     * A remover that does nothing until it is asked.
     *
     * @param guards this instance's volumes by their id in the inventory
     */
    public Reaper(
            CopyStore copies,
            PlanStore plans,
            VolumeStore volumes,
            Map<Long, VolumeGuard> guards,
            Locations<?> locations,
            EvictionSettings settings,
            Metrics metrics) {
        this.copies = copies;
        this.plans = plans;
        this.volumes = volumes;
        this.locations = locations;
        this.grace = settings.grace();
        this.evicted = metrics.counter("anteroom_evicted_copies", "Condemned copies that were deleted", "volume");
        this.evictedBytes = metrics.counter("anteroom_evicted_bytes", "Their bytes", "volume");
        this.rounds = guards.entrySet().stream()
                .map(entry -> new Round(entry.getKey(), entry.getValue()))
                .toList();
    }

    /**
     * Goes through the volumes again and again, each on a thread of its own, so that one that hangs holds up no other.
     *
     * @param permitted whether this instance may change anything; asked before each round
     */
    public void schedule(Tasks tasks, BooleanSupplier permitted) {
        rounds.forEach(round -> tasks.every("reaper-" + round.guard.name(), PERIOD, () -> {
            if (permitted.getAsBoolean()) {
                round.run();
            }
        }));
    }

    /** Deletes what is due, in all volumes of this instance. */
    public void run() {
        rounds.forEach(Round::run);
    }

    /** The work on one volume; on one thread at a time. */
    private final class Round {
        private final long volumeId;
        private final VolumeGuard guard;
        /** Where to go on, so that a copy that cannot be deleted does not keep those after it waiting. */
        private long after;

        private boolean failing;

        Round(long volumeId, VolumeGuard guard) {
            this.volumeId = volumeId;
            this.guard = guard;
        }

        void run() {
            long[] done = new long[2];
            try {
                deleteAll(done);
            } catch (DatabaseException e) {
                log.debug("Deletion in volume {} waits for the inventory: {}", guard.name(), e.getMessage());
            } catch (VolumeDegradedException e) {
                log.debug("Deletion waits for volume {}: {}", guard.name(), e.getMessage());
            }
            if (done[0] > 0) {
                log.info("Deleted {} condemned copies ({} bytes) from volume {}", done[0], done[1], guard.name());
            }
        }

        private void deleteAll(long[] done) throws DatabaseException, VolumeDegradedException {
            List<CopyRow> due = copies.due(volumeId, grace, after, PAGE);
            if (due.isEmpty() && after > 0) {
                after = 0;
                due = copies.due(volumeId, grace, after, PAGE);
            }
            if (due.isEmpty() || !canDelete()) {
                return;
            }
            while (!due.isEmpty()) {
                for (CopyRow copy : due) {
                    after = copy.id();
                    if (!delete(copy, done)) {
                        return;
                    }
                }
                due = copies.due(volumeId, grace, after, PAGE);
            }
            after = 0;
        }

        /** Whether the volume is there, the right one, and not taken out of use. */
        private boolean canDelete() throws DatabaseException {
            Optional<VolumeRow> row = volumes.get(volumeId);
            if (row.isEmpty() || row.get().status() == VolumeStatus.OFFLINE) {
                return false;
            }
            guard.probe();
            return guard.readable();
        }

        /** Whether the volume does its work: one failure ends the round. */
        private boolean delete(CopyRow copy, long[] done) throws DatabaseException, VolumeDegradedException {
            if (copy.state() == CopyState.CONDEMNED && !copies.beginDeleting(copy.id(), grace)) {
                return true;
            }
            locations.forget(copy.objid());
            try {
                guard.delete(copy.name());
            } catch (VolumeDegradedException e) {
                throw e;
            } catch (IOException e) {
                failed(copy, e);
                return false;
            }
            failing = false;
            if (copies.deleted(copy.id())) {
                long bytes = copy.facts().size();
                done[0]++;
                done[1] += bytes;
                evicted.labelValues(guard.name()).inc();
                evictedBytes.labelValues(guard.name()).inc(bytes);
            }
            return true;
        }

        private void failed(CopyRow copy, IOException failure) throws DatabaseException {
            if (!failing) {
                failing = true;
                log.warn(
                        "A copy in volume {} could not be deleted and will be tried again: {}",
                        guard.name(),
                        failure.toString());
            }
            plans.itemFailed(copy.id(), "the volume failed: " + guard.health().reason());
        }
    }
}
