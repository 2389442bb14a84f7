package org.anteroom.archive;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * Blocking calls made on a bounded pool, for each of which somebody waits a bounded time.
 *
 * <p>A call is settled once: by its own end, or by {@link #expire()} when its time is up. A call cannot be cancelled: one
 * that hangs keeps its thread until it returns, and its late result is thrown away. Time counts from the submission, so
 * that waiting for a thread is bounded by the same limit. There is no timer per call: a cancelled timer would keep the
 * call's buffers in memory until it is due.
 */
final class BoundedCalls {
    private final ExecutorService pool;
    private final ArchiveMetrics metrics;
    private final Ticker ticker;
    private final Set<Call<?>> running = ConcurrentHashMap.newKeySet();

    BoundedCalls(ExecutorService pool, ArchiveMetrics metrics, Ticker ticker) {
        this.pool = pool;
        this.metrics = metrics;
        this.ticker = ticker;
    }

    /** What is done on the pool. Every work ends in exactly one of {@link #delivered} and {@link #abandoned}. */
    interface Work<T> {

        /** The blocking part. */
        T run() throws IOException;

        /** Takes the result over, just before the future completes with it. */
        default void delivered(T result) {}

        /** It failed, was refused, or nobody waits any more: time to clean up. The future is complete already. */
        default void abandoned() {}
    }

    /** Has work done; the future is as in {@link #submit(String, Duration, CompletableFuture, Work)}. */
    <T> CompletableFuture<T> submit(String kind, Duration timeout, Work<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        submit(kind, timeout, future, work);
        return future;
    }

    /**
     * Has work done.
     *
     * @param future completes with the result, or with a FailureException: what the work threw, ARCHIVE_TIMEOUT, or
     *     OVERLOADED when too much is waiting already
     */
    <T> void submit(String kind, Duration timeout, CompletableFuture<T> future, Work<T> work) {
        Call<T> call = new Call<>(kind, timeout, future, work);
        running.add(call);
        try {
            pool.execute(call);
        } catch (RejectedExecutionException e) {
            call.fail(new FailureException(FailureReason.OVERLOADED, "The archive is asked for too much at once.", e));
            work.abandoned();
        }
    }

    /** Ends the wait for each call whose time is up. Never blocks on the archive. */
    void expire() {
        long now = ticker.read();
        running.forEach(call -> call.expire(now));
    }

    /** Ends the wait for every call. */
    void failAll(FailureException failure) {
        running.forEach(call -> call.fail(failure));
    }

    private final class Call<T> implements Runnable {
        private final String kind;
        private final Work<T> work;
        private final long begun = ticker.read();
        private final Duration timeout;
        private final AtomicBoolean settled = new AtomicBoolean();
        private final CompletableFuture<T> future;

        Call(String kind, Duration timeout, CompletableFuture<T> future, Work<T> work) {
            this.kind = kind;
            this.timeout = timeout;
            this.future = future;
            this.work = work;
        }

        @Override
        public void run() {
            if (settled.get()) {
                work.abandoned();
                return;
            }
            metrics.begun();
            FailureException failure;
            try {
                T result = work.run();
                metrics.ended();
                succeed(result);
                return;
            } catch (FailureException e) {
                failure = e;
            } catch (IOException | RuntimeException | Error e) {
                failure = new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed.", e);
            }
            metrics.ended();
            fail(failure);
            work.abandoned();
        }

        private void succeed(T result) {
            if (settle(null)) {
                work.delivered(result);
                future.complete(result);
            } else {
                work.abandoned();
            }
        }

        void fail(FailureException failure) {
            if (settle(failure)) {
                future.completeExceptionally(failure);
            }
        }

        private boolean settle(@Nullable FailureException failure) {
            if (!settled.compareAndSet(false, true)) {
                return false;
            }
            running.remove(this);
            metrics.finished(kind, Duration.ofNanos(ticker.read() - begun), failure);
            return true;
        }

        void expire(long now) {
            if (now - begun >= timeout.toNanos()) {
                fail(new FailureException(FailureReason.ARCHIVE_TIMEOUT, "The archive did not answer in time."));
            }
        }
    }
}
