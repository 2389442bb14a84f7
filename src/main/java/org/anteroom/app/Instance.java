package org.anteroom.app;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.config.DataSources;
import org.anteroom.config.PoolLookup;
import org.anteroom.config.Settings;
import org.anteroom.config.Surroundings;
import org.anteroom.config.Unwritable;
import org.anteroom.delivery.FileHeaders;
import org.anteroom.delivery.HeaderPolicy;
import org.anteroom.eviction.UseWriter;
import org.anteroom.fill.Caching;
import org.anteroom.fill.Heads;
import org.anteroom.fill.Prefetch;
import org.anteroom.fill.Revalidation;
import org.anteroom.fill.SecondLook;
import org.anteroom.fill.WrongBytes;
import org.anteroom.http.AnswerLog;
import org.anteroom.http.FileService;
import org.anteroom.http.ListingService;
import org.anteroom.http.Transfers;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.Owner;
import org.anteroom.inventory.RetryPolicy;
import org.anteroom.inventory.UseLog;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.Drivers;
import org.anteroom.jdbc.LateDataSource;
import org.anteroom.jdbc.Migrations;
import org.anteroom.jdbc.Pools;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileKey;
import org.anteroom.s3.S3Clients;
import org.anteroom.tasks.Tasks;
import org.anteroom.volume.VolumeGuard;
import org.anteroom.volume.VolumeMetrics;
import org.anteroom.volume.VolumeSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One boot of the application: everything wired by constructors, started and stopped in order.
 *
 * <p>What can serve without the inventory is made here; what needs it is left to {@link CacheStart}.
 */
final class Instance {
    private static final Logger log = LoggerFactory.getLogger(Instance.class);

    private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final Duration STALL_CHECK = Duration.ofSeconds(2);
    private static final Duration LANE_CHECK = Duration.ofMillis(500);
    private static final Duration REFUSAL_CHECK = Duration.ofSeconds(2);
    /** How long one call of the API goes through a dataset: well below what proxies wait. */
    private static final Duration LONGEST_WALK = Duration.ofSeconds(20);

    private static final Duration LAST_WORK = Duration.ofSeconds(5);
    private static final int LEAST_MISS_THREADS = 16;

    private final Settings settings;
    private final String resource;
    private final Owner owner;
    private final Metrics metrics = new Metrics().withJvm();
    private final Tasks tasks = new Tasks(metrics);
    private final InstantSource clock = InstantSource.system();
    private final Ticker ticker = Ticker.systemTicker();
    private final DataSources dataSources;
    private final Pools pools = new Pools(metrics);
    private final Inventory inventory;
    private final S3Clients stores = new S3Clients(metrics, ticker);
    private final Volumes volumes;
    private final List<VolumeGuard> guards;
    private final ArchiveGate archive;
    private final Locations<FileHeaders> locations;
    private final Heads heads;
    private final UseWriter useWriter;
    private final Caching caching;
    private final AnswerLog answers = new AnswerLog(ticker);
    private final Transfers transfers;
    private final FileService files;
    private final ListingService listings;
    private final CacheStart cacheStart;
    private final Prefetch prefetch;
    private final InstanceHealth health;

    private Instance(
            Settings settings,
            DataSources dataSources,
            PoolLookup.Found pool,
            Optional<DataSource> migrate,
            Decorations decorations) {
        this.settings = settings;
        this.resource = pool.name();
        this.owner = new Owner(settings.instance().name(), UUID.randomUUID().toString());
        this.dataSources = dataSources;
        Migrations migrations = new Migrations(migrate, Instance.class.getClassLoader());
        Duration lookupTimeout = settings.inventory().lookupTimeout();
        this.inventory = Inventory.over(
                new Database("inventory", pool.pool(), migrations, tasks, pools),
                lookupTimeout,
                RetryPolicy.of(settings.fill().attempts()),
                clock);
        this.volumes = new Volumes(settings, stores, tasks, metrics, ticker);
        this.guards = guards(decorations);
        Archive plain = Archives.of(settings, stores, tasks, clock, ticker);
        this.archive = new ArchiveGate(decorations.archive().apply(plain), settings.archive(), tasks, clock, ticker);
        WrongBytes wrong = new WrongBytes(ticker, metrics);
        this.caching =
                new Caching(settings.caching(), wrong, new SecondLook(archive.background(), wrong, tasks), ticker);
        HeaderPolicy policy = new HeaderPolicy(settings.headers());
        this.locations = locations(policy, lookupTimeout);
        UseLog uses = new UseLog(clock);
        this.useWriter = useWriter(uses);
        this.transfers = new Transfers(settings.delivery(), metrics);
        this.heads = new Heads(
                archive,
                inventory.heads(),
                settings.archive().headTtl(),
                lookupTimeout,
                tasks.pool("heads", 2, 4096),
                this::mayChange,
                tasks,
                ticker);
        this.files = new FileService(
                policy,
                heads,
                locations,
                caching,
                archive,
                inventory.copies(),
                uses,
                transfers,
                answers,
                tasks,
                Math.max(LEAST_MISS_THREADS, settings.archive().concurrency()),
                guards.size(),
                lookupTimeout,
                clock,
                ticker);
        this.listings = new ListingService(files);
        this.cacheStart = new CacheStart(this);
        this.prefetch = new Prefetch(
                archive.background(),
                inventory.queue(),
                owner,
                caching::volumes,
                cacheStart::wakeWorkers,
                LONGEST_WALK);
        this.health = new InstanceHealth(this);
    }

