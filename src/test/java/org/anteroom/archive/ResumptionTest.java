package org.anteroom.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.junit.jupiter.api.Test;

class ResumptionTest {
    private final FailureException breaking = new FailureException(FailureReason.ARCHIVE_FAILED, "broken");

    private final Resumption latest = new Resumption(100, () -> 1);

    @Test
    void waitsTwiceAsLongWhileNothingComes() {
        assertThat(latest.next(breaking, 101)).isEqualTo(Duration.ofMillis(200));
        assertThat(latest.next(breaking, 101)).isEqualTo(Duration.ofMillis(400));
        assertThat(latest.next(breaking, 101)).isEqualTo(Duration.ofMillis(800));
        assertThat(latest.next(breaking, 102)).isEqualTo(Duration.ofMillis(200));
        assertThat(latest.next(breaking, 102)).isEqualTo(Duration.ofMillis(400));
        assertThat(latest.next(breaking, 103)).isNull();
    }

    @Test
    void longFileOutlivesManyBreaks() {
        for (long position = 1000; position < 1000 * Resumption.REGAINED_BY; position += Resumption.REGAINED_BY) {
            assertThat(latest.next(breaking, position)).isNotNull();
        }
    }

    @Test
    void partsOfWhatGivesAnAttemptBackAddUp() {
        long part = Resumption.REGAINED_BY / 2;
        for (int i = 1; i <= 2 * Resumption.MOST - 1; i++) {
            assertThat(latest.next(breaking, 100 + i * part)).as("break %s", i).isNotNull();
        }
    }

    @Test
    void comesBackAtSomeMomentInTheSecondHalfOfTheWait() {
        assertThat(new Resumption(0, () -> 0).next(breaking, 1)).isEqualTo(Duration.ofMillis(100));
        assertThat(new Resumption(0, () -> 0.5).next(breaking, 1)).isEqualTo(Duration.ofMillis(150));
    }

    @Test
    void leavesTheArchiveAloneForAsLongAsItAsksWithinReason() {
        assertThat(latest.next(asking(Duration.ofSeconds(3)), 200)).isEqualTo(Duration.ofSeconds(3));
        assertThat(latest.next(asking(Duration.ofHours(3)), 300)).isEqualTo(Resumption.LONGEST_WAIT);
    }

    private static FailureException asking(Duration time) {
        return new FailureException(FailureReason.OVERLOADED, "not now", null, time);
    }

    @Test
    void thereIsNoneBeforeTheFirstByteAndForWhatDoesNotPass() {
        assertThat(latest.next(breaking, 100)).isNull();
        for (FailureReason reason : new FailureReason[] {
            FailureReason.WRONG_BYTES,
            FailureReason.FILE_CHANGED,
            FailureReason.NOT_FOUND,
            FailureReason.ARCHIVE_REFUSED,
            FailureReason.NOT_READY
        }) {
            assertThat(latest.next(new FailureException(reason, "no"), 200)).isNull();
        }
    }
}
