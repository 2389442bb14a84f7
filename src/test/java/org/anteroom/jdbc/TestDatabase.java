package org.anteroom.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.TestPostgres;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteDataSource;

/** A real database, SQLite in a folder or PostgreSQL, with its pool and threads; closing it checks that nothing leaked. */
public final class TestDatabase implements AutoCloseable {
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");
    private static final String CLOCK = "(SELECT millis FROM test_clock)";

    private final DataSource source;
    private final @Nullable Path file;
    private final Metrics metrics = new Metrics();
    private final Tasks tasks = new Tasks(metrics);
    private final Pools pools = new Pools(metrics);
    private final Recording recording = new Recording();
    private final HikariDataSource pool;
    private final Database database;
    private Runnable atEnd = () -> {};

    private TestDatabase(
            DataSource source, @Nullable Path file, Dialect dialect, int connections, Duration connectionTimeout) {
        this(source, file, dialect, connections, connectionTimeout, Optional.empty());
    }

    private TestDatabase(
            DataSource source,
            @Nullable Path file,
            Dialect dialect,
            int connections,
            Duration connectionTimeout,
            Optional<DataSource> direct) {
        this.source = source;
        this.file = file;
        HikariConfig config = new HikariConfig();
        config.setDataSource(recording.of(source));
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(1);
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(connectionTimeout.toMillis());
        this.pool = new HikariDataSource(config);
        Migrations migrations = new Migrations(direct, TestDatabase.class.getClassLoader());
        this.database = new Database("inventory", pool, dialect, migrations, tasks, pools);
    }

    /** SQLite with its own clock, reached and up to date. */
    public static TestDatabase open(Path folder) throws DatabaseException {
        return unreached(folder.resolve("anteroom.db"), WAIT).reach();
    }

    /** SQLite whose clock stands still but for {@link #advance}. */
    public static TestDatabase withClock(Path folder) throws DatabaseException {
        Path file = folder.resolve("anteroom.db");
        return new TestDatabase(sqlite(file), file, new SqliteDialect(CLOCK), 4, WAIT)
                .reach()
                .setClock();
    }

    /** SQLite that nobody has reached yet. */
    public static TestDatabase unreached(Path file, Duration connectionTimeout) {
        return new TestDatabase(sqlite(file), file, new SqliteDialect(), 4, connectionTimeout);
    }

    /** A new database of the shared PostgreSQL, with its own clock, reached and up to date. */
    public static TestDatabase openPostgres() throws DatabaseException, SQLException {
        return onPostgres(new PostgresDialect()).reach();
    }

    /** A new database of the shared PostgreSQL whose clock stands still but for {@link #advance}. */
    public static TestDatabase postgresWithClock() throws DatabaseException, SQLException {
        return onPostgres(new PostgresDialect(CLOCK)).reach().setClock();
    }

    /** A PostgreSQL without the schema yet, which it gets, and whose clock stands still but for {@link #advance}. */
    public static TestDatabase withClock(DataSource source) throws DatabaseException {
        return new TestDatabase(source, null, new PostgresDialect(CLOCK), 10, WAIT)
                .reach()
                .setClock();
    }

    private static TestDatabase onPostgres(Dialect dialect) throws DatabaseException, SQLException {
        TestPostgres server = TestPostgres.shared();
        String name = Template.copy(server);
        TestDatabase made = new TestDatabase(server.dataSource(name), null, dialect, 10, WAIT);
        made.atEnd = () -> drop(server, name);
        return made;
    }

