package org.anteroom.archive;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * Blocking calls made on a bounded pool, for each of which somebody waits a bounded time.
 *
 * <p>A call is settled once: by its own end, or by {@link #expire()} when its time is up. A call cannot be cancelled: one
 * that hangs keeps its thread until it returns, and its late result is thrown away; only one whose future is cancelled
 * before it has a thread is left out. Time counts from the submission, so
 * that waiting for a thread is bounded by the same limit. There is no timer per call: a cancelled timer would keep the
 * call's buffers in memory until it is due.
 *
 * <p>What comes by itself is admitted up to a number of calls, and refused past it. Steps of what is admitted already are
 * never refused: the pool's queue has room for them all, which is for the owner to see to.
 */
final class BoundedCalls {
    private final Threads threads;
    private final Semaphore places;
    private final @Nullable Breaker breaker;
    private final ArchiveMetrics metrics;
    private final AtomicInteger inUse;
    private final Ticker ticker;
    private final Set<Call<?>> running = ConcurrentHashMap.newKeySet();

    /** What makes calls. */
    interface Threads {

        /**
         * Has a call made.
         *
         * @throws RejectedExecutionException if that is not possible any more
         */
        void execute(Question question, Runnable call);
    }

    /**
     * What the archive is asked.
     *
     * @param kind for the metrics
     * @param thing of what; a thing that fails again and again counts once for the breaker
     * @param begins whether it is the first of its kind, which the breaker may refuse
     */
    record Question(String kind, Object thing, Traffic traffic, boolean begins) {

        /** A question of somebody who waits. */
        static Question of(String kind, Object thing) {
            return new Question(kind, thing, Traffic.PEOPLE, true);
        }
    }

    /**
     * No calls yet.
     *
     * @param admitted the most calls that run or wait, those of steps apart
     * @param breaker is asked for calls that begin, and told how all end; null if none is to be
     * @param inUse the calls that run are counted there
     */
    BoundedCalls(
            Threads threads,
            int admitted,
            @Nullable Breaker breaker,
            ArchiveMetrics metrics,
            AtomicInteger inUse,
            Ticker ticker) {
        this.threads = threads;
        this.places = new Semaphore(admitted);
        this.breaker = breaker;
        this.metrics = metrics;
        this.inUse = inUse;
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

    /**
     * Has work done if it is admitted.
     *
     * @return as in {@link #step}, or fails with OVERLOADED when too much is waiting already
     */
    <T> CompletableFuture<T> submit(Question question, Duration timeout, Work<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        if (places.tryAcquire()) {
            step(question, timeout, future, new Admitted<>(work, places));
        } else {
            future.completeExceptionally(refused(question.kind()));
            work.abandoned();
        }
        return future;
    }

    /** The failure of a call that is not admitted; it is counted. */
    FailureException refused(String kind) {
        FailureException failure =
                new FailureException(FailureReason.OVERLOADED, "The archive is asked for too much at once.");
        metrics.finished(kind, Duration.ZERO, failure);
        return failure;
    }

    /**
     * Has work done that belongs to something admitted.
     *
     * @param future completes with the result, or with a FailureException: what the work threw, ARCHIVE_TIMEOUT,
     *     ARCHIVE_AWAY if it begins and the archive is not asked, or NOT_READY after the pool has ended
     */
    <T> void step(Question question, Duration timeout, CompletableFuture<T> future, Work<T> work) {
        if (question.begins() && breaker != null && !breaker.permits()) {
            FailureException refusal = Breaker.refusal();
            metrics.finished(question.kind(), Duration.ZERO, refusal);
            future.completeExceptionally(refusal);
            work.abandoned();
            return;
        }
        Call<T> call = new Call<>(question, timeout, future, work);
        running.add(call);
        try {
            threads.execute(question, call);
        } catch (RejectedExecutionException e) {
            call.fail(new FailureException(FailureReason.NOT_READY, "The service is stopping.", e));
            work.abandoned();
        } catch (OutOfMemoryError e) {
            // no thread could be made
            call.fail(new FailureException(FailureReason.ARCHIVE_FAILED, "The archive could not be asked.", e));
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

    /** Work that holds a place until it has ended. */
    private record Admitted<T>(Work<T> work, Semaphore places) implements Work<T> {
        @Override
        public T run() throws IOException {
            return work.run();
        }

        @Override
        public void delivered(T result) {
            try {
                work.delivered(result);
            } finally {
                places.release();
            }
        }

        @Override
        public void abandoned() {
            try {
                work.abandoned();
            } finally {
                places.release();
            }
        }
    }

    private final class Call<T> implements Runnable {
        private final Question question;
        private final Work<T> work;
        private final long submitted = ticker.read();
        private final Duration timeout;
        private final AtomicBoolean settled = new AtomicBoolean();
        private final CompletableFuture<T> future;
        /** Whether it has had a thread. */
        private volatile boolean begun;

        private volatile long begunAt;

        Call(Question question, Duration timeout, CompletableFuture<T> future, Work<T> work) {
            this.question = question;
            this.timeout = timeout;
            this.future = future;
            this.work = work;
        }

        @Override
        public void run() {
            if (future.isCancelled() && settled.compareAndSet(false, true)) {
                // nobody waits for it: it is not asked, and not counted
                running.remove(this);
                tellBreaker(null, false);
            }
            if (settled.get()) {
                work.abandoned();
                return;
            }
            begunAt = ticker.read();
            begun = true;
            inUse.incrementAndGet();
            FailureException failure;
            try {
                T result = work.run();
                inUse.decrementAndGet();
                succeed(result);
                return;
            } catch (FailureException e) {
                failure = e;
            } catch (IOException | RuntimeException | Error e) {
                failure = new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed.", e);
            }
            inUse.decrementAndGet();
            fail(failure);
            work.abandoned();
        }

        private void succeed(T result) {
            if (settle(null, begun)) {
                work.delivered(result);
                future.complete(result);
            } else {
                work.abandoned();
            }
        }

        void fail(FailureException failure) {
            fail(failure, begun);
        }

        private void fail(FailureException failure, boolean ran) {
            if (settle(failure, ran)) {
                future.completeExceptionally(failure);
            }
        }

        private boolean settle(@Nullable FailureException failure, boolean ran) {
            if (!settled.compareAndSet(false, true)) {
                return false;
            }
            running.remove(this);
            metrics.finished(question.kind(), Duration.ofNanos(ticker.read() - submitted), failure);
            tellBreaker(failure, ran);
            return true;
        }

        private void tellBreaker(@Nullable FailureException failure, boolean ran) {
            if (breaker != null) {
                breaker.ended(question.begins(), ran, question.thing(), failure);
            }
        }

        void expire(long now) {
            if (now - submitted >= timeout.toNanos()) {
                // one that had its thread only lately has waited for others more than for the archive
                boolean ran = begun && now - begunAt >= timeout.toNanos() / 2;
                fail(new FailureException(FailureReason.ARCHIVE_TIMEOUT, "The archive did not answer in time."), ran);
            }
        }
    }
}
