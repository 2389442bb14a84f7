package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Uses in memory. */
class UseLogTest {
    private final AtomicLong millis = new AtomicLong(1000);
    private final UseLog log = new UseLog(() -> Instant.ofEpochMilli(millis.get()));

    @Test
    void uses_are_taken_once_with_the_time_of_the_last() {
        log.used(7);
        millis.set(2000);
        log.used(7);
        log.used(8);
        assertThat(log.drain())
                .containsExactlyInAnyOrder(
                        new Use(7, Instant.ofEpochMilli(2000), 2), new Use(8, Instant.ofEpochMilli(2000), 1));
        assertThat(log.drain()).isEmpty();
    }

    @Test
    void what_could_not_be_stored_is_given_back_and_added_up() {
        log.used(7);
        List<Use> taken = log.drain();
        millis.set(3000);
        log.used(7);
        log.restore(taken);
        assertThat(log.drain()).containsExactly(new Use(7, Instant.ofEpochMilli(3000), 2));
    }

    @Test
    void copies_that_are_no_longer_used_leave_the_memory() {
        log.used(7);
        log.drain();
        log.drain();
        assertThat(log.size()).isZero();
        log.used(7);
        assertThat(log.drain()).hasSize(1);
    }

    @Test
    void nothing_is_lost_or_counted_twice_while_it_is_drained() throws Exception {
        int threads = 4;
        int uses = 50_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads + 1);
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong sum = new AtomicLong();
        var drainer = pool.submit(() -> {
            while (!done.get()) {
                log.drain().forEach(use -> sum.addAndGet(use.uses()));
            }
        });
        List<java.util.concurrent.Future<?>> users = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            users.add(pool.submit(() -> {
                for (int i = 0; i < uses; i++) {
                    log.used(i % 13);
                }
            }));
        }
        for (var user : users) {
            user.get(60, TimeUnit.SECONDS);
        }
        done.set(true);
        drainer.get(60, TimeUnit.SECONDS);
        log.drain().forEach(use -> sum.addAndGet(use.uses()));
        pool.shutdown();
        assertThat(sum).hasValue((long) threads * uses);
    }
}
