package org.anteroom.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LaneTest {
    private static final int WIDTH = 2;
    private static final int WAITING = 3;

    /** Refuses when all its threads are busy. */
    private final ThreadPoolExecutor pool = new ThreadPoolExecutor(0, 4, 1, TimeUnit.MINUTES, new SynchronousQueue<>());

    private final AtomicBoolean flows = new AtomicBoolean(true);
    private final Lane lane = new Lane(pool, WIDTH, WAITING, flows::get);
    private final CountDownLatch hang = new CountDownLatch(1);
    private final BlockingQueue<String> done = new LinkedBlockingQueue<>();

    @AfterEach
    void end() {
        hang.countDown();
        pool.shutdownNow();
    }

    private void fill() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(WIDTH);
        for (int i = 0; i < WIDTH; i++) {
            lane.execute(() -> {
                entered.countDown();
                try {
                    hang.await();
                } catch (InterruptedException e) {
                    done.add("interrupted");
                }
            });
        }
        entered.await();
    }

    @Test
    void workThatHangsLeavesTheRestOfThePoolToOthers() throws Exception {
        fill();
        for (int i = 0; i < WAITING; i++) {
            String name = "waited " + i;
            lane.execute(() -> done.add(name));
        }
        assertThatThrownBy(() -> lane.execute(() -> done.add("too much")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(pool.getActiveCount()).isEqualTo(WIDTH);
        pool.execute(() -> done.add("other"));
        assertThat(done.take()).isEqualTo("other");
        hang.countDown();
        assertThat(new String[] {done.take(), done.take(), done.take()})
                .containsExactlyInAnyOrder("waited 0", "waited 1", "waited 2");
    }

    @Test
    void whatWaitsIsSentOnWhenTheLaneFlowsNoMore() throws Exception {
        fill();
        lane.execute(() -> done.add("waited"));
        lane.relieve();
        assertThat(done).as("it flows").isEmpty();
        flows.set(false);
        lane.relieve();
        assertThat(done.take()).isEqualTo("waited");
        lane.execute(() -> done.add("sent straight on"));
        assertThat(done.take()).isEqualTo("sent straight on");
    }

    @Test
    void workThatThePoolHasNoRoomForWaitsOn() throws Exception {
        fill();
        lane.execute(() -> done.add("waited"));
        CountDownLatch others = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            pool.execute(() -> {
                try {
                    others.await();
                } catch (InterruptedException e) {
                    done.add("interrupted");
                }
                ended.countDown();
            });
        }
        flows.set(false);
        lane.relieve();
        assertThat(done).isEmpty();
        others.countDown();
        ended.await();
        flows.set(true);
        hang.countDown();
        assertThat(done.take()).isEqualTo("waited");
    }

    @Test
    void lanesInTurnsLetEachOtherPass() {
        Deque<Runnable> queue = new ArrayDeque<>();
        Lane one = Lane.inTurns(queue::add, WAITING);
        Lane other = Lane.inTurns(queue::add, WAITING);
        for (int i = 0; i < WAITING; i++) {
            one.execute(() -> done.add("one"));
            other.execute(() -> done.add("other"));
        }
        for (Runnable work = queue.poll(); work != null; work = queue.poll()) {
            work.run();
        }
        assertThat(done).containsExactly("one", "other", "one", "other", "one", "other");
    }

    @Test
    void aLaneInTurnsGoesOnByItselfWhenThePoolCannot() {
        Deque<Runnable> queue = new ArrayDeque<>();
        for (Throwable refusal : List.of(new RejectedExecutionException(), new OutOfMemoryError("no thread"))) {
            AtomicBoolean refuses = new AtomicBoolean();
            Lane turns = Lane.inTurns(
                    work -> {
                        if (refuses.get()) {
                            LaneTest.<RuntimeException>raise(refusal);
                        }
                        queue.add(work);
                    },
                    WAITING);
            turns.execute(() -> done.add("first"));
            turns.execute(() -> done.add("second"));
            refuses.set(true);
            queue.remove().run();
            refuses.set(false);
            turns.execute(() -> done.add("third"));
            queue.remove().run();
            assertThat(done).containsExactly("first", "second", "third");
            done.clear();
        }
    }

    @Test
    void whatWaitsStaysInLineWhenNoThreadCanBeStarted() {
        Deque<Runnable> queue = new ArrayDeque<>();
        AtomicBoolean refuses = new AtomicBoolean();
        AtomicBoolean flowing = new AtomicBoolean(true);
        Lane lane = new Lane(
                work -> {
                    if (refuses.get()) {
                        throw new OutOfMemoryError("no thread");
                    }
                    queue.add(work);
                },
                1,
                WAITING,
                flowing::get);
        lane.execute(() -> done.add("hangs"));
        lane.execute(() -> done.add("waited"));
        flowing.set(false);
        refuses.set(true);
        lane.relieve();
        refuses.set(false);
        lane.relieve();
        queue.removeLast().run();
        assertThat(done).containsExactly("waited");
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable failure) throws T {
        throw (T) failure;
    }

    @Test
    void workThatFailsHoldsUpNothingBehindIt() throws Exception {
        ThreadPoolExecutor quiet =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work);
                    thread.setUncaughtExceptionHandler((t, e) -> done.add(String.valueOf(e.getMessage())));
                    return thread;
                });
        try {
            Lane narrow = new Lane(quiet, 1, WAITING, flows::get);
            narrow.execute(() -> {
                throw new IllegalStateException("broken");
            });
            narrow.execute(() -> done.add("behind"));
            assertThat(done.take()).isEqualTo("broken");
            assertThat(done.take()).isEqualTo("behind");
        } finally {
            quiet.shutdownNow();
        }
    }
}