    private static void drop(TestPostgres server, String name) {
        try {
            server.dropDatabase(name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A PostgreSQL that nobody has reached yet. */
    public static TestDatabase unreached(DataSource source, int connections, Duration connectionTimeout) {
        return new TestDatabase(source, null, new PostgresDialect(), connections, connectionTimeout);
    }

    /** A PostgreSQL that nobody has reached yet, with other connections for changes of the schema. */
    public static TestDatabase unreached(DataSource source, DataSource direct) {
        return new TestDatabase(source, null, new PostgresDialect(), 4, WAIT, Optional.of(direct));
    }

    /** A database with the schema, from which others are copied, since that is faster than to make it anew. */
    private static final class Template {
        private static @Nullable String name;

        static synchronized String copy(TestPostgres server) throws DatabaseException, SQLException {
            if (name == null) {
                String made = server.createDatabase();
                try (TestDatabase first = unreached(server.dataSource(made), 4, WAIT)) {
                    first.reach();
                }
                name = made;
            }
            return server.createDatabase(name);
        }
    }

    private TestDatabase reach() throws DatabaseException {
        database.probe(WAIT);
        recording.clear();
        return this;
    }

    private TestDatabase setClock() throws DatabaseException {
        database.write("create-clock", WAIT, handle -> {
            handle.execute("CREATE TABLE test_clock (millis BIGINT NOT NULL)");
            return handle.execute("INSERT INTO test_clock VALUES (?)", BEGINNING.toEpochMilli());
        });
        return this;
    }

    /** Moves the clock on. */
    public void advance(Duration duration) throws DatabaseException {
        database.write(
                "advance-clock",
                WAIT,
                handle -> handle.execute("UPDATE test_clock SET millis = millis + ?", duration.toMillis()));
    }

    /** The time of the database. */
    public Instant now() throws DatabaseException {
        return Instant.ofEpochMilli(database.read(
                "now",
                WAIT,
                handle -> handle.createQuery("SELECT <now>").mapTo(Long.class).one()));
    }

    /** The same for an instance whose clock agrees with the database's. */
    public InstantSource clock() {
        return () -> {
            try {
                return now();
            } catch (DatabaseException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    public Database database() {
        return database;
    }

    public Pools pools() {
        return pools;
    }

    /** The file of SQLite. */
    public Path file() {
        return Objects.requireNonNull(file);
    }

    /** Every statement that was prepared since the schema was up to date. */
    public Set<String> statements() {
        return recording.statements();
    }

    /** Lets the next commit of SQLite succeed and its answer be lost, as when a connection breaks at that moment. */
    public void loseAnswerOfNextCommit() {
        recording.loseAnswerOfNextCommit();
    }

    /** Prepares a statement that ran, with something before it, such as EXPLAIN, and its parameters of the last time. */
    public PreparedStatement prepare(Connection connection, String before, String sql) throws SQLException {
        return recording.prepare(connection, before, sql);
    }

    /** How many statements an operation ran so far. */
    public long statementsRun(String operation) {
        return metrics.registry().scrape("anteroom_sql_statements"::equals).stream()
                .flatMap(snapshot -> snapshot.getDataPoints().stream())
                .filter(point -> operation.equals(point.getLabels().get("operation")))
                .mapToLong(point -> (long) ((CounterSnapshot.CounterDataPointSnapshot) point).getValue())
                .sum();
    }

    /**
     * How often transactions of PostgreSQL waited for each other crosswise so far, as the server counts it. The connections
     * of the pool are made anew for that, since each tells its own figures at its end, if not before.
     */
    public long deadlocks() throws SQLException {
        try (Connection connection = outside();
                Statement statement = connection.createStatement()) {
            String pids = text(
                    statement,
                    "SELECT COALESCE(string_agg(pid::text, ','), '0') FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
            pool.getHikariPoolMXBean().softEvictConnections();
            Awaitility.await()
                    .atMost(WAIT)
                    .until(() -> text(statement, "SELECT COUNT(*) FROM pg_stat_activity WHERE pid IN (" + pids + ")")
                            .equals("0"));
            return Long.parseLong(
                    text(statement, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"));
        }
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    /** A connection of its own beside the pool, as another process has it. */
    public Connection outside() throws SQLException {
        return source.getConnection();
    }

    /** Takes the write lock of SQLite on a connection of its own. */
    public Connection lock() throws SQLException {
        Connection connection = outside();
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
        }
        return connection;
    }

    @Override
    public void close() {
        assertThat(tasks.stop(Duration.ofSeconds(10)))
                .as("threads that do not end")
                .hasSize(0);
        if (pool.getHikariPoolMXBean() != null) {
            assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                    .as("connections that were not given back")
                    .isZero();
        }
        pool.close();
        atEnd.run();
    }

    private static DataSource sqlite(Path file) {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }
}