    private Locations<FileHeaders> locations(HeaderPolicy policy, Duration lookupTimeout) {
        Revalidation revalidation = new Revalidation(
                settings.caching().revalidate(),
                archive.background(),
                inventory.copies(),
                this::forget,
                this::mayChange,
                tasks,
                clock,
                ticker,
                metrics);
        return new Locations<>(
                settings.inventory(),
                objid -> {
                    List<CopyRow> copies = readable(inventory.copies().find(objid, lookupTimeout));
                    revalidation.seen(objid, copies);
                    return copies;
                },
                (objid, facts) -> policy.headers(FileKey.parse(objid), facts),
                tasks.pool("locations", 4, 4096),
                ticker,
                metrics);
    }

    private UseWriter useWriter(UseLog uses) {
        return new UseWriter(
                uses,
                inventory.uses(),
                settings.inventory().locationTtl(),
                settings.eviction().grace(),
                metrics);
    }

    /** Copies in volumes that are no longer configured, or are another instance's, are none to this one. */
    private List<CopyRow> readable(List<CopyRow> copies) {
        return copies.stream()
                .filter(copy -> caching.volume(copy.volumeId()) != null)
                .toList();
    }

    /** A boot that has lost its name, or has none yet, changes nothing. */
    private boolean mayChange() {
        return cacheStart.isDone() && !cacheStart.lostItsName();
    }

    private void forget(String objid) {
        locations.forget(objid);
    }

    private List<VolumeGuard> guards(Decorations decorations) {
        VolumeMetrics volumeMetrics = new VolumeMetrics(metrics);
        List<VolumeSettings> volumes = settings.volumes();
        return volumes.stream()
                .map(volume -> new VolumeGuard(
                        decorations.volume().apply(this.volumes.of(volume)),
                        volume,
                        Math.max(1, FileService.MOST_READS / volumes.size()),
                        volumeMetrics,
                        clock,
                        ticker))
                .toList();
    }

    /**
     * Starts an instance.
     *
     * @throws StartException if something that only an operator can mend forbids it
     */
    static Instance start(Settings settings, Surroundings surroundings, Decorations decorations) throws StartException {
        checkFileNames();
        DataSources dataSources = new DataSources(surroundings);
        Instance instance = new Instance(
                settings,
                dataSources,
                pool(DataSources.INVENTORY, dataSources::inventory),
                migrate(dataSources),
                decorations);
        try {
            instance.begin();
        } catch (StartException | RuntimeException e) {
            instance.stop();
            throw e;
        }
        return instance;
    }

    /** JDK 17 cannot make a path of a name that the platform's encoding lacks. */
    private static void checkFileNames() {
        String encoding = System.getProperty("sun.jnu.encoding", "");
        if (!encoding.isEmpty()
                && Charset.isSupported(encoding)
                && !Charset.forName(encoding).name().equals("UTF-8")) {
            log.warn(
                    "File names are encoded as {}, so files with other characters in their names cannot be read;"
                            + " set LC_ALL=C.UTF-8 in the environment of the container",
                    encoding);
        }
    }

