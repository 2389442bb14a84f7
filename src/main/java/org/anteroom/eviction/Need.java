package org.anteroom.eviction;

import org.anteroom.inventory.VolumeRow;

/** How many bytes a plan should free in a volume. */
final class Need {
    private Need() {}

    /** Bytes above the low watermark once the high one is passed, else 0. What running fills have reserved counts. */
    static long ofWatermarks(VolumeRow volume, VolumeEviction how) {
        long taken = volume.used() + volume.reserved();
        return taken > how.highWatermark() * volume.capacity()
                ? taken - (long) (how.lowWatermark() * volume.capacity())
                : 0;
    }

    /** Bytes that are missing for a file that found no room, 0 if it would find room now. */
    static long ofWish(VolumeRow volume, long wanted) {
        return Math.max(0, wanted - volume.free());
    }
}
