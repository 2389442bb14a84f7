package org.anteroom.inventory;

import java.time.Duration;

/**
 * A deletion plan to be made.
 *
 * @param strategy the name of the strategy that ranks the copies
 * @param free bytes to free, at least 1
 * @param expiry how long it may be started
 */
public record NewPlan(long volumeId, String strategy, long free, Duration expiry) {

    /** Checks what the record promises. */
    public NewPlan {
        if (free < 1) {
            throw new IllegalArgumentException("a plan frees at least one byte, not " + free);
        }
    }
}
