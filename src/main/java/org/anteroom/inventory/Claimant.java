package org.anteroom.inventory;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * Who claims fills from the queue.
 *
 * @param lease how long a fill is owned before it must be renewed
 * @param volumes the volumes that the instance has: copies elsewhere are none to it
 * @param candidates the volumes that may take a file of so many bytes, the best first; asked within a transaction, so it
 *     looks at memory only
 * @param limits the volumes that take new copies now, with the most bytes that a file may have there, but for what the
 *     inventory knows of their room
 * @param datasetsFirst whether files of whole datasets come before those that were asked for one by one
 */
public record Claimant(
        Owner owner,
        Duration lease,
        Set<Long> volumes,
        LongFunction<List<Long>> candidates,
        Map<Long, Long> limits,
        boolean datasetsFirst) {

    /** Copies the set and the map. */
    public Claimant {
        volumes = Set.copyOf(volumes);
        limits = Map.copyOf(limits);
    }
}
