package org.anteroom.volume;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The operations of background threads that have begun and not ended. Their number is bounded by that of the threads.
 */
final class Pending {
    private final Set<Begun> operations = ConcurrentHashMap.newKeySet();
    private final Ticker ticker;

    Pending(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Something that may block. */
    interface Operation<T> {
        T run() throws IOException;
    }

    /** Its identity is what counts. */
    private static final class Begun {
        private final long since;

        Begun(long since) {
            this.since = since;
        }
    }

    /** Runs an operation, which counts as pending meanwhile. */
    <T> T during(Operation<T> operation) throws IOException {
        Begun begun = new Begun(ticker.read());
        operations.add(begun);
        try {
            return operation.run();
        } finally {
            operations.remove(begun);
        }
    }

    /** Whether an operation has been running for longer than that. */
    boolean runningOver(Duration limit) {
        long now = ticker.read();
        return operations.stream().anyMatch(begun -> now - begun.since > limit.toNanos());
    }
}
