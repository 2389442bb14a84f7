package org.anteroom.eviction;

import io.prometheus.metrics.core.metrics.Counter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import org.anteroom.inventory.CandidateSource;
import org.anteroom.inventory.ItemState;
import org.anteroom.inventory.Lease;
import org.anteroom.inventory.LeaseStore;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.NewPlan;
import org.anteroom.inventory.Owner;
import org.anteroom.inventory.PlanItem;
import org.anteroom.inventory.PlanRow;
import org.anteroom.inventory.PlanStep;
import org.anteroom.inventory.PlanStore;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStatus;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.anteroom.volume.VolumeGuard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheduler of deletion plans: it keeps the volumes of this instance between their watermarks, and makes room where a
 * fill found none.
 *
 * <p>The protocol, for each volume. A plan is made under a lease that one owner in the fleet has, stored whole, then
 * started, then carried out: its copies are condemned in short transactions, each conditional on the lease. What became
 * of a plan lies in the inventory alone; one whose owner died is found running and carried on by the next who looks. A
 * volume has one running plan, which is done when the {@link Reaper} has deleted what it condemned; until then no other
 * is made, since those bytes still count as used.
 */
public final class Evictor {
    private static final Logger log = LoggerFactory.getLogger(Evictor.class);

    /** How soon a fill that found no room is heard. */
    private static final Duration PERIOD = Duration.ofSeconds(2);

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration KEPT = Duration.ofDays(7);
    private static final int BATCH = 100;

    private final VolumeStore volumes;
    private final PlanStore plans;
    private final LeaseStore leases;
    private final Owner owner;
    private final Map<Long, VolumeGuard> guards;
    private final Locations<?> locations;
    private final EvictionSettings settings;
    private final Counter ended;
    /** The running plan of a volume, by the volume's id; only what has been seen, the truth is in the inventory. */
    private final ConcurrentMap<Long, Long> running = new ConcurrentHashMap<>();
    /** Volumes of which it was said that nothing in them can go. */
    private final Set<Long> stuck = ConcurrentHashMap.newKeySet();
    /** What failed the last time. */
    private final Set<String> failing = ConcurrentHashMap.newKeySet();

    private long looks;

    /**
     * A scheduler that does nothing until it is asked.
     *
     * @param guards this instance's volumes by their id in the inventory
     * @throws IllegalArgumentException if the settings name a strategy that does not exist
     */
    public Evictor(
            VolumeStore volumes,
            PlanStore plans,
            LeaseStore leases,
            Owner owner,
            Map<Long, VolumeGuard> guards,
            Locations<?> locations,
            EvictionSettings settings,
            Metrics metrics) {
        this.volumes = volumes;
        this.plans = plans;
        this.leases = leases;
        this.owner = owner;
        this.guards = Map.copyOf(guards);
        this.locations = locations;
        this.settings = settings;
        settings.volumes().values().forEach(volume -> Strategy.named(volume.strategy()));
        this.ended = metrics.counter("anteroom_plans", "Deletion plans that ended, by how", "end");
        metrics.gauge("anteroom_plans_running", "Deletion plans that are being carried out", running::size);
    }

    /**
     * Lets all volumes be looked at once in every interval, and those that want a plan within seconds.
     *
     * @param permitted whether this instance may change anything; asked before each look
     */
    public void schedule(Tasks tasks, BooleanSupplier permitted) {
        Duration period = settings.interval().compareTo(PERIOD) < 0 ? settings.interval() : PERIOD;
        long looksPerInterval = Math.max(1, settings.interval().dividedBy(period));
        tasks.every("eviction", period, () -> {
            if (permitted.getAsBoolean()) {
                look(looks++ % looksPerInterval == 0);
            }
        });
    }

    /** Looks at all volumes of this instance, makes the plans that are due, and carries on those that are running. */
    public void tick() {
        look(true);
    }

    /** Looks only at the volumes that ask for a plan or have one that runs. */
    void shortTick() {
        look(false);
    }

    private void look(boolean whole) {
        if (whole) {
            attempt("old plans", () -> {
                plans.expire();
                plans.pruneEnded(KEPT, BATCH);
            });
        }
        attempt("the volumes", () -> {
            for (VolumeRow volume : volumes.all()) {
                VolumeGuard guard = guards.get(volume.id());
                if (guard != null) {
                    attempt("volume " + guard.name(), () -> look(volume, guard, whole));
                }
            }
        });
    }

    /** Something that needs the inventory. */
    private interface Step {
        void run() throws DatabaseException;
    }

    /** Tries one thing; that it fails keeps nothing else waiting, and is told once until it works again. */
    private void attempt(String what, Step step) {
        try {
            step.run();
            failing.remove(what);
        } catch (DatabaseException e) {
            boolean waits =
                    e.reason() == DatabaseException.Reason.AWAY || e.reason() == DatabaseException.Reason.TIMEOUT;
            if (waits || !failing.add(what)) {
                log.debug("Eviction ({}) waits for the inventory: {}", what, e.getMessage());
            } else {
                log.warn("Eviction ({}) failed and will be tried again: {}", what, e.getMessage());
            }
        }
    }

