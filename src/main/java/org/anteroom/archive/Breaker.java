package org.anteroom.archive;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the archive from being asked while it does nothing but fail.
 *
 * <p>It opens when the last {@value #RUN} calls that ended have all failed or timed out, and stays open for {@link #PAUSE}
 * or until the probe is answered. Then one call is let through, whose end closes it or opens it again; if nobody makes one,
 * as when only what nobody waits for is left, the next answer to the probe closes it. An answer is no
 * failure, also one that there is no such file, or that a file is not given. Nor is a call that never had a thread. A thing
 * that fails again and again counts once in {@link #PAUSE}: a single bad file, however many ask for it, says nothing of the
 * others.
 */
final class Breaker {
    /** Calls that fail in a row until it opens. */
    static final int RUN = 10;

    /** How long it stays open without an answer to the probe, and what those who are refused are told. */
    static final Duration PAUSE = Duration.ofSeconds(10);

    private static final int REMEMBERED = 1000;

    private final CircuitBreaker breaker;
    private final Ticker ticker;
    private final Cache<Object, Boolean> failed;

    /** Whether the call that tries is under way, and since when one may (Ticker). */
    private volatile boolean trying;

    private volatile long halfOpenSince;

    /** Closed. */
    Breaker(Ticker ticker) {
        this.ticker = ticker;
        CircuitBreakerConfig config = CircuitBreakerConfig.custom()
                .slidingWindowType(SlidingWindowType.COUNT_BASED)
                .slidingWindowSize(RUN)
                .minimumNumberOfCalls(RUN)
                .failureRateThreshold(100)
                .permittedNumberOfCallsInHalfOpenState(1)
                .waitDurationInOpenState(PAUSE)
                .clock(new TickerClock(ticker))
                .build();
        this.breaker = CircuitBreaker.of("archive", config);
        this.failed = Caffeine.newBuilder()
                .maximumSize(REMEMBERED)
                .expireAfterWrite(PAUSE)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** Whether a call may be begun; if so, its end must be told. */
    boolean permits() {
        boolean may = breaker.tryAcquirePermission();
        if (may && breaker.getState() == CircuitBreaker.State.HALF_OPEN) {
            trying = true;
        }
        return may;
    }

    /** What is told to those who may not. */
    static FailureException refusal() {
        return new FailureException(
                FailureReason.ARCHIVE_AWAY,
                "The archive has failed many times in a row and is not asked for a moment; try again later.",
                null,
                PAUSE);
    }

    /**
     * A call has ended, or nobody waits for it any more.
     *
     * @param permitted whether {@link #permits} was asked for it
     * @param ran whether the archive was asked at all, and had its time to answer
     * @param thing what was asked for
     */
    void ended(boolean permitted, boolean ran, Object thing, @Nullable FailureException failure) {
        if (permitted) {
            trying = false;
        }
        if (ran && isAnswer(failure)) {
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
        } else if (ran && failure != null && isFailure(failure) && isNews(thing)) {
            breaker.onError(0, TimeUnit.NANOSECONDS, failure);
        } else if (permitted) {
            breaker.releasePermission();
        }
    }

    private static boolean isAnswer(@Nullable FailureException failure) {
        return failure == null
                || switch (failure.reason()) {
                    case NOT_FOUND, ARCHIVE_REFUSED, WRONG_BYTES, FILE_CHANGED -> true;
                    default -> false;
                };
    }

    private static boolean isFailure(FailureException failure) {
        return switch (failure.reason()) {
            case ARCHIVE_FAILED, ARCHIVE_TIMEOUT -> true;
            // who says when to come back asks to be left alone; else it is a matter of that one thing
            case OVERLOADED -> failure.retryAfter().isPresent();
            default -> false;
        };
    }

    private boolean isNews(Object thing) {
        boolean first = failed.asMap().putIfAbsent(thing, true) == null;
        return first || breaker.getState() == CircuitBreaker.State.HALF_OPEN;
    }

    /** The probe was answered: if it is open, the next call is let through; if none came for {@link #PAUSE}, all are. */
    void probed() {
        switch (breaker.getState()) {
            case OPEN -> {
                halfOpenSince = ticker.read();
                breaker.transitionToHalfOpenState();
            }
            case HALF_OPEN -> {
                if (!trying && ticker.read() - halfOpenSince >= PAUSE.toNanos()) {
                    breaker.transitionToClosedState();
                }
            }
            default -> {
                // it asks already
            }
        }
    }

    /** Whether calls are refused, but for the one that tries. */
    boolean isOpen() {
        return breaker.getState() != CircuitBreaker.State.CLOSED;
    }

    /** Time that only goes forward. */
    private static final class TickerClock extends Clock {
        private final Ticker ticker;

        TickerClock(Ticker ticker) {
            this.ticker = ticker;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusNanos(ticker.read());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
