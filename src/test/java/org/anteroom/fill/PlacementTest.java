package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStatus;
import org.anteroom.metrics.Metrics;
import org.anteroom.testing.FakeTicker;
import org.anteroom.volume.Adoption;
import org.anteroom.volume.VolumeGuard;
import org.anteroom.volume.VolumeMetrics;
import org.anteroom.volume.VolumeSettings;
import org.anteroom.volume.fs.FilesystemVolume;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which volume a copy goes to. */
class PlacementTest {
    private static final long CAPACITY = 1000;

    @TempDir
    Path folder;

    private final FakeTicker clock = new FakeTicker();
    private final VolumeMetrics metrics = new VolumeMetrics(new Metrics());
    private final List<VolumeRow> rows = new ArrayList<>();
    private final Map<Long, VolumeGuard> guards = new HashMap<>();

    private void volume(long id, VolumeStatus status, int priority, long taken, long maxObjectSize) throws Exception {
        String name = "v" + id;
        Path place = folder.resolve(name);
        VolumeGuard guard = new VolumeGuard(
                new FilesystemVolume(name, place),
                new VolumeSettings(
                        name, "filesystem", place.toString(), CAPACITY, true, "active", priority, maxObjectSize, 0),
                4,
                metrics,
                clock,
                clock);
        assertThat(guard.adopt(null)).isInstanceOf(Adoption.Ready.class);
        guards.put(id, guard);
        rows.add(new VolumeRow(
                id,
                name,
                "",
                "filesystem",
                place.toString(),
                null,
                CAPACITY,
                status,
                taken / 2,
                taken - taken / 2,
                0,
                priority,
                0));
    }

    private List<Long> candidates(long size) {
        return new Placement(guards, () -> rows).candidates(size);
    }

    @Test
    void byPriorityAndThenByFreeShare() throws Exception {
        volume(1, VolumeStatus.ACTIVE, 10, 500, 900);
        volume(2, VolumeStatus.ACTIVE, 20, 900, 900);
        volume(3, VolumeStatus.ACTIVE, 10, 200, 900);
        volume(4, VolumeStatus.ACTIVE, 10, 300, 900);
        assertThat(candidates(0)).containsExactly(2L, 3L, 4L, 1L);
        // whether there is room now is the inventory's to say, and a full one asks for a plan
        assertThat(candidates(400)).containsExactly(2L, 3L, 4L, 1L);
    }

    @Test
    void onlyWhatTakesNewCopiesOfThatSize() throws Exception {
        volume(1, VolumeStatus.ACTIVE, 10, 0, 100);
        volume(2, VolumeStatus.READ_ONLY, 20, 0, 900);
        volume(3, VolumeStatus.DRAINING, 20, 0, 900);
        volume(4, VolumeStatus.ACTIVE, 0, 0, 5000);
        assertThat(candidates(100)).containsExactly(1L, 4L);
        assertThat(candidates(101)).containsExactly(4L);
        assertThat(candidates(CAPACITY)).containsExactly(4L);
        assertThat(candidates(CAPACITY + 1)).isEmpty();
    }

    @Test
    void notWhatIsDegradedOrAnotherInstances() throws Exception {
        volume(1, VolumeStatus.ACTIVE, 10, 0, 900);
        volume(2, VolumeStatus.ACTIVE, 20, 0, 900);
        volume(3, VolumeStatus.ACTIVE, 30, 0, 900);
        guards.remove(3L);
        Files.delete(folder.resolve("v2/.anteroom-volume"));
        Objects.requireNonNull(guards.get(2L)).probe();
        assertThat(candidates(1)).containsExactly(1L);
    }
}
