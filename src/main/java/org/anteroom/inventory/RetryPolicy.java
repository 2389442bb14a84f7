package org.anteroom.inventory;

import java.time.Duration;

/**
 * How often a fill that somebody asked for is begun, and how long it waits in between.
 *
 * @param attempts as often it is begun at most, at least 1
 * @param first the wait after the first failure; doubled after each further one
 * @param longest the longest wait
 * @param roomWait how long a fill may wait for room in all
 */
public record RetryPolicy(int attempts, Duration first, Duration longest, Duration roomWait) {

    /** What is usual with so many attempts. */
    public static RetryPolicy of(int attempts) {
        return new RetryPolicy(attempts, Duration.ofSeconds(10), Duration.ofMinutes(10), Duration.ofDays(1));
    }

    /** Checks the ranges. */
    public RetryPolicy {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts must be at least 1: " + attempts);
        }
        if (first.isNegative() || first.compareTo(longest) > 0) {
            throw new IllegalArgumentException("first must be from zero to longest: " + first);
        }
    }

    /**
     * How long to wait after a failure.
     *
     * @param attempt which one failed, from 1
     * @param random from 0 to 1: spreads those that failed together over half of the wait
     */
    Duration afterFailure(int attempt, double random) {
        long nanos = longest.toNanos();
        int doublings = Math.max(0, attempt - 1);
        // past 40 doublings it is the longest anyhow, and the shift would overflow
        if (doublings < 40 && first.toNanos() < nanos >> doublings) {
            nanos = first.toNanos() << doublings;
        }
        return spread(nanos, random);
    }

    /** How long to wait for room: a quarter of the time that was waited so far, within the bounds of other waits. */
    Duration forRoom(Duration waited, double random) {
        long nanos = Math.min(longest.toNanos(), Math.max(first.toNanos(), waited.toNanos() / 4));
        return spread(nanos, random);
    }

    private static Duration spread(long nanos, double random) {
        return Duration.ofNanos((long) (nanos * (0.75 + random / 2)));
    }
}
