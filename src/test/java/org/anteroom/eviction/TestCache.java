package org.anteroom.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.anteroom.inventory.BeginResult;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.FillTicket;
import org.anteroom.inventory.InventorySettings;
import org.anteroom.inventory.LeaseStore;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.NewFill;
import org.anteroom.inventory.NewVolume;
import org.anteroom.inventory.Owner;
import org.anteroom.inventory.PlanStore;
import org.anteroom.inventory.UseStore;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStatus;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.jdbc.TestDatabase;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileFacts;
import org.anteroom.testing.FakeTicker;
import org.anteroom.volume.Adoption;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.VolumeGuard;
import org.anteroom.volume.VolumeMetrics;
import org.anteroom.volume.VolumeSettings;
import org.anteroom.volume.fs.FilesystemVolume;

/** A volume in a folder and its inventory in a SQLite file, whose clocks go only when told to. */
public final class TestCache implements AutoCloseable {
    public static final Duration WAIT = Duration.ofSeconds(20);
    public static final Duration GRACE = Duration.ofMinutes(2);
    public static final Duration MIN_AGE = Duration.ofMinutes(1);
    public static final String NAME = "fast";

    private final Path folder;
    private final TestDatabase test;
    private final Metrics metrics = new Metrics();
    private final FakeTicker clock = new FakeTicker();
    private final VolumeGuard guard;
    private final long volumeId;
    private int names;

    public final Owner owner = new Owner("one", "boot-1");
    public final VolumeStore volumes;
    public final CopyStore copies;
    public final FillStore fills;
    public final PlanStore plans;
    public final LeaseStore leases;
    public final UseStore uses;
    public final Locations<String> locations;

    public TestCache(Path folder, long capacity) throws IOException {
        this.folder = folder;
        this.test = TestDatabase.withClock(folder);
        this.volumes = new VolumeStore(test.database(), WAIT);
        this.copies = new CopyStore(test.database(), WAIT);
        this.fills = new FillStore(test.database(), WAIT);
        this.plans = new PlanStore(test.database(), WAIT);
        this.leases = new LeaseStore(test.database(), WAIT);
        this.uses = new UseStore(test.database(), WAIT, test.clock());
        this.locations = new Locations<>(
                new InventorySettings(Duration.ofSeconds(30), Duration.ofSeconds(1), 1000),
                objid -> copies.find(objid, WAIT),
                (objid, facts) -> objid,
                Runnable::run,
                clock,
                metrics);
        this.volumeId = volumes.register(
                        new NewVolume(NAME, "", "filesystem", place().toString(), capacity, VolumeStatus.ACTIVE, 0))
                .id();
        this.guard = new VolumeGuard(
                new FilesystemVolume(NAME, place()),
                new VolumeSettings(
                        NAME, "filesystem", place().toString(), capacity, true, "active", 0, Long.MAX_VALUE, 0),
                4,
                new VolumeMetrics(metrics),
                clock,
                clock);
        assertThat(guard.adopt(null)).isInstanceOf(Adoption.Ready.class);
    }

    private Path place() {
        return folder.resolve("volume");
    }

    public TestDatabase test() {
        return test;
    }

    public Metrics metrics() {
        return metrics;
    }

    public FakeTicker clock() {
        return clock;
    }

    public VolumeGuard guard() {
        return guard;
    }

    public long volumeId() {
        return volumeId;
    }

    public Map<Long, VolumeGuard> guards() {
        return Map.of(volumeId, guard);
    }

    public VolumeRow volume() throws DatabaseException {
        return volumes.get(volumeId).orElseThrow();
    }

    EvictionSettings settings(double high, double low) {
        return new EvictionSettings(
                Duration.ofMinutes(5),
                MIN_AGE,
                GRACE,
                Duration.ofDays(1),
                Map.of(NAME, new VolumeEviction("lru", high, low)));
    }

    /** Lets time pass, in the database and here. */
    public void advance(Duration time) throws DatabaseException {
        test.advance(time);
        clock.advance(time);
    }

    // ---- fills

    public NewFill wish(String objid, int size, Owner by) {
        String name = "%032x".formatted(++names);
        return new NewFill(
                objid, new FileFacts(size, null, null, null, null), name, by, Duration.ofSeconds(30), Set.of(volumeId));
    }

    public BeginResult begin(String objid, int size, Owner by) throws DatabaseException {
        return fills.begin(wish(objid, size, by), List.of(volumeId), WAIT, late -> {});
    }

    public FillTicket begun(String objid, int size, Owner by) throws DatabaseException {
        return ((BeginResult.Begun) begin(objid, size, by)).ticket();
    }

    /** Writes a fill's file under its temporary name, and leaves it there. */
    public CopyWriter write(FillTicket ticket, int size) throws IOException {
        CopyWriter writer = guard.create(ticket.temporary(), ticket.name(), size);
        writer.write(ByteBuffer.allocate(size));
        return writer;
    }

    /** Writes a fill's file under its name, without a row. */
    public void writeNamed(FillTicket ticket, int size) throws IOException {
        try (CopyWriter writer = write(ticket, size)) {
            writer.commit();
        }
    }

    /** Makes a copy, a millisecond after the last one. */
    public CopyRow copy(String objid, int size) throws IOException {
        advance(Duration.ofMillis(1));
        FillTicket ticket = begun(objid, size, owner);
        writeNamed(ticket, size);
        return fills.complete(ticket, owner, new FileFacts(size, null, null, null, null))
                .orElseThrow();
    }

    // ---- what is there

    /** The names of all files in a folder of the volume: {@code copies} or {@code tmp}. */
    public Set<String> files(String below) throws IOException {
        try (Stream<Path> walk = Files.walk(place().resolve(below))) {
            return walk.filter(Files::isRegularFile)
                    .map(file -> String.valueOf(file.getFileName()))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Bytes of the copies on the disk. */
    public long onDisk() throws IOException {
        long sum = 0;
        try (Stream<Path> walk = Files.walk(place().resolve("copies"))) {
            for (Path file : walk.filter(Files::isRegularFile).toList()) {
                sum += Files.size(file);
            }
        }
        return sum;
    }

    public Path file(String name) {
        return place().resolve("copies")
                .resolve(name.substring(0, 2))
                .resolve(name.substring(2, 4))
                .resolve(name);
    }

    /** Takes the volume's marker away, as an unmounted disk does, until it is put back. */
    public AutoCloseable withoutMarker() throws IOException {
        Path marker = place().resolve(".anteroom-volume");
        Path away = folder.resolve("marker");
        Files.move(marker, away);
        return () -> {
            Files.move(away, marker);
            guard.probe();
        };
    }

    public Set<String> names() throws DatabaseException {
        return copies.names(volumeId, "", 1000).stream()
                .map(CopyRow::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Every row has its file and every file its row, and the counters are the sums of both. */
    public void assertAllAgree() throws IOException {
        assertThat(volumes.drift(volumeId, WAIT).orElseThrow().none()).isTrue();
        assertThat(files("copies")).isEqualTo(names());
        assertThat(volume().used()).isEqualTo(onDisk());
        assertThat(volume().reserved()).isZero();
    }

    public int sql(String statement) throws DatabaseException {
        return test.database().write("test", WAIT, handle -> handle.execute(statement));
    }

    public long number(String query) throws DatabaseException {
        return test.database()
                .read(
                        "test",
                        WAIT,
                        handle -> handle.createQuery(query).mapTo(Long.class).one());
    }

    @Override
    public void close() {
        test.close();
    }
}
