package org.anteroom.admin;

import com.github.benmanes.caffeine.cache.Ticker;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.archive.ArchiveSettings;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.FolderPage;
import org.anteroom.fill.Caching;
import org.anteroom.fill.CachingSettings;
import org.anteroom.fill.Heads;
import org.anteroom.fill.Prefetch;
import org.anteroom.fill.SecondLook;
import org.anteroom.fill.WrongBytes;
import org.anteroom.inventory.BeginResult;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.FillTicket;
import org.anteroom.inventory.HeadStore;
import org.anteroom.inventory.InventorySettings;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.NewFill;
import org.anteroom.inventory.NewVolume;
import org.anteroom.inventory.Owner;
import org.anteroom.inventory.RetryPolicy;
import org.anteroom.inventory.VolumeStatus;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.Migrations;
import org.anteroom.jdbc.Pools;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.anteroom.tasks.Tasks;

/** A SQLite inventory with its stores, the memory over it, and an archive whose bytes can be held back. */
final class TestInventory implements AutoCloseable {
    static final Duration WAIT = Duration.ofSeconds(20);
    static final long CAPACITY = 1L << 40;

    final Metrics metrics = new Metrics();
    final Tasks tasks = new Tasks(metrics);
    final Pools pools = new Pools(metrics);
    final Owner owner = new Owner("here", "boot");
    final Caching caching;
    final HeldArchive held = new HeldArchive();
    final Database database;
    final VolumeStore volumes;
    final CopyStore copies;
    final FillStore fills;
    final FillQueue queue;
    final Prefetch prefetch;
    final AtomicInteger wakes = new AtomicInteger();
    final Locations<String> locations;
    final ArchiveGate gate;

    private final Set<Long> known = ConcurrentHashMap.newKeySet();
    private final HikariDataSource source;
    private final AtomicLong names = new AtomicLong();

