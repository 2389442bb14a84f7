package org.anteroom.inventory;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * Who claims fills from the queue.
 *
 * @param lease how long a fill is owned before it must be renewed
 * @param volumes the volumes that the instance has: copies elsewhere are none to it
 * @param candidates the volumes that may take a file of so many bytes, the best first; asked within a transaction, so it
 *     looks at memory only
 */
public record Claimant(Owner owner, Duration lease, Set<Long> volumes, LongFunction<List<Long>> candidates) {

    /** Copies the set. */
    public Claimant {
        volumes = Set.copyOf(volumes);
    }
}
