package org.anteroom.fill;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which files have been asked for often enough to be worth a copy, as this instance has seen it.
 *
 * <p>Bounded: requests of {@value #FILES} files are counted, each until nobody has asked for it for {@link #MEMORY}; with
 * more files than that, who is counted last may be counted anew.
 */
final class Admission {
    static final int FILES = 100_000;

    /** How long requests count. */
    static final Duration MEMORY = Duration.ofDays(1);

    private final int least;
    private final Cache<String, AtomicInteger> counts;

    /**
     * Nothing was asked for yet.
     *
     * @param least the request of a file from which on it is cached; 1: each is
     */
    Admission(int least, Ticker ticker) {
        this.least = least;
        this.counts = Caffeine.newBuilder()
                .maximumSize(FILES)
                .expireAfterAccess(MEMORY)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** Counts a request, and whether there have been enough now. */
    boolean admits(String objid) {
        return least <= 1 || counts.get(objid, file -> new AtomicInteger()).incrementAndGet() >= least;
    }
}