    private void look(VolumeRow volume, VolumeGuard guard, boolean whole) throws DatabaseException {
        VolumeEviction how = settings.volumes().get(guard.name());
        if (how == null || volume.status() != VolumeStatus.ACTIVE) {
            return;
        }
        boolean known = running.containsKey(volume.id());
        boolean wanted = volume.planWanted() > 0;
        Optional<PlanRow> plan = whole || wanted || known ? seen(volume.id(), guard.name()) : Optional.empty();
        boolean due;
        if (plan.isPresent()) {
            due = plan.get().pending().copies() > 0;
        } else {
            due = (wanted && !known) || (whole && Need.ofWatermarks(volume, how) > 0);
        }
        // a full disk fails writes, and is what room is made for; a volume that cannot be read is left alone
        if (due && guard.readable()) {
            carryOn(volume.id(), guard, how);
        }
    }

    /** The running plan of a volume; notes it, or else how the one that was running has ended. */
    private Optional<PlanRow> seen(long volumeId, String name) throws DatabaseException {
        Optional<PlanRow> now = plans.running(volumeId);
        Long before = now.isPresent() ? running.put(volumeId, now.get().id()) : running.remove(volumeId);
        if (before != null && (now.isEmpty() || now.get().id() != before)) {
            plans.get(before).ifPresent(plan -> over(plan, name));
        }
        return now;
    }

    private void over(PlanRow plan, String volume) {
        ended.labelValues(plan.state().text()).inc();
        log.info(
                "Plan {} for volume {} is {}: promised {} copies ({} bytes), freed {} ({}), skipped {} ({}), failed {} ({})",
                plan.id(),
                volume,
                plan.state().text(),
                plan.promised().copies(),
                plan.promised().bytes(),
                plan.freed().copies(),
                plan.freed().bytes(),
                plan.skipped().copies(),
                plan.skipped().bytes(),
                plan.failed().copies(),
                plan.failed().bytes());
    }

    private void carryOn(long volumeId, VolumeGuard guard, VolumeEviction how) throws DatabaseException {
        Optional<Lease> lease = leases.acquire("plan:" + volumeId, owner, LEASE);
        if (lease.isEmpty()) {
            return;
        }
        try {
            Optional<PlanRow> plan = plans.running(volumeId);
            if (plan.isEmpty()) {
                plan = make(lease.get(), volumeId, guard.name(), how);
            }
            if (plan.isPresent()) {
                condemn(lease.get(), plan.get(), guard);
                seen(volumeId, guard.name());
            }
        } finally {
            leases.release(lease.get());
        }
    }

    /** Makes and starts the plan that a volume needs now; empty if it needs none, or nothing in it can go. */
    private Optional<PlanRow> make(Lease lease, long volumeId, String name, VolumeEviction how)
            throws DatabaseException {
        long wanted = volumes.takePlanWanted(lease, volumeId);
        Optional<VolumeRow> volume = volumes.get(volumeId);
        long free = volume.isEmpty()
                ? 0
                : Math.max(Need.ofWish(volume.get(), wanted), Need.ofWatermarks(volume.get(), how));
        if (free == 0) {
            return Optional.empty();
        }
        CandidateSource candidates = Strategy.named(how.strategy()).candidates(plans, volumeId, settings.minAge());
        NewPlan wish = new NewPlan(volumeId, how.strategy(), free, settings.planExpiry());
        Optional<PlanRow> made = plans.create(lease, wish, limit -> {
            leases.renew(lease, LEASE);
            return candidates.next(limit);
        });
        if (made.isEmpty()) {
            return made;
        }
        if (made.get().promised().copies() == 0) {
            plans.drop(made.get().id());
            if (stuck.add(volumeId)) {
                log.warn("Volume {} needs {} bytes, but none of its copies can go now", name, free);
            }
            return Optional.empty();
        }
        stuck.remove(volumeId);
        if (!plans.start(lease, made.get().id())) {
            return Optional.empty();
        }
        running.put(volumeId, made.get().id());
        return made;
    }

    private void condemn(Lease lease, PlanRow plan, VolumeGuard guard) throws DatabaseException {
        // items are taken by position, from 1 without gaps
        long position = plan.promised().copies() - plan.pending().copies();
        boolean more = true;
        while (more && guard.readable() && leases.renew(lease, LEASE)) {
            Optional<PlanStep> step = plans.condemnNext(lease, plan.id(), BATCH);
            if (step.isEmpty()) {
                return;
            }
            position = forget(plan.id(), position, step.get());
            more = step.get().more();
        }
    }

    /** Lets the next readers of what a step condemned ask the inventory, where they rescue it. */
    private long forget(long planId, long position, PlanStep step) throws DatabaseException {
        int items = step.condemned() + step.skipped();
        if (items > 0) {
            for (PlanItem item : plans.items(planId, position, items)) {
                if (item.state() == ItemState.CONDEMNED) {
                    locations.forget(item.objid());
                }
            }
        }
        return position + items;
    }
}
