package org.anteroom.integrity;

import io.prometheus.metrics.core.metrics.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.anteroom.inventory.Drift;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.FillTicket;
import org.anteroom.inventory.LeaseStore;
import org.anteroom.inventory.Owner;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.anteroom.volume.VolumeGuard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What puts right that a boot ended in the middle of its work: at the start for earlier boots of this instance, and from
 * time to time for other instances that were not heard of any more.
 *
 * <p>The protocol. First the inventory: fills and leases are released, so that nothing waits for the dead. Then the
 * volumes, each when it is there: of every fill that was taken from its owner the temporary file is removed first, so that
 * it cannot get its name any more, then the file under the copy's name, if no row has it; and further temporary files of
 * fills that nobody is at work on. Beside that, the counters of the volumes are compared with their rows once; the sums of
 * millions of rows take a while, and nothing waits for them. All of it can be broken off anywhere and done again.
 */
public final class Recovery {
    private static final Logger log = LoggerFactory.getLogger(Recovery.class);

    private static final Duration PERIOD = Duration.ofMinutes(1);
    private static final Duration KEPT = Duration.ofDays(7);
    private static final int PAGE = 100;
    private static final int PRUNED = 1000;
    private static final int PRUNING_ROUNDS = 20;

    /** Fills that failed are listed for that long, and no more than so many. */
    private static final int KEPT_FAILURES = 10_000;

    /** How long the sums of a volume may take. */
    private static final Duration SUMMING = Duration.ofMinutes(10);

    private final FillStore fills;
    private final LeaseStore leases;
    private final VolumeStore volumes;
    private final Owner owner;
    private final Counter removed;
    private final Counter repaired;
    /** Volumes whose counters were compared with their rows. */
    private final Set<Long> compared = ConcurrentHashMap.newKeySet();

    /**
     * A recovery that does nothing until it is asked.
     *
     * @param owner this boot
     */
    public Recovery(FillStore fills, LeaseStore leases, VolumeStore volumes, Owner owner, Metrics metrics) {
        this.fills = fills;
        this.leases = leases;
        this.volumes = volumes;
        this.owner = owner;
        this.removed = metrics.counter(
                "anteroom_leftovers_removed", "Files of dead fills that were removed", "volume", "kind");
        this.repaired = metrics.counter(
                "anteroom_counters_repaired", "Times that the counters of a volume were wrong", "volume");
    }

    /**
     * Takes over from earlier boots of this instance, in the inventory alone; to be called before work begins, and again
     * if it fails.
     */
    public void start() throws DatabaseException {
        int released = fills.releaseEarlierBoots(owner);
        int roles = leases.releaseEarlierBoots(owner);
        if (released > 0 || roles > 0) {
            log.info("Released {} fills and {} leases of earlier boots", released, roles);
        }
    }

    /** Compares the counters of the volumes with their rows, once each; what could not be compared is left for next time. */
    void compareCounters(Map<Long, VolumeGuard> guards) {
        guards.forEach((volumeId, guard) -> {
            try {
                if (!compared.contains(volumeId)) {
                    compareCounters(volumeId, guard.name());
                    compared.add(volumeId);
                }
            } catch (DatabaseException e) {
                log.debug("The counters of volume {} are not compared yet: {}", guard.name(), e.getMessage());
            }
        });
    }

    private void compareCounters(long volumeId, String name) throws DatabaseException {
        Optional<Drift> drift = volumes.drift(volumeId, SUMMING);
        if (drift.isPresent() && !drift.get().none() && volumes.repair(drift.get())) {
            repaired.labelValues(name).inc();
            log.warn(
                    "The counters of volume {} were wrong and are corrected: {} instead of {}",
                    name,
                    drift.get().summed(),
                    drift.get().counted());
        }
    }