    /** An inventory that was not reached yet. */
    TestInventory(Path folder) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:sqlite:" + folder.resolve("inventory.db"));
        config.setMaximumPoolSize(3);
        source = new HikariDataSource(config);
        database = new Database(
                "inventory",
                source,
                new Migrations(Optional.empty(), TestInventory.class.getClassLoader()),
                tasks,
                pools);
        volumes = new VolumeStore(database, WAIT);
        copies = new CopyStore(database, WAIT);
        fills = new FillStore(database, WAIT);
        queue = new FillQueue(database, WAIT, RetryPolicy.of(2));
        locations = new Locations<>(
                new InventorySettings(Duration.ofSeconds(30), Duration.ofSeconds(1), 1000),
                objid -> copies.find(objid, WAIT),
                (objid, facts) -> objid,
                tasks.pool("locations", 1, 10),
                Ticker.systemTicker(),
                metrics);
        ArchiveSettings settings =
                new ArchiveSettings("held", "nowhere", 4, WAIT, WAIT, WAIT, WAIT, Duration.ofHours(1));
        gate = new ArchiveGate(held, settings, tasks, InstantSource.system(), Ticker.systemTicker());
        WrongBytes wrong = new WrongBytes(Ticker.systemTicker(), metrics);
        SecondLook secondLook = new SecondLook(gate.background(), wrong, tasks);
        caching = new Caching(CachingSettings.STANDARD, wrong, secondLook, Ticker.systemTicker());
        prefetch = new Prefetch(gate.blocking(), queue, owner, () -> known, wakes::incrementAndGet, WAIT);
    }

    /** An inventory that works. */
    static TestInventory open(Path folder) throws IOException {
        TestInventory inventory = new TestInventory(folder);
        inventory.database.probe(WAIT);
        return inventory;
    }

    ApiServlet servlet() {
        Heads heads = new Heads(
                gate, new HeadStore(database), WAIT, WAIT, Runnable::run, () -> true, tasks, Ticker.systemTicker());
        return new ApiServlet(volumes, copies, fills, queue, prefetch, heads, caching, locations, gate, pools);
    }

    /** Registers a volume and gives its id. */
    long volume(String name, String owner) throws IOException {
        long id = volumes.register(
                        new NewVolume(name, owner, "filesystem", "/cache/" + name, CAPACITY, VolumeStatus.ACTIVE, 0))
                .id();
        known.add(id);
        return id;
    }

    /** Reserves room for a copy and begins its fill, which nobody carries out. */
    FillTicket begin(String objid, long volume) throws IOException {
        NewFill fill = new NewFill(objid, facts(objid), nextName(), owner, Duration.ofMinutes(5), Set.of(volume));
        return ((BeginResult.Begun) fills.begin(fill, List.of(volume), WAIT, late -> {})).ticket();
    }

    /** Makes a copy known, without a file. */
    CopyRow copy(String objid, long volume) throws IOException {
        return fills.complete(begin(objid, volume), owner, facts(objid)).orElseThrow();
    }

    static FileFacts facts(String objid) {
        byte[] bytes = objid.getBytes(StandardCharsets.UTF_8);
        return new FileFacts(bytes.length, Instant.EPOCH, "\"tag\"", Sha256.of(bytes), null);
    }

    private String nextName() {
        return HexFormat.of().toHexDigits(names.incrementAndGet()).repeat(2);
    }

    @Override
    public void close() {
        gate.close();
        tasks.stop(Duration.ofSeconds(5));
        source.close();
    }

    /**
     * An archive in which a file's bytes are its objid, and which gives none before it is released. What is called missing
     * is not there; the length of what is called endless is not known. It lists what it is told to.
     */
    static final class HeldArchive implements Archive {
        private final CountDownLatch released = new CountDownLatch(1);
        /** Names of files by their folder, {@code DATASET/PATH/}. */
        final Map<String, NavigableSet<String>> folders = new ConcurrentHashMap<>();

        final AtomicLong heads = new AtomicLong();

        void release() {
            released.countDown();
        }

        @Override
        public FileFacts head(FileKey key) throws IOException {
            heads.incrementAndGet();
            if (key.path().equals("missing")) {
                throw new FailureException(FailureReason.NOT_FOUND, "The archive has no such file.");
            }
            return key.path().equals("endless")
                    ? new FileFacts(FileFacts.UNKNOWN_SIZE, null, null, null, null)
                    : facts(key.objid());
        }

        @Override
        public FolderPage list(FolderKey folder, String after, int limit) throws IOException {
            NavigableSet<String> names = folders.get(folder.prefix());
            if (names == null) {
                throw new FailureException(FailureReason.NOT_FOUND, "The archive has no such folder.");
            }
            List<ArchiveEntry> entries = names.tailSet(after, false).stream()
                    .limit(limit)
                    .map(name -> name.endsWith("/")
                            ? new ArchiveEntry(name.substring(0, name.length() - 1), null)
                            : new ArchiveEntry(name, listed(folder.file(name))))
                    .toList();
            boolean more = !entries.isEmpty()
                    && names.higher(entries.get(entries.size() - 1).key()) != null;
            return new FolderPage(entries, more);
        }

        private static FileFacts listed(FileKey key) {
            return key.path().endsWith("endless")
                    ? new FileFacts(FileFacts.UNKNOWN_SIZE, null, null, null, null)
                    : facts(key.objid());
        }

        @Override
        public ArchiveStream open(FileKey key, FileFacts expected, long offset) {
            ByteBuffer bytes = ByteBuffer.wrap(key.objid().getBytes(StandardCharsets.UTF_8));
            return new ArchiveStream() {
                @Override
                public int read(ByteBuffer target) throws IOException {
                    try {
                        released.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    if (!bytes.hasRemaining()) {
                        return -1;
                    }
                    int length = Math.min(bytes.remaining(), target.remaining());
                    target.put(bytes.slice(bytes.position(), length));
                    bytes.position(bytes.position() + length);
                    return length;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void probe() {}
    }
}
