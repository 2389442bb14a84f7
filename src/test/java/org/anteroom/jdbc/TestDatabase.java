package org.anteroom.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.sqlite.SQLiteDataSource;

/** A real SQLite database in a folder, with its pool and threads; closing it checks that nothing leaked. */
public final class TestDatabase implements AutoCloseable {
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private final Path file;
    private final Metrics metrics = new Metrics();
    private final Tasks tasks = new Tasks(metrics);
    private final Pools pools = new Pools(metrics);
    private final Set<String> statements = ConcurrentHashMap.newKeySet();
    private final HikariDataSource pool;
    private final Database database;
    private final boolean ownClock;

    private TestDatabase(Path file, boolean ownClock, Duration connectionTimeout) {
        this.file = file;
        this.ownClock = ownClock;
        HikariConfig config = new HikariConfig();
        config.setDataSource(recording(sqlite(file)));
        config.setMaximumPoolSize(4);
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(connectionTimeout.toMillis());
        this.pool = new HikariDataSource(config);
        Dialect dialect = ownClock ? new SqliteDialect("(SELECT millis FROM test_clock)") : new SqliteDialect();
        Migrations migrations = new Migrations(pool, dialect, TestDatabase.class.getClassLoader());
        this.database = new Database("inventory", pool, dialect, migrations, tasks, pools);
    }

    /** A database with its own clock, reached and up to date. */
    public static TestDatabase open(Path folder) throws DatabaseException {
        return unreached(folder.resolve("anteroom.db"), WAIT).reach();
    }

    /** A database whose clock stands still but for {@link #advance}. */
    public static TestDatabase withClock(Path folder) throws DatabaseException {
        return new TestDatabase(folder.resolve("anteroom.db"), true, WAIT).reach();
    }

    /** A database that nobody has reached yet. */
    public static TestDatabase unreached(Path file, Duration connectionTimeout) {
        return new TestDatabase(file, false, connectionTimeout);
    }

    private TestDatabase reach() throws DatabaseException {
        database.probe(WAIT);
        statements.clear();
        if (ownClock) {
            database.write("create-clock", WAIT, handle -> {
                handle.execute("CREATE TABLE test_clock (millis BIGINT NOT NULL)");
                return handle.execute("INSERT INTO test_clock VALUES (?)", BEGINNING.toEpochMilli());
            });
        }
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

    public Database database() {
        return database;
    }

    public Pools pools() {
        return pools;
    }

    public Path file() {
        return file;
    }

    /** Every statement that was prepared since the schema was up to date. */
    public Set<String> statements() {
        return Set.copyOf(statements);
    }

    /** How many statements an operation ran so far. */
    public long statementsRun(String operation) {
        return metrics.registry().scrape("anteroom_sql_statements"::equals).stream()
                .flatMap(snapshot -> snapshot.getDataPoints().stream())
                .filter(point -> operation.equals(point.getLabels().get("operation")))
                .mapToLong(point -> (long) ((CounterSnapshot.CounterDataPointSnapshot) point).getValue())
                .sum();
    }

    /** A connection of its own beside the pool, as another process has it. */
    public Connection outside() throws SQLException {
        return sqlite(file).getConnection();
    }

    /** Takes the write lock on a connection of its own. */
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
    }

    private static DataSource sqlite(Path file) {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    private DataSource recording(DataSource source) {
        return wrapped(
                DataSource.class,
                source,
                (method, arguments, result) ->
                        result instanceof Connection connection ? recording(connection) : result);
    }

    private Connection recording(Connection connection) {
        return wrapped(Connection.class, connection, (method, arguments, result) -> {
            if (method.getName().equals("prepareStatement")) {
                statements.add((String) arguments[0]);
            }
            return result;
        });
    }

    private interface After {
        Object apply(Method method, Object[] arguments, Object result);
    }

    private static <T> T wrapped(Class<T> type, T target, After after) {
        return type.cast(Proxy.newProxyInstance(
                TestDatabase.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return after.apply(method, arguments, method.invoke(target, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
