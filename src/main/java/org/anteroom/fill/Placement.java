package org.anteroom.fill;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStatus;
import org.anteroom.volume.VolumeGuard;

/**
 * Which volumes a new copy may go to, best first: those that are active, can be written and accept the size, by priority,
 * then by the free share of their capacity.
 *
 * <p>The rows are a recent picture in memory; whether there is room is decided by the inventory when the bytes are
 * reserved.
 */
public final class Placement {
    private final Map<Long, VolumeGuard> volumes;
    private final Supplier<List<VolumeRow>> rows;

    /**
     * Placement on some volumes.
     *
     * @param volumes this instance's volumes by their id in the inventory
     * @param rows their rows, as of lately
     */
    public Placement(Map<Long, VolumeGuard> volumes, Supplier<List<VolumeRow>> rows) {
        this.volumes = Map.copyOf(volumes);
        this.rows = rows;
    }

    /** Ids of the volumes that this instance has. */
    Set<Long> volumes() {
        return volumes.keySet();
    }

    /** Ids of the volumes to try in this order; empty when none would take the size. */
    List<Long> candidates(long size) {
        return rows.get().stream()
                .filter(row -> row.status() == VolumeStatus.ACTIVE && size <= row.capacity())
                .filter(row -> {
                    VolumeGuard volume = volumes.get(row.id());
                    return volume != null && volume.writable() && volume.accepts(size);
                })
                .sorted(Comparator.comparingInt(VolumeRow::priority)
                        .reversed()
                        .thenComparing(
                                Comparator.comparingDouble(Placement::freeShare).reversed()))
                .map(VolumeRow::id)
                .toList();
    }

    /** The volumes that take new copies now, with the size of the largest file that they would take, free or not. */
    Map<Long, Long> limits() {
        Map<Long, Long> limits = new HashMap<>();
        for (VolumeRow row : rows.get()) {
            VolumeGuard volume = volumes.get(row.id());
            long largest = volume == null ? -1 : Math.min(row.capacity(), volume.largest());
            if (row.status() == VolumeStatus.ACTIVE && largest >= 0) {
                limits.put(row.id(), largest);
            }
        }
        return limits;
    }

    /** The volume of that id, which {@link #candidates} or the inventory named. */
    VolumeGuard volume(long id) {
        VolumeGuard volume = volumes.get(id);
        if (volume == null) {
            throw new IllegalStateException("no volume " + id + " in this instance");
        }
        return volume;
    }

    private static double freeShare(VolumeRow row) {
        return row.capacity() == 0 ? 0 : 1 - (double) (row.used() + row.reserved()) / row.capacity();
    }
}