    /**
     * Cleans the volumes now and again and again, each on a thread of its own, so that one that hangs holds up no other.
     *
     * @param guards this instance's volumes by their id in the inventory
     * @param permitted whether this instance may change anything; asked before each round
     * @param atWork ids of the fills that this boot is at, which are its own to end
     */
    public void schedule(
            Tasks tasks, Map<Long, VolumeGuard> guards, BooleanSupplier permitted, Supplier<Set<Long>> atWork) {
        if (guards.isEmpty()) {
            return;
        }
        ExecutorService first = tasks.pool("recovery", guards.size(), guards.size());
        guards.forEach((volumeId, guard) -> {
            Runnable cleaning = where(permitted, () -> clean(volumeId, guard));
            first.execute(tasks.guarded("recovery", cleaning));
            tasks.every("recovery-" + guard.name(), PERIOD, cleaning);
        });
        tasks.every("recovery", PERIOD, where(permitted, () -> releaseLost(atWork.get())));
        tasks.every("counters", PERIOD, where(permitted, () -> compareCounters(guards)));
    }

    private static Runnable where(BooleanSupplier permitted, Runnable work) {
        return () -> {
            if (permitted.getAsBoolean()) {
                work.run();
            }
        };
    }

    /** Ends fills of any instance whose lease has run out, and forgets those that ended long ago. */
    void releaseLost(Set<Long> atWork) {
        try {
            int released = fills.releaseExpired(owner, atWork);
            if (released > 0) {
                log.info("Released {} fills whose owners were not heard of any more", released);
            }
            prune();
        } catch (DatabaseException e) {
            log.debug("Recovery waits for the inventory: {}", e.getMessage());
        }
    }

    private void prune() throws DatabaseException {
        int rounds = 0;
        while (fills.pruneEnded(KEPT, PRUNED) == PRUNED && rounds < PRUNING_ROUNDS) {
            rounds++;
        }
        while (fills.pruneFailed(KEPT_FAILURES, PRUNED) == PRUNED && rounds < PRUNING_ROUNDS) {
            rounds++;
        }
    }

    /** Removes what dead fills left in the volumes that are there. */
    void clean(Map<Long, VolumeGuard> guards) {
        guards.forEach(this::clean);
    }

    private void clean(long volumeId, VolumeGuard guard) {
        if (!guard.readable()) {
            return;
        }
        try {
            int files = removeLeftovers(volumeId, guard) + removeTemporaries(guard);
            if (files > 0) {
                log.info("Removed {} files of dead fills from volume {}", files, guard.name());
            }
        } catch (DatabaseException e) {
            log.debug("Recovery of volume {} waits for the inventory: {}", guard.name(), e.getMessage());
        } catch (IOException e) {
            log.warn(
                    "Leftovers in volume {} could not be removed and will be tried again: {}",
                    guard.name(),
                    e.toString());
        }
    }

    private int removeLeftovers(long volumeId, VolumeGuard guard) throws IOException {
        int files = 0;
        List<FillTicket> page;
        do {
            page = fills.leftovers(volumeId, owner, PAGE);
            for (FillTicket ticket : page) {
                files += remove(ticket, guard);
                fills.cleaned(ticket);
            }
        } while (page.size() == PAGE);
        return files;
    }

    private int remove(FillTicket ticket, VolumeGuard guard) throws IOException {
        // in this order: what has no temporary file any more cannot be renamed
        int files = removeTemporary(ticket.temporary(), guard);
        if (!fills.stored(ticket) && guard.delete(ticket.name())) {
            removed.labelValues(guard.name(), "copy").inc();
            files++;
        }
        return files;
    }

    private int removeTemporaries(VolumeGuard guard) throws IOException {
        int files = 0;
        for (String temporary : guard.temporaries()) {
            if (dead(temporary)) {
                files += removeTemporary(temporary, guard);
            }
        }
        return files;
    }

    private int removeTemporary(String temporary, VolumeGuard guard) throws IOException {
        if (!guard.deleteTemporary(temporary)) {
            return 0;
        }
        removed.labelValues(guard.name(), "temporary").inc();
        return 1;
    }

    private boolean dead(String temporary) throws DatabaseException {
        int dot = temporary.indexOf('.');
        try {
            long fill = Long.parseLong(temporary.substring(0, dot));
            long epoch = Long.parseLong(temporary.substring(dot + 1));
            return !fills.alive(fill, epoch, owner);
        } catch (NumberFormatException e) {
            // more digits than a fill can have: not ours
            return false;
        }
    }
}
