package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.anteroom.it.LogLines;
import org.anteroom.testing.FakeTicker;
import org.junit.jupiter.api.Test;

class AnswerLogTest {
    private final FakeTicker ticker = new FakeTicker();
    private final AnswerLog answers = new AnswerLog(ticker);

    @Test
    void ofManyTransfersThatEndBadlyAFewHaveLines() {
        try (LogLines lines = LogLines.open()) {
            for (int i = 0; i < 100; i++) {
                answers.ended("id", "d/f", i % 2 == 0 ? Transfer.End.STALLED : Transfer.End.FAILED, 1, null);
            }
            assertThat(lines.all())
                    .filteredOn(line -> line.contains("d/f") && !line.startsWith("DEBUG"))
                    .hasSize(RefusalLog.LINES);
            ticker.advance(RefusalLog.SPAN);
            answers.tellHidden();
            assertThat(lines.warnings()).contains("80 more answers that were broken off are not shown");
        }
    }

    @Test
    void whoWasAnsweredWithAnErrorInsteadHasNone() {
        try (LogLines lines = LogLines.open()) {
            answers.ended("id", "d/f", Transfer.End.FAILED, 0, null);
            assertThat(lines.all()).noneMatch(line -> line.contains("d/f"));
        }
    }
}
