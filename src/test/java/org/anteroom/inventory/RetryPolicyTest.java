package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryPolicyTest {
    private final RetryPolicy policy = RetryPolicy.of(6);

    @ParameterizedTest
    @CsvSource({"0,10", "1,10", "2,20", "3,40", "6,320", "7,600", "8,600", "1000000,600"})
    void waitsDoubleUpToTheLongest(int attempt, long seconds) {
        assertThat(policy.afterFailure(attempt, 0.5)).isEqualTo(Duration.ofSeconds(seconds));
        assertThat(policy.afterFailure(attempt, 0)).isEqualTo(Duration.ofMillis(750 * seconds));
        assertThat(policy.afterFailure(attempt, 1)).isEqualTo(Duration.ofMillis(1250 * seconds));
    }

    @ParameterizedTest
    @CsvSource({"0,10", "40,10", "60,15", "2400,600", "86400,600"})
    void roomIsLookedForTheRarerTheLongerItWasWaitedFor(long waited, long seconds) {
        assertThat(policy.forRoom(Duration.ofSeconds(waited), 0.5)).isEqualTo(Duration.ofSeconds(seconds));
    }

    @Test
    void noWaitAtAllIsPossible() {
        assertThat(new RetryPolicy(1, Duration.ZERO, Duration.ZERO, Duration.ZERO).afterFailure(3, 1))
                .isZero();
    }
}
