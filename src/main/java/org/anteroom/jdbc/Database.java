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
 * <p>A database that is away makes its calls fail and nothing else; each call tries anew. Before it was reached and its
 * schema was brought up to date, by {@link #probe}, it counts as away.
 */
public final class Database {
    static final String OPERATION = "operation";
    static final int CHANGES_LIMIT = 1024;

    /** What kind of database it is. */
    public enum Kind {
        /** A file on this machine, for one instance (SQLite). */
        FILE,
        /** A server that several instances may share (PostgreSQL). */
        SERVER
    }

    private final String name;
    private final DataSource source;
    private final @Nullable Dialect dialect;
    private final Migrations migrations;
    private final Tasks tasks;
    private final Pools pools;
    private final ExecutorService starter;
    private final AtomicBoolean starting = new AtomicBoolean();
    private volatile @Nullable Engine engine;
    private volatile boolean migrated;

    /**
     * A database of whatever kind; nothing is opened yet.
     *
     * @param name what figures and threads call it
     * @param source a pool
     * @param pools where its figures are added
     */
    public Database(String name, DataSource source, Migrations migrations, Tasks tasks, Pools pools) {
        this(name, source, null, migrations, tasks, pools);
    }

    /** A database with a dialect of its own, or null for the one that its pool leads to. */
    Database(
            String name,
            DataSource source,
            @Nullable Dialect dialect,
            Migrations migrations,
            Tasks tasks,
            Pools pools) {
        this.name = name;
        this.source = source;
        this.dialect = dialect;
        this.migrations = migrations;
        this.tasks = tasks;
        this.pools = pools;
        this.starter = tasks.pool(name + "-start", 1, 16);
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
        return reached(operation).read(new Operation<>(operation, wait, work));
    }

    /**
     * Changes, all or nothing. When it ends with {@link DatabaseException.Reason#TIMEOUT}, the change is not made, unless
     * it was being committed at that moment; with {@link DatabaseException.Reason#AWAY}, it may have been made if the
     * connection broke while it was committed.
     *
     * <p>Others may change rows at the same time, on a {@link Kind#SERVER}: each statement sees what was committed when it
     * began.
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
        return reached(operation).write(new Operation<>(operation, wait, work, late));
    }

    private Engine reached(String operation) throws DatabaseException {
        Engine reached = engine;
        if (reached == null || !migrated) {
            throw new DatabaseException(
                    DatabaseException.Reason.AWAY, "the database was not reached yet: " + operation, null);
        }
        return reached;
    }

    /**
     * Finds out whether the database works; the first time, its kind is found out and its schema is brought up to date.
     *
     * @param wait how long the caller waits at most; a migration goes on after that
     */
    public void probe(Duration wait) throws DatabaseException {
        if (migrated) {
            read(
                    "probe",
                    wait,
                    handle ->
                            handle.createQuery("SELECT 1").mapTo(Integer.class).one());
            return;
        }
        IoGuard.beforeIo();
        Operation<Boolean> start = new Operation<>("migrate", wait, handle -> true);
        try {
            starter.execute(() -> start(start));
        } catch (RejectedExecutionException e) {
            throw new DatabaseException(DatabaseException.Reason.TIMEOUT, "too many wait for the database: migrate", e);
        }
        start.await();
    }

    private void start(Operation<Boolean> caller) {
        if (!starting.compareAndSet(false, true)) {
            caller.fail(new DatabaseException(
                    DatabaseException.Reason.TIMEOUT, "the schema is being brought up to date", null));
            return;
        }
        Throwable failure = null;
        try {
            if (!migrated) {
                start();
            }
        } catch (SQLException | DatabaseException | RuntimeException | Error e) {
            failure = translated(e);
        } finally {
            starting.set(false);
        }
        // the caller may try again at once, so it is told last
        if (failure == null) {
            caller.succeed(true);
        } else {
            caller.fail(failure);
        }
    }

    private void start() throws SQLException, DatabaseException {
        DataSource pool = source instanceof LateDataSource late ? late.pool() : source;
        Engine made = engine;
        if (made == null) {
            made = new Engine(
                    name, pool, dialect == null ? Dialects.of(pool) : dialect, tasks, new StatementCounter(pools));
            engine = made;
        }
        migrations.run(pool, made.dialect());
        migrated = true;
    }

    private Throwable translated(Throwable failure) {
        Engine made = engine;
        if (made != null) {
            return made.failures().translated(failure);
        }
        return failure instanceof SQLException
                ? new DatabaseException(DatabaseException.Reason.AWAY, String.valueOf(failure.getMessage()), failure)
                : failure;
    }

    /** Counts every statement by the operation that it is part of. */
    private record StatementCounter(Pools pools) implements SqlLogger {
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
    }

    /**
     * Finds out whether a change could begin now: another process may hold the lock.
     *
     * @param wait how long the caller waits at most
     */
    public void probeWriting(Duration wait) throws DatabaseException {
        write("probe", wait, handle -> true);
    }

    /** What kind of database it is; empty while that is not known, since the database must be asked and was not reached. */
    public Optional<Kind> kind() {
        Engine made = engine;
        if (made != null) {
            return Optional.of(made.dialect().kind());
        }
        DataSource pool = source instanceof LateDataSource late ? late.found() : source;
        return pool == null ? Optional.empty() : Dialects.known(pool).map(Dialect::kind);
    }

    /** The file that the database lies in, if it lies in one. */
    public Optional<Path> file(Duration wait) throws DatabaseException {
        Engine reached = reached("file");
        return reached.read(new Operation<>("file", wait, reached.dialect()::file));
    }

    /** What figures call it. */
    public String name() {
        return name;
    }

    /** The figures of its pool. */
    public PoolFigures figures() {
        Engine made = engine;
        PoolProbe probe = made == null ? PoolProbe.of(source) : made.probe();
        ConnectionSource taken = made == null ? null : made.source();
        return new PoolFigures(
                name,
                probe.max(),
                probe.active(),
                probe.idle(),
                probe.waiting(),
                taken == null ? 0 : taken.acquisitions(),
                taken == null ? 0 : taken.waits(),
                taken == null ? 0 : taken.waitSeconds(),
                taken == null ? 0 : taken.heldSeconds());
    }

    int changesWaiting() {
        Engine made = engine;
        return made == null ? 0 : made.changesWaiting();
    }
}
