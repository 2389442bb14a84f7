package org.anteroom.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/**
 * Work that waits for a connection, and the caller that waits for its result until a deadline.
 *
 * <p>Either the caller gives up or a thread claims the work, whichever is first: what was given up before it began is
 * never done. What is given up later is {@link #givenUp}, so that it can be undone; a result that comes in spite of that
 * is handed to whoever takes late ones, and only then.
 */
final class Operation<T> {
    /** A database that answers somewhat late costs no connection. */
    private static final Duration GRACE = Duration.ofSeconds(4);

    private final String name;
    private final Function<Handle, T> work;
    private final Consumer<T> late;
    private final long deadline;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final CompletableFuture<T> result = new CompletableFuture<>();

    Operation(String name, Duration wait, Function<Handle, T> work) {
        this(name, wait, work, result -> {});
    }

    /**
     * Work whose result is wanted even if the caller has given up.
     *
     * @param late is given such a result, on the thread that did the work
     */
    Operation(String name, Duration wait, Function<Handle, T> work, Consumer<T> late) {
        this.name = name;
        this.work = work;
        this.late = late;
        this.deadline = System.nanoTime() + wait.toNanos();
    }

    String name() {
        return name;
    }

    /** How long the caller still waits; zero or more. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    /** How long an answer of the database may be silent: for as long as the caller waits, and somewhat longer. */
    Duration patience() {
        return left().plus(GRACE);
    }

    /** Whether the work is now the calling thread's to do. */
    boolean claim() {
        return System.nanoTime() - deadline < 0 && taken.compareAndSet(false, true);
    }

    /** Does the work; the caller learns of it later, when it is safe. */
    T run(Handle handle) {
        return work.apply(handle);
    }

    /** Whether the caller waits no more. */
    boolean givenUp() {
        return result.isDone();
    }

    void succeed(T value) {
        if (!result.complete(value)) {
            late.accept(value);
        }
    }

    void fail(Throwable failure) {
        result.completeExceptionally(failure);
    }

    /** Waits for the result. */
    T await() throws DatabaseException {
        try {
            return result.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return giveUp(new DatabaseException(
                    DatabaseException.Reason.TIMEOUT, "the database did not answer in time: " + name, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return giveUp(new DatabaseException(DatabaseException.Reason.TIMEOUT, "interrupted: " + name, e));
        } catch (ExecutionException e) {
            throw rethrown(e.getCause() == null ? e : e.getCause());
        }
    }

    /** Waits no more, unless the result has just come. */
    private T giveUp(DatabaseException failure) throws DatabaseException {
        taken.set(true);
        if (result.completeExceptionally(failure)) {
            throw failure;
        }
        try {
            return result.join();
        } catch (CompletionException e) {
            throw rethrown(e.getCause() == null ? e : e.getCause());
        }
    }

    private DatabaseException rethrown(Throwable failure) {
        if (failure instanceof DatabaseException cause) {
            return new DatabaseException(cause.reason(), cause.getMessage() + ": " + name, cause);
        }
        if (failure instanceof RuntimeException fault) {
            throw fault;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        return new DatabaseException(DatabaseException.Reason.OTHER, failure.getMessage() + ": " + name, failure);
    }
}
