package org.anteroom.archive.http;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is broken off when its time is up. Sockets have timeouts for each read alone: a server that sends a byte of its
 * headers now and then would hold a thread for ever.
 */
final class Deadlines {
    private final Ticker ticker;
    private final Set<Deadline> pending = ConcurrentHashMap.newKeySet();

    Deadlines(Ticker ticker) {
        this.ticker = ticker;
    }

    /** One piece of work that may take so long. */
    final class Deadline {
        private final long due;
        private final Runnable breakOff;
        private volatile boolean over;

        private Deadline(long due, Runnable breakOff) {
            this.due = due;
            this.breakOff = breakOff;
        }

        /** Whether it was broken off. */
        boolean isOver() {
            return over;
        }

        /** It has ended. */
        void end() {
            pending.remove(this);
        }
    }

    /** The moment after which something that begins now has taken too long. */
    long after(Duration time) {
        return ticker.read() + time.toNanos();
    }

    /**
     * A deadline at a moment; who asks for it ends it.
     *
     * @param breakOff has to make the work fail, without blocking
     */
    Deadline at(long due, Runnable breakOff) {
        Deadline deadline = new Deadline(due, breakOff);
        pending.add(deadline);
        return deadline;
    }

    /** Breaks off what has taken too long; to be called several times a second. */
    void expire() {
        long now = ticker.read();
        pending.forEach(deadline -> {
            if (now - deadline.due >= 0 && pending.remove(deadline)) {
                deadline.over = true;
                deadline.breakOff.run();
            }
        });
    }
}
