package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DoubtsTest {
    private final Doubts doubts = new Doubts();

    @Test
    void what_was_found_is_no_doubt_any_more() {
        doubts.add("name", "set/a");
        assertThat(doubts.settle("other")).isNull();
        assertThat(doubts.settle("name")).isEqualTo("set/a");
        assertThat(doubts.none()).isTrue();
    }

    @Test
    void what_is_not_found_is_looked_for_several_times_that_were_answered() {
        doubts.add("name", "set/a");
        for (int round = 1; round < Doubts.ROUNDS; round++) {
            doubts.answered(doubts.round());
            assertThat(doubts.none()).isFalse();
        }
        doubts.answered(doubts.round());
        assertThat(doubts.none()).isTrue();
    }

    @Test
    void there_are_not_more_than_so_many() {
        for (int i = 0; i < 2 * Doubts.MOST; i++) {
            doubts.add("name" + i, "set/" + i);
        }
        assertThat(doubts.settle("name" + (Doubts.MOST - 1))).isNotNull();
        assertThat(doubts.settle("name" + Doubts.MOST)).isNull();
    }
}
