package org.anteroom.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.metrics.Metrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TasksTest {
    private static final Duration OFTEN = Duration.ofMillis(5);

    @Test
    void work_for_which_no_thread_could_be_started_is_tried_again() {
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger refusals = new AtomicInteger(1);
        Executor executor = work -> {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            work.run();
        };
        Runnable tick = Tasks.tick(executor, runs::incrementAndGet, () -> true);
        assertThatThrownBy(tick::run).isInstanceOf(OutOfMemoryError.class);
        tick.run();
        tick.run();
        assertThat(runs).hasValue(2);
    }

    @Test
    void what_running_work_needs_goes_on_until_the_end_of_the_stop() throws Exception {
        Tasks tasks = new Tasks(new Metrics());
        AtomicInteger periodic = new AtomicInteger();
        AtomicInteger lasting = new AtomicInteger();
        tasks.every("periodic", OFTEN, () -> {
            periodic.incrementAndGet();
        });
        tasks.stopPeriodic();
        CountDownLatch more = new CountDownLatch(3);
        tasks.everyToTheEnd("lasting", OFTEN, () -> {
            lasting.incrementAndGet();
            more.countDown();
        });
        more.await();
        int before = periodic.get();
        assertThat(before).isLessThanOrEqualTo(1);
        assertThat(tasks.stop(Duration.ofSeconds(10))).isEmpty();
        int ran = lasting.get();
        assertThat(ran).isGreaterThanOrEqualTo(3);
        assertThat(periodic).hasValue(before);
    }
}
