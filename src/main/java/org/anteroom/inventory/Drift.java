package org.anteroom.inventory;

/**
 * The counters of a volume beside the sums of the rows that they count, both of one moment.
 *
 * @param counted what the counters said
 * @param summed what the rows add up to
 * @param recounts how often the counters had been repaired; the repair is refused when that has changed since
 */
public record Drift(long volumeId, Counters counted, Counters summed, long recounts) {

    /**
     * The counters of a volume.
     *
     * @param used bytes of copies
     * @param reserved bytes of running fills
     * @param copies number of copies
     */
    public record Counters(long used, long reserved, long copies) {}

    /** Whether the counters were right. */
    public boolean none() {
        return counted.equals(summed);
    }
}
