package org.anteroom.app;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.anteroom.eviction.Evictor;
import org.anteroom.eviction.Reaper;
import org.anteroom.fill.FillWorkers;
import org.anteroom.fill.Fills;
import org.anteroom.fill.Placement;
import org.anteroom.integrity.BootLease;
import org.anteroom.integrity.BootLock;
import org.anteroom.integrity.Recovery;
import org.anteroom.integrity.SecondBootException;
import org.anteroom.inventory.LeaseStore;
import org.anteroom.inventory.NewVolume;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStatus;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.tasks.Tasks;
import org.anteroom.volume.Adoption;
import org.anteroom.volume.VolumeGuard;
import org.anteroom.volume.VolumeSettings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The start of all that needs the inventory: schema, the instance's name, volumes and their identity, recovery, fills, eviction.
 *
 * <p>It is tried when the instance starts and, while the inventory is away, again and again until it succeeds once. Until
 * the volumes are known every file is passed through; until the instance has its name, copies are read and none are made,
 * since the last boot, if it was killed, keeps the name for a while. What is merely away never stops the instance; a new volume that cannot be made, or a
 * second living boot, does if that is found at the start.
 */
final class CacheStart {
    private static final Logger log = LoggerFactory.getLogger(CacheStart.class);
    private static final Duration VOLUME_ROWS_PERIOD = Duration.ofSeconds(2);

    private static final Duration HANGING_FILLS_PERIOD = Duration.ofMillis(500);

    /** How long the name of the instance may wait for the database; a stop waits for it. */
    private static final Duration NAME_WAIT = Duration.ofSeconds(5);

    /** How long a start waits for all volumes to show what they are. */
    private static final Duration ADOPTION_WAIT = Duration.ofSeconds(5);

    private final Instance instance;
    private final Recovery recovery;
    private final Told told = new Told();
    private final Adoptions adoptions;
    /** Held for a moment only, never over I/O, so that a stop need not wait for an attempt. */
    private final Object lockGuard = new Object();

    private final BootLease bootLease;
    private @Nullable BootLock bootLock;
    private boolean named;
    private @Nullable Map<Long, VolumeGuard> volumes;
    private boolean stoppedMaking;
    private boolean closed;
    private volatile @Nullable FillWorkers workers;
    private volatile boolean done;

    CacheStart(Instance instance) {
        this.instance = instance;
        int volumes = Math.max(1, instance.guards().size());
        this.adoptions = new Adoptions(instance.tasks().pool("adoption", volumes, volumes));
        Inventory inventory = instance.inventory();
        this.bootLease = new BootLease(new LeaseStore(inventory.database(), NAME_WAIT), instance.owner());
        this.recovery = new Recovery(
                inventory.fills(), inventory.leases(), inventory.volumes(), instance.owner(), instance.metrics());
    }

    /**
     * Tries once; further calls do nothing once it has succeeded.
     *
     * @param wait how long to wait for the inventory
     * @throws StartException if an error of the configuration or of the operation forbids it
     */
    synchronized void attempt(Duration wait) throws StartException {
        if (done) {
            return;
        }
        try {
            requireName();
            instance.inventory().database().probe(wait);
            requireName();
            boolean mine = takeName(wait);
            Map<Long, VolumeGuard> found = read();
            if (mine) {
                open(found);
                done = true;
                log.info("The cache is open, with {} volumes", found.size());
            }
        } catch (DatabaseException e) {
            String said = String.valueOf(e.getMessage());
            if (!told.first(said)) {
                log.debug("The inventory is still of no use: {}", said);
            } else if (unusable(e)) {
                log.error(
                        "The inventory {} cannot be used, so files are passed through uncached until that is mended: {}",
                        instance.resource(),
                        said);
            } else {
                log.warn(
                        "The inventory {} is away, so files are passed through uncached until it is back: {}",
                        instance.resource(),
                        said);
            }
        }
    }

    /** The volumes, of which copies are read from now on. */
    private Map<Long, VolumeGuard> read() throws DatabaseException, StartException {
        Map<Long, VolumeGuard> found = volumes;
        if (found == null) {
            found = volumes();
            instance.caching().read(found);
            volumes = found;
        }
        return found;
    }

    /** Whether the database answers, and is of no use as it is. */
    static boolean unusable(DatabaseException failure) {
        return switch (failure.reason()) {
            case TIMEOUT, AWAY -> false;
            case CONFLICT, OTHER -> true;
        };
    }

