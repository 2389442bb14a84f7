package org.anteroom.archive;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bounded number of threads that people and the background share.
 *
 * <p>The background has at most its share of them, also while nobody else wants any, so that people find threads at once.
 * Where both wait, people come first {@value #PEOPLE_IN_A_ROW} times in a row and then the background once, so that neither
 * starves. Within each the order is that of a {@link CallLine}.
 *
 * <p>A call waits only while all threads are busy, or all of the share: each looks for the next call when its own has ended.
 * The lock guards the queues and is held over nothing else.
 */
final class SharedPool {
    /** Calls of people, after which one of the background is due. */
    static final int PEOPLE_IN_A_ROW = 3;

    private static final Logger log = LoggerFactory.getLogger(SharedPool.class);

    private final ExecutorService pool;
    private final int threads;
    private final int share;
    private final int mostWaiting;
    private final Object lock = new Object();
    private final CallLine people = new CallLine();
    private final CallLine background = new CallLine();
    private int running;
    private int runningInBackground;
    private int peopleInARow;

    private record Next(Traffic traffic, Runnable call) {}

    /**
     * Nothing waits.
     *
     * @param pool at least as many threads, and room in its queue for as many
     * @param threads the most calls at once
     * @param share the most calls of the background at once
     * @param mostWaiting the most calls that wait; past it one is refused
     */
    SharedPool(ExecutorService pool, int threads, int share, int mostWaiting) {
        this.pool = pool;
        this.threads = threads;
        this.share = share;
        this.mostWaiting = mostWaiting;
    }

    /**
     * Has a call made.
     *
     * @param begins false for a step of what has begun
     * @throws RejectedExecutionException if too many wait, or the pool has ended
     */
    void execute(Traffic traffic, boolean begins, Runnable call) {
        synchronized (lock) {
            if (people.size() + background.size() >= mostWaiting) {
                throw new RejectedExecutionException("too many calls wait");
            }
            line(traffic).add(call, begins);
            if (running == threads || (traffic == Traffic.BACKGROUND && runningInBackground == share)) {
                return;
            }
            running++;
        }
        try {
            pool.execute(this::work);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            synchronized (lock) {
                running--;
                if (!line(traffic).remove(call)) {
                    // another thread has it already
                    return;
                }
            }
            throw e;
        }
    }

    private CallLine line(Traffic traffic) {
        return traffic == Traffic.PEOPLE ? people : background;
    }

    private void work() {
        Traffic ended = null;
        while (true) {
            Next next;
            synchronized (lock) {
                if (ended == Traffic.BACKGROUND) {
                    runningInBackground--;
                }
                next = broken() ? null : next();
                if (next == null) {
                    running--;
                    return;
                }
            }
            ended = next.traffic();
            try {
                next.call().run();
            } catch (RuntimeException | Error e) {
                log.error("A call to the archive ended in an error", e);
            }
        }
    }

    /** Whether a stop has run out of patience. */
    private boolean broken() {
        return pool.isShutdown() && Thread.currentThread().isInterrupted();
    }

    private @Nullable Next next() {
        boolean backgroundMay = !background.isEmpty() && runningInBackground < share;
        if (backgroundMay && (people.isEmpty() || peopleInARow >= PEOPLE_IN_A_ROW)) {
            peopleInARow = 0;
            runningInBackground++;
            return new Next(Traffic.BACKGROUND, background.next());
        }
        if (people.isEmpty()) {
            return null;
        }
        peopleInARow = backgroundMay ? peopleInARow + 1 : 0;
        return new Next(Traffic.PEOPLE, people.next());
    }

    /** How many calls wait. */
    int waiting(Traffic traffic) {
        synchronized (lock) {
            return line(traffic).size();
        }
    }

    /** How many calls of the background run. */
    int runningInBackground() {
        synchronized (lock) {
            return runningInBackground;
        }
    }

    /** The most calls of the background at once. */
    int share() {
        return share;
    }

    /** The most calls that wait. */
    int mostWaiting() {
        return mostWaiting;
    }
}
