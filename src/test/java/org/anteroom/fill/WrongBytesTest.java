package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;

import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileFacts;
import org.anteroom.model.Sha256;
import org.anteroom.testing.FakeTicker;
import org.anteroom.testing.Figures;
import org.junit.jupiter.api.Test;

/** How long a file whose bytes are wrong is refused. */
class WrongBytesTest {
    private static final FileFacts FACTS = new FileFacts(10, null, "\"1\"", Sha256.of(new byte[] {1}), null);

    private final FakeTicker clock = new FakeTicker();
    private final Metrics metrics = new Metrics();
    private final WrongBytes wrong = new WrongBytes(clock, metrics);

    @Test
    void itIsRefusedUntilTheArchiveSaysSomethingElse() {
        assertThat(wrong.has("a", FACTS)).isFalse();
        wrong.note("a", FACTS);
        assertThat(wrong.has("a", FACTS)).isTrue();
        assertThat(wrong.has("b", FACTS)).isFalse();
        assertThat(wrong.has("a", FACTS.withSha256(Sha256.of(new byte[] {2})))).isFalse();
        assertThat(wrong.has("a", FACTS)).as("believed again from then on").isFalse();
    }

    @Test
    void itIsLookedAtAgainNowAndThenByOneOfThoseWhoAsk() {
        wrong.note("a", FACTS);
        assertThat(wrong.isDue("a")).isFalse();
        clock.advance(WrongBytes.LOOK_AGAIN);
        assertThat(wrong.isDue("a")).isTrue();
        assertThat(wrong.isDue("a")).isFalse();
        clock.advance(WrongBytes.LOOK_AGAIN);
        assertThat(wrong.isDue("a")).isTrue();
        assertThat(wrong.has("a", FACTS)).isTrue();
        assertThat(wrong.isDue("b")).isFalse();
    }

    @Test
    void whoFindsItRightHasItForgotten() {
        wrong.note("a", FACTS);
        assertThat(Figures.value(metrics, "anteroom_wrong_files")).isEqualTo(1);
        wrong.forget("a");
        assertThat(wrong.has("a", FACTS)).isFalse();
        assertThat(Figures.value(metrics, "anteroom_wrong_files")).isZero();
    }
}
