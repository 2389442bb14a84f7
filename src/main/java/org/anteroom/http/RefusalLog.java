package org.anteroom.http;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;

/** Decides which of many refusals have a line: so many in a span of time; the others are counted until it is over. */
final class RefusalLog {
    /** Most lines in a span. */
    static final int LINES = 20;

    /** How long a span is, from its first line on. */
    static final Duration SPAN = Duration.ofSeconds(10);

    private final Ticker ticker;
    private long began;
    private int lines;
    private long hidden;

    RefusalLog(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Whether a refusal is to have a line; if not, it is counted. */
    synchronized boolean hasLine() {
        if (lines == LINES) {
            hidden++;
            return false;
        }
        if (lines == 0) {
            began = ticker.read();
        }
        lines++;
        return true;
    }

    /** Ends the span if its time is up: how many of its refusals had no line; 0 if it goes on. */
    synchronized long end() {
        if (lines == 0 || ticker.read() - began < SPAN.toNanos()) {
            return 0;
        }
        long count = hidden;
        lines = 0;
        hidden = 0;
        return count;
    }
}
