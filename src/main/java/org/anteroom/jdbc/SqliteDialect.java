package org.anteroom.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/**
 * SQLite in WAL mode, so that readers and the writer do not wait for each other.
 *
 * <p>The pool belongs to the operator, so its connections are checked each time they are taken.
 */
final class SqliteDialect implements Dialect, WriteLock {

    /** How long one try for the write lock may take; a writer that waits longer tries again. */
    private static final Duration BUSY_TIMEOUT = Duration.ofMillis(100);

    /** The WAL starts over after a checkpoint of all of it; the pages after which SQLite tries that by itself. */
    private static final int CHECKPOINT_PAGES = 1000;

    /** Bytes that the WAL may keep on the disk after it started over, and twice of which lead to a checkpoint here. */
    private static final long WAL_LIMIT = 4L << 20;

    private static final Duration CHECKPOINT_PAUSE = Duration.ofSeconds(2);

    private static final Set<Integer> AWAY = Set.of(
            SQLiteErrorCode.SQLITE_PERM.code,
            SQLiteErrorCode.SQLITE_READONLY.code,
            SQLiteErrorCode.SQLITE_IOERR.code,
            SQLiteErrorCode.SQLITE_CORRUPT.code,
            SQLiteErrorCode.SQLITE_FULL.code,
            SQLiteErrorCode.SQLITE_CANTOPEN.code,
            SQLiteErrorCode.SQLITE_PROTOCOL.code,
            SQLiteErrorCode.SQLITE_AUTH.code,
            SQLiteErrorCode.SQLITE_NOTADB.code);

    private final String now;
    private volatile @Nullable Path wal;
    private volatile long notBefore = System.nanoTime();

    /** SQLite with its own clock. */
    SqliteDialect() {
        this("CAST(unixepoch('subsec') * 1000 AS INTEGER)");
    }

    /**
     * SQLite with another clock.
     *
     * @param now an expression for milliseconds since 1970
     */
    SqliteDialect(String now) {
        this.now = now;
    }

    @Override
    public Database.Kind kind() {
        return Database.Kind.FILE;
    }

    @Override
    public Map<String, String> words() {
        // there is one writer: nobody else changes a row while a transaction lasts
        return Map.of("now", now, "for_update", "", "skip_locked", "");
    }

    @Override
    public Map<String, String> placeholders() {
        // AUTOINCREMENT: the id of a row that is gone is never given again. Text is compared by its bytes anyway.
        return Map.of("identity", "INTEGER PRIMARY KEY AUTOINCREMENT", "text", "TEXT");
    }

    @Override
    public void check(Connection connection) throws SQLException {
        prepare(connection);
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (!wellSet(statement)) {
                statement.execute("PRAGMA busy_timeout = " + BUSY_TIMEOUT.toMillis());
                statement.execute("PRAGMA journal_mode = WAL");
                statement.execute("PRAGMA synchronous = NORMAL");
                statement.execute("PRAGMA foreign_keys = ON");
                statement.execute("PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
                statement.execute("PRAGMA journal_size_limit = " + WAL_LIMIT);
                if (!wellSet(statement)) {
                    throw new SQLException("the SQLite database cannot be used in WAL mode with foreign keys: put it on"
                            + " a local file system, and let the pool change no pragma");
                }
            }
            if (wal == null) {
                wal = findWal(statement);
            }
        }
    }

    private static boolean wellSet(Statement statement) throws SQLException {
        // a new connection has another busy timeout, so that the pragmas which no query can look at are set on it too
        try (ResultSet row = statement.executeQuery("SELECT journal_mode, synchronous, foreign_keys, timeout"
                + " FROM pragma_journal_mode, pragma_synchronous, pragma_foreign_keys, pragma_busy_timeout")) {
            return row.next()
                    && row.getString(1).equals("wal")
                    && row.getInt(2) == 1
                    && row.getInt(3) == 1
                    && row.getInt(4) == BUSY_TIMEOUT.toMillis();
        }
    }

    private static @Nullable Path findWal(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT file FROM pragma_database_list WHERE name = 'main'")) {
            String file = row.next() ? row.getString(1) : "";
            return file == null || file.isEmpty() ? null : Path.of(file + "-wal");
        }
    }

    @Override
    public void limit(Connection connection, Duration silence) {
        // a file is never silent
    }

    @Override
    public void limitReads(Handle handle, Duration left) {
        // readers wait for nobody
    }

    @Override
    public String begin() {
        return "BEGIN IMMEDIATE";
    }

    @Override
    public boolean locked(SQLException failure) {
        int code = primary(failure);
        return code == SQLiteErrorCode.SQLITE_BUSY.code || code == SQLiteErrorCode.SQLITE_LOCKED.code;
    }

    @Override
    public DatabaseException.Reason reason(SQLException failure) {
        int code = primary(failure);
        if (AWAY.contains(code)) {
            return DatabaseException.Reason.AWAY;
        }
        if (locked(failure)) {
            return DatabaseException.Reason.TIMEOUT;
        }
        return code == SQLiteErrorCode.SQLITE_CONSTRAINT.code
                ? DatabaseException.Reason.CONFLICT
                : DatabaseException.Reason.OTHER;
    }

    @Override
    public boolean clashed(SQLException failure) {
        return false;
    }

    @Override
    public int writers(int connections) {
        return 1;
    }

    @Override
    public Changes changes(Jdbi jdbi, ExecutorService threads, int writers, int limit) {
        return new GroupCommit(jdbi, this, new Failures(this), threads, limit);
    }

    /** The low byte: what lies above it says more than is asked here. */
    private static int primary(SQLException failure) {
        return failure.getErrorCode() & 0xff;
    }

    @Override
    public Optional<Path> file(Handle handle) {
        return handle.createQuery("SELECT file FROM pragma_database_list WHERE name = 'main' AND file <> ''")
                .mapTo(String.class)
                .findOne()
                .map(Path::of);
    }

    @Override
    public boolean untidy() {
        Path path = wal;
        if (path == null || System.nanoTime() - notBefore < 0) {
            return false;
        }
        try {
            return Files.size(path) > 2 * WAL_LIMIT;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void tidy(Connection connection) throws SQLException {
        // A reader that never ends keeps the WAL from starting over: it is tried again, but not all the time.
        notBefore = System.nanoTime() + CHECKPOINT_PAUSE.toNanos();
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
        }
    }
}
