package org.anteroom.inventory;

import java.time.Duration;

/**
 * How long the inventory's answers are trusted and waited for.
 *
 * @param locationTtl age at which a location in memory is refreshed in the background; more than zero
 * @param lookupTimeout the longest that a reader waits for the database in all; more than zero
 * @param locationMax most files whose location is kept in memory; at least 1
 */
public record InventorySettings(Duration locationTtl, Duration lookupTimeout, int locationMax) {

    /** Checks the ranges. */
    public InventorySettings {
        if (locationTtl.isNegative() || locationTtl.isZero()) {
            throw new IllegalArgumentException("locationTtl must be more than zero: " + locationTtl);
        }
        if (lookupTimeout.isNegative() || lookupTimeout.isZero()) {
            throw new IllegalArgumentException("lookupTimeout must be more than zero: " + lookupTimeout);
        }
        if (locationMax < 1) {
            throw new IllegalArgumentException("locationMax must be at least 1: " + locationMax);
        }
    }
}
