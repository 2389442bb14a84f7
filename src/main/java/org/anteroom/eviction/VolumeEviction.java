package org.anteroom.eviction;

/**
 * From when, to where and in which order one volume is emptied.
 *
 * @param strategy name of the order in which copies go
 * @param highWatermark share of the capacity above which a plan is made; at most 1
 * @param lowWatermark share of the capacity that the plan leads down to; at least 0, less than the high one
 */
public record VolumeEviction(String strategy, double highWatermark, double lowWatermark) {

    /** Checks the order of the watermarks. */
    public VolumeEviction {
        if (!(lowWatermark >= 0 && lowWatermark < highWatermark && highWatermark <= 1)) {
            throw new IllegalArgumentException(
                    "watermarks must be 0 <= low < high <= 1: " + lowWatermark + ", " + highWatermark);
        }
    }
}
