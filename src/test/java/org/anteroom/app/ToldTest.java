package org.anteroom.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ToldTest {
    private final Told told = new Told();

    @Test
    void what_differs_in_numbers_alone_is_told_once() {
        assertThat(told.first("no connection after 10003ms (total=0, waiting=3)"))
                .isTrue();
        assertThat(told.first("no connection after 9ms (total=0, waiting=12)")).isFalse();
        assertThat(told.first("the password is wrong")).isTrue();
        assertThat(told.first("the password is wrong")).isFalse();
    }

    @Test
    void what_is_remembered_is_bounded() {
        int news = 0;
        for (int i = 0; i < 1000; i++) {
            news += told.first("x".repeat(i)) ? 1 : 0;
        }
        assertThat(news).isEqualTo(32);
    }
}
