package org.anteroom.jdbc;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one writer of a database that has one write lock: it carries out the changes that wait, many in one transaction.
 *
 * <p>The protocol of a batch: take a connection; begin, which is where another process can make it wait; only then claim
 * changes, so that one whose caller has given up is never made; run each within a savepoint, so that a failing one fails
 * alone; commit; give the connection back; tell the callers. A change whose caller gives up while it is made is undone:
 * at once within its savepoint, or just before the commit, when all are undone and the others made again. Another process that keeps the lock makes the begin fail
 * after a short while: the connection is given back and all is tried again for as long as somebody waits.
 */
final class GroupCommit implements Changes {
    private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);
    private static final int BATCH = 64;

    private final Jdbi jdbi;
    private final WriteLock lock;
    private final Failures failures;
    private final Executor thread;
    private final BlockingQueue<Operation<?>> queue;
    private final AtomicBoolean draining = new AtomicBoolean();

    /**
     * A writer.
     *
     * @param thread runs one task at a time
     * @param limit the most changes that wait
     */
    GroupCommit(Jdbi jdbi, WriteLock lock, Failures failures, Executor thread, int limit) {
        this.jdbi = jdbi;
        this.lock = lock;
        this.failures = failures;
        this.thread = thread;
        this.queue = new ArrayBlockingQueue<>(limit);
    }

    @Override
    public int waiting() {
        return queue.size();
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

    private void wake() {
        if (draining.compareAndSet(false, true)) {
            try {
                thread.execute(this::drain);
            } catch (RejectedExecutionException e) {
                draining.set(false);
                failAll(new DatabaseException(DatabaseException.Reason.AWAY, "the instance is stopping", e));
            }
        }
    }

    private void drain() {
        try {
            while (!queue.isEmpty()) {
                batch();
            }
        } finally {
            draining.set(false);
        }
        // one that came between the last look and the line above
        if (!queue.isEmpty()) {
            wake();
        }
    }

    private void batch() {
        List<Operation<?>> claimed = new ArrayList<>();
        List<Made<?>> made = new ArrayList<>();
        try (Handle handle = jdbi.open()) {
            transaction(handle, claimed, made);
        } catch (SQLException | RuntimeException | Error e) {
            Throwable failure = failures.translated(e);
            if (!claimed.isEmpty()) {
                claimed.forEach(change -> change.fail(failure));
            } else if (!locked(e)) {
                failAll(failure);
            }
            return;
        }
        made.forEach(Made::tell);
        tidy();
    }

    private boolean locked(Throwable failure) {
        return Failures.sqlException(failure).filter(lock::locked).isPresent();
    }

    /** A change that was made, and whose caller is yet to be told. */
    private record Made<T>(Operation<T> change, T value) {
        void tell() {
            change.succeed(value);
        }
    }

    private void transaction(Handle handle, List<Operation<?>> claimed, List<Made<?>> made) throws SQLException {
        try (Statement control = handle.getConnection().createStatement()) {
            control.execute(lock.begin());
            boolean committed = false;
            try {
                control.execute("SAVEPOINT batch");
                runAll(handle, control, claimed, made);
                if (made.stream().anyMatch(one -> one.change().givenUp())) {
                    control.execute("ROLLBACK TO batch");
                    runAgain(handle, control, made);
                }
                control.execute("COMMIT");
                committed = true;
            } finally {
                if (!committed) {
                    rollBack(control);
                }
            }
        }
    }

    private void runAll(Handle handle, Statement control, List<Operation<?>> claimed, List<Made<?>> made)
            throws SQLException {
        Operation<?> change;
        while (claimed.size() < BATCH && (change = queue.poll()) != null) {
            if (change.claim()) {
                claimed.add(change);
                Made<?> one = runOne(handle, control, change);
                if (one != null) {
                    made.add(one);
                }
            }
        }
    }

    /** Makes those changes again whose callers still wait. It is done once: whoever gives up after that was too late. */
    private void runAgain(Handle handle, Statement control, List<Made<?>> made) throws SQLException {
        List<Made<?>> before = List.copyOf(made);
        made.clear();
        for (Made<?> one : before) {
            if (!one.change().givenUp()) {
                Made<?> again = runOne(handle, control, one.change());
                if (again != null) {
                    made.add(again);
                }
            }
        }
    }

    /** Runs a change; null when it failed, or nobody waits for it any more. */
    private <T> @Nullable Made<T> runOne(Handle handle, Statement control, Operation<T> change) throws SQLException {
        control.execute("SAVEPOINT change");
        try {
            handle.define(Database.OPERATION, change.name());
            T value = change.run(handle);
            if (!change.givenUp()) {
                control.execute("RELEASE change");
                return new Made<>(change, value);
            }
        } catch (RuntimeException | Error e) {
            undo(control);
            change.fail(failures.translated(e));
            return null;
        }
        undo(control);
        return null;
    }

    /** If a failure has ended the whole transaction, this fails too, and with it the whole batch. */
    private static void undo(Statement control) throws SQLException {
        control.execute("ROLLBACK TO change");
        control.execute("RELEASE change");
    }

    private static void rollBack(Statement control) {
        try {
            control.execute("ROLLBACK");
        } catch (SQLException e) {
            log.debug("the transaction had ended by itself", e);
        }
    }

    private void tidy() {
        if (!lock.untidy()) {
            return;
        }
        try (Handle handle = jdbi.open()) {
            lock.tidy(handle.getConnection());
        } catch (SQLException | RuntimeException e) {
            log.debug("housekeeping is put off", e);
        }
    }

    private void failAll(Throwable failure) {
        List<Operation<?>> waiting = new ArrayList<>();
        queue.drainTo(waiting);
        waiting.forEach(change -> change.fail(failure));
    }
}
