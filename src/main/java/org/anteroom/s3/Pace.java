package org.anteroom.s3;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;

/**
 * How much to ask for at once, by the time that the last range took: so much that each comes soon, however slow the store is.
 * Whoever waits for a range sees none of its bytes before it is there, so that one that takes long looks as if the store hung.
 *
 * <p>Readers of one bucket tell each other how much is fit to begin with.
 */
final class Pace {
    /** The most that is asked for at first. */
    static final int FIRST = 256 << 10;

    /** Less than this is not worth a request. */
    static final int LEAST = 32 << 10;

    /** What a store may take for an answer, however little it is asked for: to ask for less then would not help. */
    private static final Duration LATENCY = Duration.ofMillis(400);

    /** As long the bytes of a range should take; with the latency far below the two seconds after which a volume seems to hang. */
    private static final Duration WANTED = Duration.ofMillis(200);

    private final Ticker ticker;
    private volatile int first = FIRST;

    Pace(Ticker ticker) {
        this.ticker = ticker;
    }

    long now() {
        return ticker.read();
    }

    /** How much to ask for of what is not read on. */
    int first() {
        return first;
    }

    /**
     * How much to ask for next of what is read on, at most twice as much as the last time.
     *
     * @param count the bytes that have come
     * @param begun when they were asked for
     */
    int next(int count, long begun) {
        long took = Math.max(1, ticker.read() - begun - LATENCY.toNanos());
        long fit = (long) ((double) count * WANTED.toNanos() / took);
        int next = (int) Math.max(LEAST, Math.min(Windows.BYTES, Math.min(2L * count, fit)));
        if (count >= LEAST) {
            first = (int) Math.max(LEAST, Math.min(FIRST, fit));
        }
        return next;
    }
}
