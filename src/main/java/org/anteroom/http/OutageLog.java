package org.anteroom.http;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.anteroom.model.FailureReason;

/** Decides which of many answers of one kind is worth a line: the first, and then one a minute with a count. */
final class OutageLog {
    private static final long QUIET = Duration.ofMinutes(1).toNanos();

    private final Ticker ticker;
    private final Map<FailureReason, Told> told = new EnumMap<>(FailureReason.class);

    private static final class Told {
        private final long at;
        private long since;

        Told(long at) {
            this.at = at;
        }
    }

    OutageLog(Ticker ticker) {
        this.ticker = ticker;
    }

    /** How many answers since the last line this line is to stand for, itself included; 0 if it is not to be written. */
    synchronized long lines(FailureReason reason) {
        long now = ticker.read();
        Told last = told.get(reason);
        if (last != null && now - last.at < QUIET) {
            last.since++;
            return 0;
        }
        told.put(reason, new Told(now));
        return last == null ? 1 : last.since + 1;
    }
}
