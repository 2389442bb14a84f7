package org.anteroom.archive;

import java.time.Duration;
import java.util.function.DoubleSupplier;
import org.anteroom.model.FailureException;
import org.jspecify.annotations.Nullable;

/**
 * How often and how soon a file is opened again at the offset at which reading it broke off. Used under its owner's lock.
 *
 * <p>Nothing is opened again that has given no byte: its reader may still be told so in an honest answer. After that there
 * are {@value #MOST} attempts; each {@link #REGAINED_BY} bytes that were read since give one back, so that a long file
 * outlives many breaks, and one that gives a byte at a time does not go on for ever. The wait doubles with each attempt that
 * brings nothing, and is random between half of that and all of it, so that those who lost the same connection do not come
 * back in the same moment.
 */
final class Resumption {
    /** Attempts without bytes in between. */
    static final int MOST = 5;

    /** Bytes after which there is one more. */
    static final long REGAINED_BY = 8L << 20;

    /** The first wait; the last one is 16 times as long. */
    static final Duration FIRST_WAIT = Duration.ofMillis(200);

    /** As long an archive may ask to be left alone. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final long start;
    private final DoubleSupplier random;
    private long broken;
    private long gained;
    private int left = MOST;
    private int fruitless;

    /**
     * For a stream that begins at an offset.
     *
     * @param random from 0 to 1
     */
    Resumption(long start, DoubleSupplier random) {
        this.start = start;
        this.random = random;
        this.broken = start;
    }

    /** How long to wait after a failure at a position before the next attempt; null if there is none. */
    @Nullable
    Duration next(FailureException failure, long position) {
        if (position == start || !mayPass(failure)) {
            return null;
        }
        long since = position - broken;
        broken = position;
        gained += since;
        left = (int) Math.min(MOST, left + gained / REGAINED_BY);
        gained %= REGAINED_BY;
        fruitless = since > 0 ? 0 : fruitless + 1;
        if (left == 0) {
            return null;
        }
        left--;
        Duration backoff = FIRST_WAIT.multipliedBy(1L << Math.min(fruitless, MOST - 1));
        long nanos = (long) (backoff.toNanos() * (0.5 + random.getAsDouble() / 2));
        Duration asked = failure.retryAfter().orElse(Duration.ZERO);
        Duration bounded = asked.compareTo(LONGEST_WAIT) < 0 ? asked : LONGEST_WAIT;
        return Duration.ofNanos(Math.max(nanos, bounded.toNanos()));
    }

    private static boolean mayPass(FailureException failure) {
        return switch (failure.reason()) {
            case ARCHIVE_FAILED, ARCHIVE_TIMEOUT, ARCHIVE_AWAY, OVERLOADED -> true;
            default -> false;
        };
    }
}
