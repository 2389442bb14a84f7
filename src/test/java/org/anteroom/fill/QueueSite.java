package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.anteroom.archive.Archive;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillQueue.Wish;
import org.anteroom.inventory.FillState;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.InventorySettings;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.NewVolume;
import org.anteroom.inventory.Owner;
import org.anteroom.inventory.RetryPolicy;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStatus;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.TestDatabase;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.FakeTicker;
import org.anteroom.volume.Adoption;
import org.anteroom.volume.VolumeGuard;
import org.anteroom.volume.VolumeMetrics;
import org.anteroom.volume.VolumeSettings;
import org.anteroom.volume.fs.FilesystemVolume;

/** One instance of a fleet that shares a database and a volume: its fills and the workers of the queue, with real threads. */
final class QueueSite implements AutoCloseable {
    static final Duration WAIT = Duration.ofSeconds(60);
    static final long CAPACITY = 1L << 40;
    static final RetryPolicy RETRIES =
            new RetryPolicy(3, Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofDays(1));

    final Owner owner;
    final Metrics metrics = new Metrics();
    final FillStore store;
    final FillQueue queue;
    final CopyStore copies;
    final VolumeStore volumes;
    final Fills fills;
    final FillWorkers workers;
    final long volumeId;
    final VolumeGuard guard;
    /** Whether readers follow the fill that was begun last, as the archive is told. */
    volatile BooleanSupplier followed = () -> false;

    private final Tasks tasks = new Tasks(metrics);

    /**
     * An instance that begins nothing by itself.
     *
     * @param folder the volume's, which others may have made
     * @param capacity of the volume, as it is registered
     */
    QueueSite(TestDatabase test, Path folder, Archive archive, Owner owner, int workers, long capacity)
            throws IOException {
        this(test, folder, archive, owner, workers, capacity, Long.MAX_VALUE);
    }

    /** An instance that takes no file of more bytes than that. */
    QueueSite(
            TestDatabase test,
            Path folder,
            Archive archive,
            Owner owner,
            int workers,
            long capacity,
            long maxObjectSize)
            throws IOException {
        this.owner = owner;
        this.store = new FillStore(test.database(), WAIT, RETRIES);
        this.queue = new FillQueue(test.database(), WAIT, RETRIES);
        this.copies = new CopyStore(test.database(), WAIT);
        this.volumes = new VolumeStore(test.database(), WAIT);
        VolumeRow row = volumes.register(
                new NewVolume("fast", "", "filesystem", folder.toString(), capacity, VolumeStatus.ACTIVE, 0));
        this.volumeId = row.id();
        VolumeSettings settings = new VolumeSettings(
                "fast", "filesystem", folder.toString(), capacity, true, "active", 0, maxObjectSize, 0);
        this.guard = new VolumeGuard(
                new FilesystemVolume("fast", folder),
                settings,
                16,
                new VolumeMetrics(metrics),
                InstantSource.system(),
                Ticker.systemTicker());
        Adoption adoption = guard.adopt(row.marker());
        assertThat(adoption).isInstanceOf(Adoption.Ready.class);
        if (row.marker() == null) {
            volumes.setMarker(row.id(), ((Adoption.Ready) adoption).marker());
        }
        List<VolumeRow> rows = List.of(row);
        Placement placement = new Placement(Map.of(row.id(), guard), () -> rows);
        Locations<String> locations = new Locations<>(
                new InventorySettings(Duration.ofSeconds(30), Duration.ofSeconds(1), 1000),
                objid -> copies.find(objid, WAIT),
                (objid, facts) -> objid,
                Runnable::run,
                new FakeTicker(),
                metrics);
        this.fills = new Fills(
                store,
                placement,
                archive,
                locations,
                new WrongBytes(Ticker.systemTicker(), metrics),
                owner,
                4,
                tasks,
                metrics);
        this.workers = new FillWorkers(
                queue,
                store,
                fills,
                placement,
                followed -> {
                    this.followed = followed;
                    return archive;
                },
                owner,
                new FillSettings(workers, 3),
                () -> true,
                tasks);
    }

    /** Asks for files that all have so many bytes, or had when they were asked for. */
    FillQueue.Added ask(int size, String... objids) throws IOException {
        return queue.add(
                List.of(objids).stream().map(objid -> new Wish(objid, size)).toList(), owner, Set.of(volumeId));
    }

    VolumeRow volume() throws IOException {
        return volumes.get(volumeId).orElseThrow();
    }

    /** Looks at the queue until nothing is queued or runs any more. */
    void awaitDone() {
        await().atMost(Duration.ofMinutes(10))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    workers.look();
                    return queue.depth().counts().entrySet().stream()
                            .filter(count -> count.getKey() != FillState.FAILED)
                            .allMatch(count -> count.getValue() == 0);
                });
    }

    @Override
    public void close() {
        workers.stop(WAIT);
        fills.stop(WAIT);
        assertThat(tasks.stop(WAIT)).isEmpty();
    }
}
