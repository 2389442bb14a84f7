package org.anteroom.jdbc;

import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import javax.sql.DataSource;
import org.anteroom.tasks.IoGuard;
import org.anteroom.tasks.Tasks;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jspecify.annotations.Nullable;

/**
 * What reads and changes a database, once its kind is known: threads, never more than the pool has connections, that take
 * one for each piece of work.
 */
final class Engine {
    private static final int READS_LIMIT = 1024;
    private static final int MOST_READERS = 16;

    /** For a pool that does not tell how many it has. */
    private static final int CONNECTIONS = 8;

    private final Dialect dialect;
    private final ConnectionSource source;
    private final PoolProbe probe;
    private final Failures failures;
    private final Jdbi jdbi;
    private final ExecutorService readers;
    private final Changes changes;

    Engine(String name, DataSource pool, Dialect dialect, Tasks tasks, SqlLogger logger) {
        this.dialect = dialect;
        this.source = new ConnectionSource(pool, dialect);
        this.probe = PoolProbe.of(pool);
        this.failures = new Failures(dialect);
        this.jdbi = Jdbi.create(source).setSqlLogger(logger);
        dialect.words().forEach(jdbi::define);
        int max = probe.max();
        int connections = max < 0 ? CONNECTIONS : max;
        int writing = dialect.writers(connections);
        int reading = Math.max(1, Math.min(connections - writing, MOST_READERS));
        this.readers = tasks.pool(name + "-read", reading, READS_LIMIT);
        ExecutorService writers = tasks.pool(name + "-write", writing, writing);
        this.changes = dialect.changes(jdbi, writers, writing, Database.CHANGES_LIMIT);
    }

    <T> T read(Operation<T> read) throws DatabaseException {
        IoGuard.beforeIo();
        try {
            readers.execute(() -> run(read));
        } catch (RejectedExecutionException e) {
            throw tooMany(read, e);
        }
        return read.await();
    }

    private <T> void run(Operation<T> read) {
        if (!read.claim()) {
            return;
        }
        T value;
        try (Handle handle = jdbi.open()) {
            handle.define(Database.OPERATION, read.name());
            dialect.limit(handle.getConnection(), read.patience());
            dialect.limitReads(handle, read.left());
            value = read.run(handle);
        } catch (SQLException | RuntimeException | Error e) {
            read.fail(failures.translated(e));
            return;
        }
        read.succeed(value);
    }

    <T> T write(Operation<T> change) throws DatabaseException {
        IoGuard.beforeIo();
        if (!changes.offer(change)) {
            throw tooMany(change, null);
        }
        try {
            return change.await();
        } catch (DatabaseException e) {
            changes.forget(change);
            throw e;
        }
    }

    private static DatabaseException tooMany(Operation<?> operation, @Nullable Throwable cause) {
        return new DatabaseException(
                DatabaseException.Reason.TIMEOUT, "too many wait for the database: " + operation.name(), cause);
    }

    Dialect dialect() {
        return dialect;
    }

    Failures failures() {
        return failures;
    }

    ConnectionSource source() {
        return source;
    }

    PoolProbe probe() {
        return probe;
    }

    int changesWaiting() {
        return changes.waiting();
    }
}
