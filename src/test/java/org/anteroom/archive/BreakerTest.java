package org.anteroom.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.testing.FakeTicker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BreakerTest {
    private final FakeTicker ticker = new FakeTicker();
    private final Breaker breaker = new Breaker(ticker);

    @BeforeEach
    void open() {
        for (int i = 0; i < Breaker.RUN; i++) {
            assertThat(breaker.permits()).isTrue();
            breaker.ended(true, true, "file " + i, new FailureException(FailureReason.ARCHIVE_FAILED, "failed", null));
        }
        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.permits()).isFalse();
    }

    @Test
    void anAnswerToTheOneThatTriesClosesIt() {
        breaker.probed();
        assertThat(breaker.permits()).isTrue();
        assertThat(breaker.permits()).as("one tries").isFalse();
        breaker.ended(true, true, "other", null);
        assertThat(breaker.isOpen()).isFalse();
    }

    /** What nobody waits for is not begun while it is open: without a reader nobody would ever try. */
    @Test
    void itClosesWhenTheProbeIsAnsweredAndNobodyTries() {
        breaker.probed();
        ticker.advance(Breaker.PAUSE.minus(Duration.ofMillis(1)));
        breaker.probed();
        assertThat(breaker.isOpen()).isTrue();
        ticker.advance(Duration.ofMillis(1));
        breaker.probed();
        assertThat(breaker.isOpen()).isFalse();
        assertThat(breaker.permits()).isTrue();
    }

    @Test
    void itStaysWhileTheOneThatTriesIsUnderWay() {
        breaker.probed();
        assertThat(breaker.permits()).isTrue();
        ticker.advance(Breaker.PAUSE.multipliedBy(3));
        breaker.probed();
        assertThat(breaker.isOpen()).isTrue();
        breaker.ended(true, true, "other", new FailureException(FailureReason.ARCHIVE_FAILED, "failed", null));
        assertThat(breaker.permits()).isFalse();
    }
}
