package org.anteroom.volume;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A fixed number of permits, each of which remembers when it was taken. Taking one never waits and allocates nothing.
 *
 * <p>A slot holds 0 when it is free, else the time of the ticker with the lowest bit set, so that no time looks free.
 */
final class Slots {
    private final AtomicLongArray taken;
    private final Ticker ticker;

    Slots(int count, Ticker ticker) {
        if (count < 1) {
            throw new IllegalArgumentException("at least one permit: " + count);
        }
        this.taken = new AtomicLongArray(count);
        this.ticker = ticker;
    }

    /** The number of a slot that is now the caller's, or -1 when all are taken. */
    int tryTake() {
        int count = taken.length();
        int first = (int) (Thread.currentThread().getId() % count);
        long now = ticker.read() | 1;
        for (int i = 0; i < count; i++) {
            int slot = first + i < count ? first + i : first + i - count;
            if (taken.get(slot) == 0 && taken.compareAndSet(slot, 0, now)) {
                return slot;
            }
        }
        return -1;
    }

    void give(int slot) {
        taken.set(slot, 0);
    }

    int inUse() {
        int used = 0;
        for (int i = 0; i < taken.length(); i++) {
            if (taken.get(i) != 0) {
                used++;
            }
        }
        return used;
    }

    int limit() {
        return taken.length();
    }

    /** Whether a permit has been held for longer than that. */
    boolean heldOver(Duration limit) {
        long now = ticker.read();
        for (int i = 0; i < taken.length(); i++) {
            long since = taken.get(i);
            if (since != 0 && now - since > limit.toNanos()) {
                return true;
            }
        }
        return false;
    }
}