    /** Tries again after the start; what forbids it is told once. */
    synchronized void attemptAgain(Duration wait) {
        try {
            attempt(wait);
        } catch (StartException e) {
            if (told.first(String.valueOf(e.getMessage()))) {
                log.error("The cache is not opened: {}", e.getMessage());
            }
        }
    }

    /** Whether it has succeeded. */
    boolean isDone() {
        return done;
    }

    /** Gives the name free that the instance has in a database that several share; what still runs is ended there. */
    void release() {
        bootLease.close();
    }

    /** Gives the name free that the instance has beside its own database, which nobody uses any more. */
    void close() {
        BootLock held;
        synchronized (lockGuard) {
            closed = true;
            held = bootLock;
            bootLock = null;
        }
        giveUp(held);
    }

    private static void giveUp(@Nullable BootLock held) {
        if (held != null) {
            try {
                held.close();
            } catch (IOException e) {
                log.warn("The boot lock was not given up cleanly: {}", e.getMessage());
            }
        }
    }

    /** Whether another boot has taken the name. */
    boolean lostItsName() {
        return bootLease.lost();
    }

    /** The instance's name, which no other living boot can have; false while it is not known whether another one lives. */
    private boolean takeName(Duration wait) throws StartException, DatabaseException {
        if (named) {
            return true;
        }
        Optional<Path> file = instance.inventory().database().file(wait);
        try {
            if (file.isPresent()) {
                lock(file.get());
                named = true;
            } else if (bootLease.take()) {
                instance.tasks().everyToTheEnd("boot-lease", BootLease.RENEWAL, this::renewName);
                named = true;
            } else if (told.first("another boot")) {
                log.warn(
                        "Another boot of the instance {} has not given up its name: copies are read, and none are made until"
                                + " it does; if it was killed, that takes {} s at most",
                        instance.settings().instance().name(),
                        BootLease.DURATION.toSeconds());
            }
        } catch (SecondBootException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        }
        return named;
    }

    private void renewName() {
        bootLease.renew();
        if (bootLease.lost() && !stoppedMaking) {
            stoppedMaking = true;
            stopClaiming();
            instance.caching().stop(Duration.ZERO);
            stopWorkers(Duration.ZERO);
        }
    }

    /** Lets the queue of fills be looked at, if this instance makes copies by now. */
    void wakeWorkers() {
        FillWorkers started = workers;
        if (started != null) {
            started.wake();
        }
    }

    /** Claims no more fills from the queue. */
    void stopClaiming() {
        FillWorkers started = workers;
        if (started != null) {
            started.stopClaiming();
        }
    }

    /** Ends the work on the queue of fills. */
    void stopWorkers(Duration grace) {
        FillWorkers started = workers;
        if (started != null) {
            started.stop(grace);
        }
    }

    private void lock(Path database) throws SecondBootException, StartException {
        try {
            keep(BootLock.take(database, instance.settings().instance().name()));
        } catch (IOException e) {
            throw new StartException("the file that guards against a second living boot cannot be made beside "
                    + database + ": " + e.getMessage());
        }
    }

    private void keep(BootLock taken) throws StartException {
        synchronized (lockGuard) {
            if (!closed) {
                bootLock = taken;
                return;
            }
        }
        giveUp(taken);
        throw new StartException("the instance is stopping");
    }

    /** Several instances on one database are told apart by names that somebody chose. */
    private void requireName() throws StartException {
        boolean server = instance.inventory()
                .database()
                .kind()
                .filter(Database.Kind.SERVER::equals)
                .isPresent();
        if (server && !instance.settings().instance().named()) {
            throw new StartException(
                    "instance.name is missing: with PostgreSQL each instance needs a name of its own that"
                            + " stays the same over restarts; write instance.name = NAME into the properties file");
        }
    }

