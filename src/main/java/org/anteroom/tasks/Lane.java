package org.anteroom.tasks;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A share of a pool: work that may come to hang takes so many of its threads at the most, and what is more waits in line.
 *
 * <p>Waiting is worth it only while the lane flows. When it does not, because what it leads to hangs and is known to, work
 * goes straight to the pool: it is expected to be refused there at once and to go on elsewhere. {@link #relieve()} does the
 * same for what waits already. So the pool needs the lane's threads and some more.
 */
public final class Lane implements Executor {
    private final Executor pool;
    private final int width;
    private final int waiting;
    private final BooleanSupplier flows;
    private final boolean turns;
    private final Deque<Runnable> line = new ArrayDeque<>();
    private int running;

    /**
     * An empty lane.
     *
     * @param width threads of the pool at once, at least 1
     * @param waiting the most work in line; past it a submission is refused with RejectedExecutionException
     * @param flows whether to keep to the width; asked often, so it only looks at memory
     */
    public Lane(Executor pool, int width, int waiting, BooleanSupplier flows) {
        this(pool, width, waiting, flows, false);
    }

    /**
     * A lane of width 1 that always flows and lets others have the pool's thread after each piece of work: for lanes that
     * never run dry and are more than the pool has threads.
     */
    public static Lane inTurns(Executor pool, int waiting) {
        return new Lane(pool, 1, waiting, () -> true, true);
    }

    private Lane(Executor pool, int width, int waiting, BooleanSupplier flows, boolean turns) {
        this.pool = pool;
        this.width = width;
        this.waiting = waiting;
        this.flows = flows;
        this.turns = turns;
    }

    @Override
    public void execute(Runnable work) {
        if (!flows.getAsBoolean()) {
            pool.execute(work);
            return;
        }
        synchronized (line) {
            if (running < width) {
                pool.execute(() -> runFrom(work));
                running++;
            } else if (line.size() < waiting) {
                line.add(work);
            } else {
                throw new RejectedExecutionException("too much waits in line");
            }
        }
    }

    private void runFrom(Runnable first) {
        for (Runnable work = first; work != null; work = nextOrLeave()) {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                // told as a thread of the pool would tell it, but what waits behind goes on
                Thread here = Thread.currentThread();
                here.getUncaughtExceptionHandler().uncaughtException(here, e);
            }
        }
    }

    private @Nullable Runnable nextOrLeave() {
        synchronized (line) {
            Runnable next = line.poll();
            if (next == null) {
                running--;
            } else if (turns && handOn(next)) {
                return null;
            }
            return next;
        }
    }

    /** Has the pool go on behind what waits for it already; false if it takes nothing more: then this thread goes on. */
    private boolean handOn(Runnable next) {
        try {
            pool.execute(() -> runFrom(next));
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // an error is what a thread that cannot be started is told by
            return false;
        }
    }

    /** Sends what waits to the pool if the lane does not flow; to be called every now and then. */
    public void relieve() {
        while (!flows.getAsBoolean()) {
            Runnable work;
            synchronized (line) {
                work = line.poll();
            }
            if (work == null) {
                return;
            }
            try {
                pool.execute(work);
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                synchronized (line) {
                    line.addFirst(work);
                }
                return;
            }
        }
    }
}
