package org.anteroom.s3;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that objects are read through: a bounded number, so that readers, however many, need no more memory.
 *
 * <p>A reader keeps its windows between its reads. Who finds none free takes that of a reader that has not read for a moment,
 * the longest unused first; that one asks again when it comes back. Who finds none at all reads without. Nobody waits.
 *
 * <p>Whose a window is stands in one reference: free, a reader's, or in use. All changes are by compare-and-set, so that
 * it is read from and written to by one thread at a time.
 */
final class Windows {
    static final int BYTES = 2 << 20;

    /** A reader that has not read for so long is a slow one. */
    static final Duration SLOW = Duration.ofSeconds(1);

    private static final Object FREE = new Object();
    private static final Object IN_USE = new Object();

    private final Window[] windows;
    private final Ticker ticker;

    Windows(long bytes, Ticker ticker) {
        this.windows = new Window[(int) Math.max(1, bytes / BYTES)];
        this.ticker = ticker;
        for (int i = 0; i < windows.length; i++) {
            windows[i] = new Window();
        }
    }

    /** One buffer. All but the reference is touched only by who has put IN_USE there. */
    final class Window {
        private final AtomicReference<Object> owner = new AtomicReference<>(FREE);
        private volatile long used;
        private byte @Nullable [] bytes;

        /** Begins to use what a reader kept; false if somebody has taken it. */
        boolean use(Object reader) {
            return owner.compareAndSet(reader, IN_USE);
        }

        /** Ends a use: the reader keeps it. */
        void keep(Object reader) {
            used = ticker.read();
            owner.set(reader);
        }

        /** Gives up what a reader kept, unless somebody has taken it or it is in use. */
        void free(Object reader) {
            owner.compareAndSet(reader, FREE);
        }

        byte[] bytes() {
            byte[] made = bytes;
            if (made == null) {
                made = new byte[BYTES];
                bytes = made;
            }
            return made;
        }
    }

    /** What readers of a bucket go by. */
    Pace pace() {
        return new Pace(ticker);
    }

    /** A window, in use, with nobody's bytes any more; null if there is none. */
    @Nullable
    Window take() {
        for (Window window : windows) {
            if (window.owner.get() == FREE && window.owner.compareAndSet(FREE, IN_USE)) {
                return window;
            }
        }
        return takeFromSlowest();
    }

    private @Nullable Window takeFromSlowest() {
        long now = ticker.read();
        Window slowest = null;
        Object reader = null;
        for (Window window : windows) {
            Object owner = window.owner.get();
            long idle = now - window.used;
            if (owner != IN_USE
                    && owner != FREE
                    && idle > SLOW.toNanos()
                    && (slowest == null || idle > now - slowest.used)) {
                slowest = window;
                reader = owner;
            }
        }
        if (slowest == null || !slowest.owner.compareAndSet(reader, IN_USE)) {
            return null;
        }
        return slowest;
    }

    int inUse() {
        int count = 0;
        for (Window window : windows) {
            if (window.owner.get() != FREE) {
                count++;
            }
        }
        return count;
    }

    int limit() {
        return windows.length;
    }
}
