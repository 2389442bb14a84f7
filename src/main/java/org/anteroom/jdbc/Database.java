package org.anteroom.jdbc;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.anteroom.tasks.IoGuard;
import org.anteroom.tasks.Tasks;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * A database behind a pool of connections.
 *
 * <p>Work runs on a thread of the database's own that takes a connection for it and gives it back at once; the caller
 * waits for the result, and no longer than it wants to, whatever the pool or the database do. A connection is never held
 * while something else is waited for: work only runs statements.
 *
 * <p>A database that is away makes its calls fail and nothing else; each call tries anew. Before its schema was brought
 * up to date, by {@link #probe}, it counts as away.
 */
public final class Database {
    static final String OPERATION = "operation";
    static final int CHANGES_LIMIT = 1024;
    private static final int READS_LIMIT = 1024;
    private static final int READERS = 4;
    private static final int MOST_READERS = 16;

    private final String name;
    private final Dialect dialect;
    private final ConnectionSource source;
    private final PoolProbe probe;
    private final Migrations migrations;
    private final Failures failures;
    private final Jdbi jdbi;
    private final ExecutorService readers;
    private final GroupCommit writer;
    private final AtomicBoolean migrating = new AtomicBoolean();
    private volatile boolean migrated;

    /**
     * A database; nothing is opened yet.
     *
     * @param name what figures and threads call it
     * @param source a pool
     * @param pools where its figures are added
     */
    public Database(String name, DataSource source, Dialect dialect, Migrations migrations, Tasks tasks, Pools pools) {
        this.name = name;
        this.dialect = dialect;
        this.source = new ConnectionSource(source, dialect);
        this.probe = PoolProbe.of(source);
        this.migrations = migrations;
        this.failures = new Failures(dialect);
        this.jdbi = Jdbi.create(this.source).define("now", dialect.now()).setSqlLogger(counting(pools));
        // one connection is left for the writer
        int max = probe.max();
        int threads = max < 0 ? READERS : Math.max(1, Math.min(max - 1, MOST_READERS));
        this.readers = tasks.pool(name + "-read", threads, READS_LIMIT);
        ExecutorService thread = tasks.pool(name + "-write", 1, 1);
        this.writer = new GroupCommit(jdbi, dialect, failures, thread, CHANGES_LIMIT);
        pools.add(this);
    }

    /**
     * Reads, statement by statement; each sees what was committed when it began.
     *
     * @param operation what figures call it
     * @param wait how long the caller waits at most
     * @param work runs statements and touches nothing else
     */
    public <T> T read(String operation, Duration wait, Function<Handle, T> work) throws DatabaseException {
        requireMigrated(operation);
        return onReader(new Operation<>(operation, wait, work));
    }

    /**
     * Changes, all or nothing. When it ends with {@link DatabaseException.Reason#TIMEOUT}, the change is not made, unless
     * it was being committed at that moment.
     *
     * @param operation what figures call it
     * @param wait how long the caller waits at most
     * @param work runs statements and touches nothing else; it may be run again after what it did was undone
     */
    public <T> T write(String operation, Duration wait, Function<Handle, T> work) throws DatabaseException {
        return write(operation, wait, work, result -> {});
    }

    /**
     * Changes as {@link #write(String, Duration, Function)}, for a caller who must know of a change that was made after all
     * when its time was up.
     *
     * @param late is given the result of such a change, on the thread that writes: it must be quick
     */
    public <T> T write(String operation, Duration wait, Function<Handle, T> work, Consumer<T> late)
            throws DatabaseException {
        requireMigrated(operation);
        IoGuard.beforeIo();
        Operation<T> change = new Operation<>(operation, wait, work, late);
        if (!writer.offer(change)) {
            throw tooMany(operation, null);
        }
        try {
            return change.await();
        } catch (DatabaseException e) {
            writer.forget(change);
            throw e;
        }
    }

    /**
     * Finds out whether the database works; the first time, its schema is brought up to date.
     *
     * @param wait how long the caller waits at most; a migration goes on after that
     */
    public void probe(Duration wait) throws DatabaseException {
        if (migrated) {
            onReader(new Operation<>(
                    "probe",
                    wait,
                    handle ->
                            handle.createQuery("SELECT 1").mapTo(Integer.class).one()));
            return;
        }
        Operation<Boolean> migration = new Operation<>("migrate", wait, handle -> true);
        submit(migration, () -> migrate(migration));
        migration.await();
    }

    private void migrate(Operation<Boolean> migration) {
        if (!migrating.compareAndSet(false, true)) {
            migration.fail(new DatabaseException(
                    DatabaseException.Reason.TIMEOUT, "the schema is being brought up to date", null));
            return;
        }
        Throwable failure = null;
        try {
            if (!migrated) {
                migrations.run();
                migrated = true;
            }
        } catch (SQLException | RuntimeException | Error e) {
            failure = failures.translated(e);
        } finally {
            migrating.set(false);
        }
        // the caller may try again at once, so it is told last
        if (failure == null) {
            migration.succeed(true);
        } else {
            migration.fail(failure);
        }
    }

    private <T> T onReader(Operation<T> read) throws DatabaseException {
        submit(read, () -> runRead(read));
        return read.await();
    }

    private void submit(Operation<?> operation, Runnable work) throws DatabaseException {
        IoGuard.beforeIo();
        try {
            readers.execute(work);
        } catch (RejectedExecutionException e) {
            throw tooMany(operation.name(), e);
        }
    }

    private <T> void runRead(Operation<T> read) {
        if (!read.claim()) {
            return;
        }
        T value;
        try (Handle handle = jdbi.open()) {
            handle.define(OPERATION, read.name());
            value = read.run(handle);
        } catch (RuntimeException | Error e) {
            read.fail(failures.translated(e));
            return;
        }
        read.succeed(value);
    }

    private void requireMigrated(String operation) throws DatabaseException {
        if (!migrated) {
            throw new DatabaseException(
                    DatabaseException.Reason.AWAY, "the database was not reached yet: " + operation, null);
        }
    }

    private static DatabaseException tooMany(String operation, @Nullable Throwable cause) {
        return new DatabaseException(
                DatabaseException.Reason.TIMEOUT, "too many wait for the database: " + operation, cause);
    }

    private static SqlLogger counting(Pools pools) {
        return new SqlLogger() {
            @Override
            public void logAfterExecution(StatementContext context) {
                count(context);
            }

            @Override
            public void logException(StatementContext context, SQLException failure) {
                count(context);
            }

            private void count(StatementContext context) {
                pools.countStatement(String.valueOf(context.getAttribute(OPERATION)));
            }
        };
    }

    /**
     * Finds out whether a change could begin now: another process may hold the lock.
     *
     * @param wait how long the caller waits at most
     */
    public void probeWriting(Duration wait) throws DatabaseException {
        write("probe", wait, handle -> true);
    }

    /** The file that the database lies in, if it lies in one (SQLite). */
    public Optional<Path> file(Duration wait) throws DatabaseException {
        return read("file", wait, dialect::file);
    }

    /** What figures call it. */
    public String name() {
        return name;
    }

    /** The figures of its pool. */
    public PoolFigures figures() {
        return new PoolFigures(
                name,
                probe.max(),
                probe.active(),
                probe.idle(),
                probe.waiting(),
                source.acquisitions(),
                source.waits(),
                source.waitSeconds());
    }

    ConnectionSource source() {
        return source;
    }

    int changesWaiting() {
        return writer.waiting();
    }
}
