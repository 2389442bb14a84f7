package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.anteroom.model.FailureReason;
import org.anteroom.testing.FakeTicker;
import org.junit.jupiter.api.Test;

class OutageLogTest {
    private final FakeTicker ticker = new FakeTicker();
    private final OutageLog outages = new OutageLog(ticker);

    @Test
    void an_outage_has_a_line_a_minute_that_counts_the_others() {
        assertThat(outages.lines(FailureReason.ARCHIVE_FAILED)).isEqualTo(1);
        for (int i = 0; i < 1000; i++) {
            assertThat(outages.lines(FailureReason.ARCHIVE_FAILED)).isZero();
        }
        assertThat(outages.lines(FailureReason.ARCHIVE_TIMEOUT)).isEqualTo(1);
        ticker.advance(Duration.ofMinutes(1));
        assertThat(outages.lines(FailureReason.ARCHIVE_FAILED)).isEqualTo(1001);
        assertThat(outages.lines(FailureReason.ARCHIVE_FAILED)).isZero();
    }
}
