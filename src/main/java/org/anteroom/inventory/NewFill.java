package org.anteroom.inventory;

import java.time.Duration;
import java.util.Set;
import org.anteroom.model.FileFacts;

/**
 * A fill that somebody wants to begin.
 *
 * @param facts what the archive says; the size must be known
 * @param copyName the name of the copy to be, random and never used before
 * @param lease how long the fill is owned before it must be renewed
 * @param volumes the volumes that the asking instance has: copies elsewhere are none to it
 */
public record NewFill(String objid, FileFacts facts, String copyName, Owner owner, Duration lease, Set<Long> volumes) {

    /** Checks what the record promises. */
    public NewFill {
        volumes = Set.copyOf(volumes);
        if (!facts.hasSize()) {
            throw new IllegalArgumentException("what has no known size is not cached");
        }
        if (!copyName.matches("[0-9a-f]{32}")) {
            throw new IllegalArgumentException("a copy's name has 32 lower-case hexadecimal digits: " + copyName);
        }
    }
}
