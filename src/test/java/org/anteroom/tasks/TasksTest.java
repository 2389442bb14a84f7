package org.anteroom.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.metrics.Metrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TasksTest {
    private static final Duration OFTEN = Duration.ofMillis(5);
    private static final int THREADS = 100;
    private static final int ROUNDS = 20;

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

    /** Pools tell that they have terminated a moment too early. */
    @Test
    void no_thread_lives_after_the_stop() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            Tasks tasks = new Tasks(new Metrics());
            ExecutorService pool = tasks.pool("many", THREADS, THREADS);
            CountDownLatch started = new CountDownLatch(THREADS);
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < THREADS; i++) {
                pool.execute(() -> {
                    threads.add(Thread.currentThread());
                    started.countDown();
                });
            }
            started.await();
            assertThat(tasks.stop(Duration.ofSeconds(30))).isEmpty();
            assertThat(threads).hasSize(THREADS).noneMatch(Thread::isAlive);
        }
    }

    @Test
    void threads_that_do_not_end_are_named_and_not_waited_for_any_longer() throws Exception {
        Tasks tasks = new Tasks(new Metrics());
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        tasks.pool("deaf", 1, 1).execute(() -> {
            started.countDown();
            awaitWithoutHearing(end);
        });
        started.await();
        assertThat(tasks.stop(Duration.ZERO)).containsExactly("anteroom-deaf-1");
        end.countDown();
        assertThat(tasks.stop(Duration.ofSeconds(30))).isEmpty();
    }

    @Test
    void pools_that_are_made_after_the_stop_take_nothing() {
        Tasks tasks = new Tasks(new Metrics());
        assertThat(tasks.stop(Duration.ofSeconds(30))).isEmpty();
        ExecutorService pool = tasks.pool("late", 1, 1);
        assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(tasks.stop(Duration.ofSeconds(30))).isEmpty();
    }

    private static void awaitWithoutHearing(CountDownLatch end) {
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException e) {
                // as work does that hangs in a system call
            }
        }
    }
}
