package org.anteroom.volume;

import java.time.Instant;

/**
 * What one instance thinks of a volume at a moment.
 *
 * @param readable whether copies are read from it
 * @param writable whether copies are made in it
 * @param reason why not, in words without paths that an operator may see; empty when both hold
 * @param since when it became so
 */
public record VolumeHealth(boolean readable, boolean writable, String reason, Instant since) {

    /** Whether nothing is wrong. */
    public boolean ok() {
        return readable && writable;
    }
}
