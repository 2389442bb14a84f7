package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;

import org.anteroom.testing.FakeTicker;
import org.junit.jupiter.api.Test;

/** The request of a file from which on it is cached. */
class AdmissionTest {
    private final FakeTicker clock = new FakeTicker();

    @Test
    void byDefaultTheFirstOne() {
        assertThat(new Admission(1, clock).admits("a")).isTrue();
    }

    @Test
    void eachFileIsCountedForItself() {
        Admission third = new Admission(3, clock);
        assertThat(third.admits("a")).isFalse();
        assertThat(third.admits("a")).isFalse();
        assertThat(third.admits("b")).isFalse();
        assertThat(third.admits("a")).isTrue();
        assertThat(third.admits("a")).isTrue();
    }

    @Test
    void whatNobodyAsksForIsForgotten() {
        Admission second = new Admission(2, clock);
        assertThat(second.admits("a")).isFalse();
        clock.advance(Admission.MEMORY);
        assertThat(second.admits("a")).isFalse();
        clock.advance(Admission.MEMORY.minusSeconds(1));
        assertThat(second.admits("a")).isTrue();
    }
}
