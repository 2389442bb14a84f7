package org.anteroom.tasks;

import io.prometheus.metrics.core.metrics.Counter;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.anteroom.metrics.Metrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All background work of an instance: named daemon threads, guarded so that one failure does not end a repetition, and
 * stopped together within a bounded time.
 *
 * <p>Every pool has a bounded queue whose depth is a metric. Periodic work runs on a pool of its own kind; a run that is
 * due while the last one still runs is left out.
 */
public final class Tasks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Tasks.class);

    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);

    private final Metrics metrics;
    private final Counter failures;
    private final ScheduledExecutorService timer;
    private final List<ExecutorService> pools = new CopyOnWriteArrayList<>();
    private final List<Pool> measured = new CopyOnWriteArrayList<>();
    private final List<ScheduledFuture<?>> periodic = new CopyOnWriteArrayList<>();

    /** The threads that were made here; held weakly, since the JVM itself holds those that are alive. */
    private final Set<Thread> living = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private volatile boolean stopping;
    private volatile boolean stopped;

    private record Pool(String name, ThreadPoolExecutor executor) {}

    /** No thread is started before it is asked for. */
    public Tasks(Metrics metrics) {
        this.metrics = metrics;
        this.failures = metrics.counter("anteroom_task_failures", "Background runs that ended in an error", "task");
        this.timer = Executors.newSingleThreadScheduledExecutor(threads("anteroom-timer"));
        metrics.gauges(
                "anteroom_pool_threads_busy",
                "Threads of a pool that are working",
                callback -> measured.forEach(p -> callback.call(p.executor().getActiveCount(), p.name())),
                "pool");
        metrics.gauges(
                "anteroom_pool_queue_depth",
                "Work waiting for a thread of the pool",
                callback -> measured.forEach(
                        p -> callback.call(p.executor().getQueue().size(), p.name())),
                "pool");
        metrics.gauges(
                "anteroom_pool_queue_limit",
                "The most work that may wait for a thread of the pool",
                callback -> measured.forEach(p -> {
                    var queue = p.executor().getQueue();
                    callback.call((double) queue.size() + queue.remainingCapacity(), p.name());
                }),
                "pool");
    }

    /**
     * A pool of threads that are started as needed and end after a minute of idleness.
     *
     * @param name the threads' name, {@code anteroom-NAME-N}
     * @param threads the most threads
     * @param queue the most work that waits; past it, and after {@link #stop}, a submission is refused with
     *     RejectedExecutionException
     */
    public ExecutorService pool(String name, int threads, int queue) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(queue), threads("anteroom-" + name));
        executor.allowCoreThreadTimeOut(true);
        keep(executor);
        measured.add(new Pool(name, executor));
        return executor;
    }

    private void keep(ExecutorService executor) {
        pools.add(executor);
        if (stopped) {
            // work that the stop still waits for may make one: nobody would end it any more
            executor.shutdownNow();
        }
    }

    /**
     * Runs work again and again on a thread of its own, first after one period, until {@link #stopPeriodic}.
     *
     * @param name the thread's name, {@code anteroom-NAME}, and the label of its failures
     */
    public void every(String name, Duration period, Runnable work) {
        periodic.add(repeat(name, period, work, () -> !stopping));
    }

    /**
     * Runs work again and again as {@link #every}, but until {@link #stop}: for what keeps or bounds work that still runs
     * when the stop has begun.
     */
    public void everyToTheEnd(String name, Duration period, Runnable work) {
        var unused = repeat(name, period, work, () -> !stopped);
    }

    private ScheduledFuture<?> repeat(String name, Duration period, Runnable work, BooleanSupplier wanted) {
        ExecutorService thread = Executors.newSingleThreadExecutor(threads("anteroom-" + name));
        keep(thread);
        Runnable tick = tick(thread, guarded(name, work), wanted);
        long nanos = period.toNanos();
        return timer.scheduleAtFixedRate(guarded("timer", tick), nanos, nanos, TimeUnit.NANOSECONDS);
    }

    /** Hands work to an executor unless it is still at work or there is no need. */
    static Runnable tick(Executor thread, Runnable work, BooleanSupplier wanted) {
        AtomicBoolean busy = new AtomicBoolean();
        Runnable run = () -> {
            try {
                work.run();
            } finally {
                busy.set(false);
            }
        };
        return () -> {
            if (wanted.getAsBoolean() && busy.compareAndSet(false, true)) {
                try {
                    thread.execute(run);
                } catch (RuntimeException | Error e) {
                    // no thread could be started: the next tick tries again
                    busy.set(false);
                    throw e;
                }
            }
        };
    }

    /** Runs short, non-blocking work once, on the timer's own thread. */
    public ScheduledFuture<?> after(Duration delay, Runnable work) {
        return timer.schedule(guarded("timer", work), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The work, with its failures logged and counted instead of thrown. */
    public Runnable guarded(String name, Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                if (!stopping) {
                    failures.labelValues(name).inc();
                    log.error("{} failed and will be tried again", name, e);
                }
            }
        };
    }

    /** Ends periodic work but for that which goes on to the end; what runs goes on. */
    public void stopPeriodic() {
        stopping = true;
        periodic.forEach(task -> task.cancel(false));
    }

    /**
     * Ends everything: periodic work first, then the pools; what is still running when the time is up is interrupted.
     *
     * <p>A pool says that it has terminated while its last threads are still on their way out. Those are waited for, too:
     * the container takes a thread that is alive after the stop for a leak.
     *
     * @return the names of the threads that did not end even then
     */
    public List<String> stop(Duration grace) {
        stopPeriodic();
        stopped = true;
        long deadline = System.nanoTime() + grace.toNanos();
        timer.shutdownNow();
        pools.forEach(ExecutorService::shutdown);
        awaitEnd(deadline);
        pools.forEach(ExecutorService::shutdownNow);
        awaitEnd(System.nanoTime() + AFTER_INTERRUPT.toNanos());
        return alive().stream().map(Thread::getName).sorted().toList();
    }

    @Override
    public void close() {
        stop(Duration.ZERO);
    }

    /** The registry that pools report to. */
    public Metrics metrics() {
        return metrics;
    }

    /** Waits for the pools, which may start threads until they have terminated, and then for the threads. */
    private void awaitEnd(long deadline) {
        try {
            for (ExecutorService pool : pools) {
                var unused = pool.awaitTermination(left(deadline), TimeUnit.NANOSECONDS);
            }
            var unused = timer.awaitTermination(left(deadline), TimeUnit.NANOSECONDS);
            for (Thread thread : alive()) {
                TimeUnit.NANOSECONDS.timedJoin(thread, left(deadline));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long left(long deadline) {
        return Math.max(0, deadline - System.nanoTime());
    }

    private List<Thread> alive() {
        synchronized (living) {
            return living.stream().filter(Thread::isAlive).toList();
        }
    }

    private ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            living.add(thread);
            return thread;
        };
    }
}
