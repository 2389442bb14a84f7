package org.anteroom.testing;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only when told to, for durations and for the clock. */
public final class FakeTicker implements Ticker, InstantSource {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long read() {
        return nanos.get();
    }

    @Override
    public Instant instant() {
        return START.plusNanos(nanos.get());
    }

    /** Lets time pass. */
    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}
