package org.anteroom.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.anteroom.model.FailureException;
import org.anteroom.testing.FakeTicker;
import org.junit.jupiter.api.Test;

/** What the archive has said of things, shared by those who ask. */
class AnswersTest {
    private final Answers<String, String> answers =
            new Answers<>(Duration.ofSeconds(1), Duration.ofSeconds(1), new FakeTicker());

    @Test
    void callThatCannotBeginFailsAndIsMadeAnewByTheNext() {
        CompletableFuture<String> failed = answers.get("a", () -> {
            throw new IllegalStateException("no thread");
        });
        assertThatThrownBy(failed::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(FailureException.class);
        assertThat(answers.get("a", () -> CompletableFuture.completedFuture("b")))
                .isCompletedWithValue("b");
    }
}
