package org.anteroom.inventory;

import java.time.Instant;

/**
 * Use of a copy since it was last recorded.
 *
 * @param lastUse the latest of them, by the instance's clock
 * @param uses how many, at least 1
 */
public record Use(long copyId, Instant lastUse, long uses) {

    /** Checks what the record promises. */
    public Use {
        if (uses < 1) {
            throw new IllegalArgumentException("uses " + uses);
        }
    }
}