    private Map<Long, VolumeGuard> volumes() throws DatabaseException, StartException {
        Map<Long, VolumeGuard> volumes = new LinkedHashMap<>();
        List<String> unusable = new ArrayList<>();
        for (VolumeGuard guard : instance.guards()) {
            VolumeRow row = instance.inventory().volumes().register(describe(guard.settings()));
            volumes.put(row.id(), guard);
            adoptions.begin(guard.name(), () -> adopt(guard, row));
        }
        long deadline = System.nanoTime() + ADOPTION_WAIT.toNanos();
        for (VolumeGuard guard : volumes.values()) {
            Adoption adoption = adoptions.await(guard.name(), left(deadline));
            if (adoption instanceof Adoption.Unusable why) {
                unusable.add("the new volume " + guard.name() + " cannot be made at " + why.reason());
            } else if (adoption instanceof Adoption.Degraded why && told.first(guard.name() + ": " + why.reason())) {
                log.warn("Volume {} is degraded: {}", guard.name(), why.reason());
            }
        }
        if (!unusable.isEmpty()) {
            throw new StartException(String.join("; ", unusable));
        }
        return volumes;
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    /** Settles the identity of a volume, however long it takes. */
    private Adoption adopt(VolumeGuard guard, VolumeRow row) throws DatabaseException {
        Adoption adoption = guard.adopt(row.marker());
        if (adoption instanceof Adoption.Ready ready && row.marker() == null) {
            Optional<String> other = otherWith(ready.marker(), row.id());
            if (other.isPresent()) {
                // its copies would belong to the other row: found by nobody, and never freed
                return new Adoption.Unusable(guard.settings().location() + ": it is the volume " + other.get()
                        + "; give it that name again, or take an empty folder");
            }
        }
        if (adoption instanceof Adoption.Ready ready
                && row.marker() == null
                && !instance.inventory().volumes().setMarker(row.id(), ready.marker())) {
            return guard.adopt(marker(row.id()));
        }
        return adoption;
    }

    private Optional<String> otherWith(String marker, long volumeId) throws DatabaseException {
        return instance.inventory().volumes().all().stream()
                .filter(row -> row.id() != volumeId && marker.equals(row.marker()))
                .map(VolumeRow::name)
                .findFirst();
    }

    private @Nullable String marker(long volumeId) throws DatabaseException {
        return instance.inventory()
                .volumes()
                .get(volumeId)
                .map(VolumeRow::marker)
                .orElse(null);
    }

    private NewVolume describe(VolumeSettings volume) {
        return new NewVolume(
                volume.name(),
                volume.shared() ? "" : instance.settings().instance().name(),
                volume.kind(),
                volume.location(),
                volume.capacity(),
                VolumeStatus.parse(volume.status()),
                volume.priority());
    }

    private void open(Map<Long, VolumeGuard> volumes) throws DatabaseException {
        Inventory inventory = instance.inventory();
        Tasks tasks = instance.tasks();
        // last of what can fail for the inventory's sake, so that everything below is made once
        recovery.start();
        VolumeRows rows = new VolumeRows(inventory.volumes());
        rows.refresh();
        Placement placement = new Placement(volumes, rows);
        Fills fills = new Fills(
                inventory.fills(),
                placement,
                instance.archive().blocking(),
                instance.locations(),
                instance.caching().wrong(),
                instance.owner(),
                instance.settings().archive().concurrency(),
                tasks,
                tasks.metrics());
        instance.caching().open(volumes, fills);
        Evictor evictor = new Evictor(
                inventory.volumes(),
                inventory.plans(),
                inventory.leases(),
                instance.owner(),
                volumes,
                instance.locations(),
                instance.settings().eviction(),
                tasks.metrics());
        Reaper reaper = new Reaper(
                inventory.copies(),
                inventory.plans(),
                inventory.volumes(),
                volumes,
                instance.locations(),
                instance.settings().eviction(),
                tasks.metrics());
        // a boot that has lost its name changes nothing any more
        BooleanSupplier permitted = () -> !bootLease.lost();
        FillWorkers filling = new FillWorkers(
                inventory.queue(),
                inventory.fills(),
                fills,
                placement,
                instance.archive()::background,
                instance.owner(),
                instance.settings().fill(),
                // while the archive is away, what is queued waits for it
                () -> permitted.getAsBoolean() && instance.archive().health().ok(),
                tasks);
        workers = filling;
        filling.schedule();
        recovery.schedule(tasks, volumes, permitted, fills::atWork);
        tasks.every("volume-rows", VOLUME_ROWS_PERIOD, rows::refresh);
        tasks.everyToTheEnd("fill-leases", Fills.RENEWAL, fills::renew);
        tasks.everyToTheEnd("hanging-fills", HANGING_FILLS_PERIOD, fills::relieve);
        evictor.schedule(tasks, permitted);
        reaper.schedule(tasks, permitted);
    }
}
