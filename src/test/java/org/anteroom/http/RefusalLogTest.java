package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.anteroom.testing.FakeTicker;
import org.junit.jupiter.api.Test;

class RefusalLogTest {
    private final FakeTicker ticker = new FakeTicker();
    private final RefusalLog refusals = new RefusalLog(ticker);

    private int lines(int count) {
        int lines = 0;
        for (int i = 0; i < count; i++) {
            lines += refusals.hasLine() ? 1 : 0;
        }
        return lines;
    }

    @Test
    void aFewHaveALineEachAndTheOthersAreCountedOnce() {
        assertThat(lines(RefusalLog.LINES)).isEqualTo(RefusalLog.LINES);
        assertThat(lines(1000)).isZero();
        ticker.advance(RefusalLog.SPAN.minusNanos(1));
        assertThat(refusals.end()).as("the span goes on").isZero();
        assertThat(lines(5)).isZero();
        ticker.advance(Duration.ofNanos(1));
        assertThat(refusals.end()).isEqualTo(1005);
        assertThat(refusals.end()).isZero();
        assertThat(lines(100)).isEqualTo(RefusalLog.LINES);
    }

    @Test
    void aSpanBeginsWithItsFirstLine() {
        ticker.advance(Duration.ofDays(1));
        assertThat(refusals.end()).isZero();
        assertThat(lines(1)).isEqualTo(1);
        ticker.advance(RefusalLog.SPAN.minusNanos(1));
        assertThat(refusals.end()).isZero();
        assertThat(lines(RefusalLog.LINES)).isEqualTo(RefusalLog.LINES - 1);
        ticker.advance(Duration.ofNanos(1));
        assertThat(refusals.end()).isEqualTo(1);
    }
}
