package org.anteroom.http;

import java.time.Duration;

/**
 * What a client may do to its transfer.
 *
 * @param stallTimeout time without a byte taken after which a client is dropped; more than zero
 */
public record DeliverySettings(Duration stallTimeout) {

    /** Checks the range. */
    public DeliverySettings {
        if (stallTimeout.isNegative() || stallTimeout.isZero()) {
            throw new IllegalArgumentException("stallTimeout must be more than zero: " + stallTimeout);
        }
    }
}
