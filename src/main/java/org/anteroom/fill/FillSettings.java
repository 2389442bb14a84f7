package org.anteroom.fill;

/**
 * How the queue of fills is worked off.
 *
 * @param workers fills from the queue that this instance makes at once; 0: it leaves the queue to others
 * @param attempts as often a fill that somebody asked for is begun at most, at least 1
 */
public record FillSettings(int workers, int attempts) {

    /** Checks the ranges. */
    public FillSettings {
        if (workers < 0) {
            throw new IllegalArgumentException("workers must not be negative: " + workers);
        }
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts must be at least 1: " + attempts);
        }
    }
}
