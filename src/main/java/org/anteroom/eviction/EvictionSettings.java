package org.anteroom.eviction;

import java.time.Duration;
import java.util.Map;

/**
 * When volumes are looked at, and how long copies and plans live.
 *
 * @param interval time between two looks at a volume; more than zero
 * @param minAge age below which a copy is never a candidate; zero or more
 * @param grace time between condemning a copy and deleting it; longer than any instance trusts a location
 * @param planExpiry age at which a plan that nobody ran is dropped; more than zero
 * @param volumes by the volume's name; a volume without an entry is not evicted from
 */
public record EvictionSettings(
        Duration interval, Duration minAge, Duration grace, Duration planExpiry, Map<String, VolumeEviction> volumes) {

    /** Checks the ranges. */
    public EvictionSettings {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("interval must be more than zero: " + interval);
        }
        if (minAge.isNegative()) {
            throw new IllegalArgumentException("minAge must not be negative: " + minAge);
        }
        if (grace.isNegative() || grace.isZero()) {
            throw new IllegalArgumentException("grace must be more than zero: " + grace);
        }
        if (planExpiry.isNegative() || planExpiry.isZero()) {
            throw new IllegalArgumentException("planExpiry must be more than zero: " + planExpiry);
        }
        volumes = Map.copyOf(volumes);
    }
}
