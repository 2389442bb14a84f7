package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.volume.CopyReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The growing file as its followers see it. */
@Timeout(60)
class FillTest {
    private static final int SIZE = 100_000;

    private final byte[] bytes = random();
    private final AtomicInteger closes = new AtomicInteger();
    private final Fill fill = new Fill("a/x", new FileFacts(SIZE, null, "\"1\"", null, null), 1);

    private static byte[] random() {
        byte[] bytes = new byte[SIZE];
        new Random(3).nextBytes(bytes);
        return bytes;
    }

    private final CopyReader file = new CopyReader() {
        @Override
        public long size() {
            return SIZE;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            int n = (int) Math.min(target.remaining(), SIZE - position);
            if (n <= 0) {
                return -1;
            }
            target.put(bytes, (int) position, n);
            return n;
        }

        @Override
        public void close() {
            closes.incrementAndGet();
        }
    };

    private static Follower follow(Fill fill) {
        return Objects.requireNonNull(fill.follow());
    }

    @Test
    void readers_get_no_more_than_is_published() throws IOException {
        fill.opened(file);
        try (Follower follower = follow(fill)) {
            ByteBuffer target = ByteBuffer.allocate(SIZE);
            assertThat(follower.read(target, 0)).isZero();
            fill.publish(1000);
            assertThat(follower.read(target, 0)).isEqualTo(1000);
            assertThat(follower.read(target.clear(), 1000)).isZero();
            fill.succeed(SIZE);
            assertThat(follower.read(target.clear(), 1000)).isEqualTo(SIZE - 1000);
            assertThat(follower.read(target.clear(), SIZE)).isEqualTo(-1);
        }
    }

    @Test
    void a_waiter_is_woken_once_and_only_when_there_is_something_for_it() {
        fill.opened(file);
        AtomicInteger wakes = new AtomicInteger();
        try (Follower follower = follow(fill)) {
            assertThat(follower.await(500, wakes::incrementAndGet)).isTrue();
            fill.publish(500);
            assertThat(wakes).hasValue(0);
            fill.publish(501);
            fill.publish(600);
            assertThat(wakes).hasValue(1);
            assertThat(follower.await(500, wakes::incrementAndGet)).isFalse();
            assertThat(follower.await(600, wakes::incrementAndGet)).isTrue();
            fill.abandon(new IOException("full"));
            assertThat(wakes).hasValue(2);
            assertThat(follower.await(600, wakes::incrementAndGet)).isFalse();
        }
    }

    @Test
    void a_failure_of_the_volume_sends_readers_elsewhere_and_one_of_the_archive_does_not() throws IOException {
        fill.opened(file);
        fill.publish(10);
        try (Follower follower = follow(fill)) {
            fill.abandon(new IOException("disk full"));
            assertThat(follower.read(ByteBuffer.allocate(100), 0)).isEqualTo(10);
            assertThatThrownBy(() -> follower.read(ByteBuffer.allocate(100), 10))
                    .isInstanceOf(FillAbandonedException.class);
        }
        Fill other = new Fill("a/y", fill.facts(), 1);
        try (Follower follower = follow(other)) {
            other.abandon(new FailureException(FailureReason.WRONG_BYTES, "Wrong."));
            assertThatThrownBy(() -> follower.read(ByteBuffer.allocate(100), 0))
                    .isInstanceOfSatisfying(
                            FailureException.class, e -> assertThat(e.reason()).isEqualTo(FailureReason.WRONG_BYTES));
        }
    }

    /** Until the inventory knows, it can be met; who joined it then got a status of 200 and a body that broke off. */
    @Test
    void what_has_failed_is_followed_by_nobody_new() throws IOException {
        fill.opened(file);
        fill.publish(10);
        try (Follower before = follow(fill)) {
            fill.abandon(new FailureException(FailureReason.FILE_CHANGED, "Changed."));
            assertThat(fill.follow()).isNull();
            assertThat(before.read(ByteBuffer.allocate(100), 0)).isEqualTo(10);
        }
    }

    @Test
    void the_file_is_closed_when_the_fill_and_its_last_follower_are_done() {
        fill.opened(file);
        Follower first = follow(fill);
        Follower second = follow(fill);
        fill.succeed(SIZE);
        fill.release();
        first.close();
        first.close();
        assertThat(closes).hasValue(0);
        second.close();
        assertThat(closes).hasValue(1);
        assertThat(fill.follow()).isNull();
    }

    @Test
    void no_wake_up_is_lost_between_a_reader_that_waits_and_a_writer_that_publishes() throws Exception {
        fill.opened(file);
        int readers = 4;
        CountDownLatch done = new CountDownLatch(readers);
        for (int i = 0; i < readers; i++) {
            new Reader(follow(fill), done).step();
        }
        for (int position = 1; position < SIZE; position += 7) {
            fill.publish(position);
        }
        fill.succeed(SIZE);
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        fill.release();
        assertThat(closes).hasValue(1);
    }

    /** Reads to the end, each step on some thread of the common pool. */
    private final class Reader {
        private final Follower follower;
        private final CountDownLatch done;
        private long position;

        Reader(Follower follower, CountDownLatch done) {
            this.follower = follower;
            this.done = done;
        }

        void step() {
            CompletableFuture.runAsync(this::read).exceptionally(e -> {
                e.printStackTrace();
                return null;
            });
        }

        private void read() {
            try {
                ByteBuffer target = ByteBuffer.allocate(50);
                while (true) {
                    int n = follower.read(target.clear(), position);
                    if (n > 0) {
                        for (int i = 0; i < n; i++) {
                            assertThat(target.get(i)).isEqualTo(bytes[(int) position + i]);
                        }
                        position += n;
                    } else if (n < 0) {
                        assertThat(position).isEqualTo(SIZE);
                        follower.close();
                        done.countDown();
                        return;
                    } else if (follower.await(position, this::step)) {
                        return;
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