    /** A pool, or what becomes one as soon as the container can make it. */
    private static PoolLookup.Found pool(String name, Supplier<PoolLookup> lookup) throws StartException {
        PoolLookup first = lookup.get();
        if (first instanceof PoolLookup.Found found) {
            return found;
        }
        if (first instanceof PoolLookup.Failed failed && !failed.mayHeal()) {
            throw new StartException(failed.message());
        }
        return new PoolLookup.Found(name, new LateDataSource(() -> {
            PoolLookup again = lookup.get();
            if (again instanceof PoolLookup.Found found) {
                return found.pool();
            }
            throw new IOException(again instanceof PoolLookup.Failed failed ? failed.message() : "no pool");
        }));
    }

    /** The pool for changes of the schema; where there is none, the inventory's own is good for them. */
    private static Optional<DataSource> migrate(DataSources dataSources) throws StartException {
        if (dataSources.migrate().isEmpty()) {
            return Optional.empty();
        }
        Supplier<PoolLookup> lookup = () -> dataSources.migrate().orElseGet(dataSources::inventory);
        return Optional.of(pool(DataSources.MIGRATE, lookup).pool());
    }

    private void begin() throws StartException {
        String location = settings.archive().location();
        if (settings.sampleArchive()) {
            layOutSamples(Path.of(location));
        }
        archive.schedule(tasks);
        guards.forEach(guard -> guard.schedule(tasks));
        tasks.everyToTheEnd("stalled-transfers", STALL_CHECK, transfers::dropStalled);
        tasks.everyToTheEnd("volume-lanes", LANE_CHECK, files::relieveLanes);
        tasks.everyToTheEnd("hidden-refusals", REFUSAL_CHECK, answers::tellHidden);
        cacheStart.attempt(FIRST_ATTEMPT);
        if (!cacheStart.isDone()) {
            tasks.every("cache-start", RETRY, () -> cacheStart.attemptAgain(FIRST_ATTEMPT));
        }
        tasks.every("inventory-probe", RETRY, health::probeInventory);
        useWriter.schedule(tasks);
        health.started();
        log.info(
                "Anteroom {} serves {} ({}); try {}",
                settings.instance().name(),
                location,
                settings.archive().kind(),
                settings.sampleArchive() ? "/files/tides-2024/readme.txt" : "/files/DATASET/PATH");
    }

    private static void layOutSamples(Path location) throws StartException {
        try {
            if (SampleArchive.layOut(location)) {
                log.info("Laid out the sample archive in {}", location);
            }
        } catch (IOException e) {
            Path folder = Objects.requireNonNullElse(location.getParent(), location);
            throw new StartException(Unwritable.message("lay out its sample archive", folder, e));
        }
    }

    /** Stops: no new requests; transfers and fills get the grace to end; then everything else, in order. */
    void stop() {
        long deadline = System.nanoTime() + settings.instance().shutdownGrace().toNanos();
        health.stopping();
        files.stopAccepting();
        cacheStart.stopClaiming();
        tasks.stopPeriodic();
        if (!transfers.awaitNone(left(deadline))) {
            log.warn("{} transfers are broken off by the stop", transfers.active());
            transfers.abortAll();
        }
        caching.stop(left(deadline));
        cacheStart.stopWorkers(left(deadline));
        useWriter.flush();
        archive.close();
        cacheStart.release();
        List<String> stuck = tasks.stop(LAST_WORK);
        if (!stuck.isEmpty()) {
            log.warn("Threads that did not end are left behind: {}", stuck);
        }
        stores.close();
        volumes.close();
        cacheStart.close();
        dataSources.close();
        Drivers.deregister(Instance.class.getClassLoader());
        log.info("Anteroom {} has stopped", settings.instance().name());
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    Settings settings() {
        return settings;
    }

    /** What the inventory's pool is called where it comes from. */
    String resource() {
        return resource;
    }

    Owner owner() {
        return owner;
    }

    Metrics metrics() {
        return metrics;
    }

    Tasks tasks() {
        return tasks;
    }

    Pools pools() {
        return pools;
    }

    Inventory inventory() {
        return inventory;
    }

    List<VolumeGuard> guards() {
        return guards;
    }

    ArchiveGate archive() {
        return archive;
    }

    Locations<FileHeaders> locations() {
        return locations;
    }

    Caching caching() {
        return caching;
    }

    AnswerLog answers() {
        return answers;
    }

    FileService files() {
        return files;
    }

    ListingService listings() {
        return listings;
    }

    Heads heads() {
        return heads;
    }

    Prefetch prefetch() {
        return prefetch;
    }

    CacheStart cacheStart() {
        return cacheStart;
    }

    InstanceHealth health() {
        return health;
    }
}
