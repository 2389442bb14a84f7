package org.anteroom.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes of a database with many writers: each is a transaction of its own, some at a time.
 *
 * <p>The protocol of a change: take a connection; claim it; begin; run; roll back if the caller has given up, else commit;
 * give the connection back; tell the caller. A change that clashed with another one is made again, on another connection
 * maybe, for as long as its caller waits, but a few times at most.
 */
final class ShortTransactions implements Changes {
    private static final Logger log = LoggerFactory.getLogger(ShortTransactions.class);
    private static final int MOST_TRIES = 5;

    /** What the database bounds within a transaction, besides what {@link Dialect#limit} does from here. */
    @FunctionalInterface
    interface Limits {
        /** Sets limits that end with the transaction. */
        void set(Connection connection, Duration left) throws SQLException;
    }

    private final Jdbi jdbi;
    private final Dialect dialect;
    private final Failures failures;
    private final Limits limits;
    private final Executor threads;
    private final int writers;
    private final BlockingQueue<Operation<?>> queue;
    /** Threads that look for changes in the queue. */
    private final AtomicInteger busy = new AtomicInteger();

    /**
     * Changes of a database.
     *
     * @param threads runs as many tasks at a time as there are writers
     * @param limit the most changes that wait
     */
    ShortTransactions(Jdbi jdbi, Dialect dialect, Limits limits, Executor threads, int writers, int limit) {
        this.jdbi = jdbi;
        this.dialect = dialect;
        this.failures = new Failures(dialect);
        this.limits = limits;
        this.threads = threads;
        this.writers = writers;
        this.queue = new ArrayBlockingQueue<>(limit);
    }

    @Override
    public boolean offer(Operation<?> change) {
        if (!queue.offer(change)) {
            return false;
        }
        wake();
        return true;
    }

    @Override
    public void forget(Operation<?> change) {
        queue.remove(change);
    }

    @Override
    public int waiting() {
        return queue.size();
    }

    /** Sends one more thread to the queue, unless all are there. */
    private void wake() {
        int seen;
        do {
            seen = busy.get();
            if (seen == writers) {
                return;
            }
        } while (!busy.compareAndSet(seen, seen + 1));
        try {
            threads.execute(this::drain);
        } catch (RejectedExecutionException e) {
            busy.decrementAndGet();
            List<Operation<?>> waiting = new ArrayList<>();
            queue.drainTo(waiting);
            DatabaseException stopping =
                    new DatabaseException(DatabaseException.Reason.AWAY, "the instance is stopping", e);
            waiting.forEach(change -> change.fail(stopping));
        }
    }

    private void drain() {
        try {
            Operation<?> change;
            while ((change = queue.poll()) != null) {
                make(change);
            }
        } finally {
            busy.decrementAndGet();
        }
        // one that came between the last look and the line above
        if (!queue.isEmpty()) {
            wake();
        }
    }

    private <T> void make(Operation<T> change) {
        boolean claimed = false;
        for (int tries = 1; ; tries++) {
            Optional<Made<T>> made;
            try (Handle handle = jdbi.open()) {
                if (!claimed && !change.claim()) {
                    return;
                }
                claimed = true;
                made = transaction(handle, change);
            } catch (SQLException | RuntimeException | Error e) {
                if (tries < MOST_TRIES && !change.givenUp() && clashed(e)) {
                    log.debug("{} clashed with another change and is made again", change.name(), e);
                    continue;
                }
                change.fail(failures.translated(e));
                return;
            }
            made.ifPresent(one -> change.succeed(one.value()));
            return;
        }
    }

    private boolean clashed(Throwable failure) {
        return Failures.sqlException(failure).filter(dialect::clashed).isPresent();
    }

    /** What a change that is committed came to. */
    private record Made<T>(T value) {}

    /** Makes a change; empty when it was undone, since nobody waits for it any more. */
    private <T> Optional<Made<T>> transaction(Handle handle, Operation<T> change) throws SQLException {
        handle.define(Database.OPERATION, change.name());
        dialect.limit(handle.getConnection(), change.patience());
        handle.begin();
        boolean committed = false;
        try {
            limits.set(handle.getConnection(), change.left());
            T value = change.run(handle);
            if (!change.givenUp()) {
                handle.commit();
                committed = true;
                return Optional.of(new Made<>(value));
            }
            return Optional.empty();
        } finally {
            if (!committed) {
                rollBack(handle);
            }
        }
    }

    private static void rollBack(Handle handle) {
        try {
            handle.rollback();
        } catch (RuntimeException e) {
            log.debug("the transaction had ended by itself", e);
        }
    }
}
