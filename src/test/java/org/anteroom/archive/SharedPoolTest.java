package org.anteroom.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SharedPoolTest {
    private final Tasks tasks = new Tasks(new Metrics());
    private final ExecutorService threads = tasks.pool("shared-test", 1, 1);
    private final SharedPool pool = new SharedPool(threads, 1, 1, 30);
    private final List<String> order = new CopyOnWriteArrayList<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);

    @AfterEach
    void end() {
        go.countDown();
        assertThat(tasks.stop(Duration.ofSeconds(10))).isEmpty();
    }

    private void block() throws InterruptedException {
        pool.execute(Traffic.PEOPLE, true, () -> {
            started.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        started.await();
    }

    @Test
    void backgroundComesAfterThreePeopleAndPeopleAfterOneOfTheBackground() throws Exception {
        block();
        for (int i = 0; i < 4; i++) {
            int number = i;
            pool.execute(Traffic.BACKGROUND, true, () -> order.add("b" + number));
        }
        for (int i = 0; i < 8; i++) {
            int number = i;
            pool.execute(Traffic.PEOPLE, true, () -> order.add("p" + number));
        }
        assertThat(pool.waiting(Traffic.PEOPLE)).isEqualTo(8);
        assertThat(pool.waiting(Traffic.BACKGROUND)).isEqualTo(4);
        CountDownLatch end = new CountDownLatch(1);
        pool.execute(Traffic.BACKGROUND, true, end::countDown);
        go.countDown();
        end.await();
        assertThat(order).containsExactly("p0", "p1", "p2", "b0", "p3", "p4", "p5", "b1", "p6", "p7", "b2", "b3");
    }

    @Test
    void stepsOfWhatHasBegunComeBeforeWhatBeginsButNotForEver() throws Exception {
        block();
        for (int i = 0; i < 3; i++) {
            int number = i;
            pool.execute(Traffic.PEOPLE, true, () -> order.add("head" + number));
        }
        for (int i = 0; i < CallLine.BEGUN_IN_A_ROW + 2; i++) {
            pool.execute(Traffic.PEOPLE, false, () -> order.add("step"));
        }
        CountDownLatch end = new CountDownLatch(1);
        pool.execute(Traffic.PEOPLE, true, end::countDown);
        go.countDown();
        end.await();
        assertThat(order.subList(0, CallLine.BEGUN_IN_A_ROW)).containsOnly("step");
        assertThat(order.subList(CallLine.BEGUN_IN_A_ROW, order.size()))
                .containsExactly("head0", "step", "step", "head1", "head2");
    }

    @Test
    void tooManyAreRefused() throws Exception {
        block();
        for (int i = 0; i < 30; i++) {
            pool.execute(i % 2 == 0 ? Traffic.PEOPLE : Traffic.BACKGROUND, true, () -> order.add("ran"));
        }
        assertThatThrownBy(() -> pool.execute(Traffic.PEOPLE, true, () -> order.add("ran")))
                .isInstanceOf(RejectedExecutionException.class);
        go.countDown();
        threads.shutdown();
        assertThat(threads.awaitTermination(20, java.util.concurrent.TimeUnit.SECONDS))
                .isTrue();
        assertThat(order).hasSize(30);
        assertThatThrownBy(() -> pool.execute(Traffic.PEOPLE, true, () -> order.add("late")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(pool.waiting(Traffic.PEOPLE)).isZero();
    }

    @Test
    void callThatFailsLeavesItsThreadToTheNext() throws Exception {
        block();
        pool.execute(Traffic.BACKGROUND, true, () -> {
            throw new IllegalStateException("a fault for the log");
        });
        CountDownLatch end = new CountDownLatch(1);
        pool.execute(Traffic.BACKGROUND, true, end::countDown);
        go.countDown();
        end.await();
        assertThat(order).isEmpty();
    }
}
