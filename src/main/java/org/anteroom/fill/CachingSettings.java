package org.anteroom.fill;

import java.time.Duration;

/**
 * When a file is cached, and when its copies are compared with the archive.
 *
 * @param minRequests the request of a file from which on it is cached; 1: the first
 * @param revalidate the age at which a copy that is read is compared; zero: never
 */
public record CachingSettings(int minRequests, Duration revalidate) {

    /** Each file is cached at once, and never compared. */
    public static final CachingSettings STANDARD = new CachingSettings(1, Duration.ZERO);

    /** Checks the ranges. */
    public CachingSettings {
        if (minRequests < 1) {
            throw new IllegalArgumentException("minRequests must be at least 1: " + minRequests);
        }
        if (revalidate.isNegative()) {
            throw new IllegalArgumentException("revalidate must not be negative: " + revalidate);
        }
    }
}
