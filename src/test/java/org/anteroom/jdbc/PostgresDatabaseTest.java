package org.anteroom.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.tasks.IoGuard;
import org.anteroom.testing.TestPostgres;
import org.awaitility.Awaitility;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reading and changing PostgreSQL: what differs from SQLite. */
class PostgresDatabaseTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private TestDatabase test;
    private Database database;
    private final ExecutorService callers = Executors.newCachedThreadPool();

    @BeforeEach
    void open() throws Exception {
        test = TestDatabase.openPostgres();
        database = test.database();
        database.write("create", LONG, handle -> handle.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, v BIGINT)"));
        database.write("rows", LONG, handle -> handle.execute("INSERT INTO t VALUES (1, 0), (2, 0)"));
    }

    @AfterEach
    void close() {
        callers.shutdownNow();
        test.close();
    }

    private static int add(Handle handle, int id) {
        return handle.execute("UPDATE t SET v = v + 1 WHERE id = ?", id);
    }

    private long value(int id) throws DatabaseException {
        return database.read(
                "value",
                LONG,
                handle -> handle.createQuery("SELECT v FROM t WHERE id = :id")
                        .bind("id", id)
                        .mapTo(Long.class)
                        .one());
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void changesAreMadeSideBySide() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        List<Future<Integer>> changes = new ArrayList<>();
        for (int id = 1; id <= 2; id++) {
            int mine = id;
            changes.add(callers.submit(() -> database.write("add", LONG, handle -> {
                int changed = add(handle, mine);
                meet(both);
                return changed;
            })));
        }
        for (Future<Integer> change : changes) {
            assertThat(change.get()).isEqualTo(1);
        }
    }

    @Test
    void changesThatWaitForEachOtherCrosswiseAreMadeAgain() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        AtomicInteger runs = new AtomicInteger();
        List<Future<Integer>> changes = new ArrayList<>();
        for (int id = 1; id <= 2; id++) {
            int mine = id;
            changes.add(callers.submit(() -> database.write("cross", LONG, handle -> {
                add(handle, mine);
                if (runs.incrementAndGet() <= 2) {
                    meet(both);
                }
                return add(handle, 3 - mine);
            })));
        }
        for (Future<Integer> change : changes) {
            assertThat(change.get()).isEqualTo(1);
        }
        assertThat(runs.get()).isEqualTo(3);
        assertThat(value(1)).isEqualTo(2);
        assertThat(value(2)).isEqualTo(2);
    }

    @Test
    void aRowThatAnotherInsertedMeanwhileIsFoundAtTheSecondTry() throws Exception {
        CountDownLatch inserted = new CountDownLatch(1);
        CountDownLatch looked = new CountDownLatch(1);
        Future<Integer> first = callers.submit(() -> database.write("insert", LONG, handle -> {
            await(looked);
            int rows = handle.execute("INSERT INTO t VALUES (3, 0)");
            inserted.countDown();
            return rows;
        }));
        int second = database.write("insert-unless-there", LONG, handle -> {
            boolean there = handle.createQuery("SELECT 1 FROM t WHERE id = 3")
                    .mapTo(Integer.class)
                    .findOne()
                    .isPresent();
            looked.countDown();
            await(inserted);
            return there ? 0 : handle.execute("INSERT INTO t VALUES (3, 0)");
        });
        assertThat(first.get()).isEqualTo(1);
        assertThat(second).isZero();
    }

    /** As it goes when a newer version of Anteroom adds to the schema beside this one. */
    @Test
    void aStatementThatWasPreparedBeforeATableChangedIsMadeAgain() throws Exception {
        assertThat(columnsOfAllWriters()).containsOnly(2);
        database.write("alter", LONG, handle -> handle.execute("ALTER TABLE t ADD COLUMN more BIGINT"));
        assertThat(columnsOfAllWriters()).containsOnly(3);
        assertThat(database.<Integer>read("read", LONG, PostgresDatabaseTest::columns))
                .isEqualTo(3);
    }

    /** Lets each writer run a statement so often that the driver prepares it in the server. */
    private List<Integer> columnsOfAllWriters() throws Exception {
        CyclicBarrier all = new CyclicBarrier(5);
        List<Future<Integer>> changes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            AtomicInteger runs = new AtomicInteger();
            changes.add(callers.submit(() -> database.write("columns", LONG, handle -> {
                if (runs.incrementAndGet() == 1) {
                    meet(all);
                }
                int columns = 0;
                for (int run = 0; run < 10; run++) {
                    columns = columns(handle);
                }
                return columns;
            })));
        }
        List<Integer> columns = new ArrayList<>();
        for (Future<Integer> change : changes) {
            columns.add(change.get());
        }
        return columns;
    }

    private static int columns(Handle handle) {
        return handle.createQuery("SELECT * FROM t ORDER BY id LIMIT 1")
                .map((row, context) -> row.getMetaData().getColumnCount())
                .one();
    }

    @Test
    void aChangeThatContradictsARowIsAConflict() {
        DatabaseException failure = catchThrowableOfType(
                DatabaseException.class,
                () -> database.write("twice", LONG, handle -> handle.execute("INSERT INTO t VALUES (1, 0)")));
        assertThat(failure.reason()).isEqualTo(DatabaseException.Reason.CONFLICT);
    }

    @Test
    void aChangeThatWaitsForARowTooLongIsNotMadeAndFreesItsThread() throws Exception {
        try (Connection other = test.outside();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.executeUpdate("UPDATE t SET v = 7 WHERE id = 1");
            List<Future<DatabaseException>> blocked = new ArrayList<>();
            // as many as there are writers
            for (int i = 0; i < 5; i++) {
                blocked.add(callers.submit(() -> catchThrowableOfType(
                        DatabaseException.class,
                        () -> database.write("blocked", Duration.ofMillis(300), handle -> add(handle, 1)))));
            }
            for (Future<DatabaseException> one : blocked) {
                assertThat(one.get().reason()).isEqualTo(DatabaseException.Reason.TIMEOUT);
            }
            // the row is still locked: only the end of the statements in the server frees the writers
            assertThat(database.<Integer>write("other", LONG, handle -> add(handle, 2)))
                    .isEqualTo(1);
            other.commit();
        }
        assertThat(value(1)).isEqualTo(7);
    }

    @Test
    void readsThatWaitForALockAreGivenUpInTheServerTooAndKeepTheirConnections() throws Exception {
        try (Connection other = test.outside();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
            for (int round = 0; round < 3; round++) {
                List<Future<DatabaseException>> blocked = new ArrayList<>();
                // more than there are readers
                for (int i = 0; i < 10; i++) {
                    blocked.add(callers.submit(() -> catchThrowableOfType(
                            DatabaseException.class,
                            () -> database.read(
                                    "blocked",
                                    Duration.ofMillis(300),
                                    handle -> handle.createQuery("SELECT COUNT(*) FROM t")
                                            .mapTo(Integer.class)
                                            .one()))));
                }
                for (Future<DatabaseException> one : blocked) {
                    assertThat(one.get().reason()).isEqualTo(DatabaseException.Reason.TIMEOUT);
                }
                // the table is still locked: only the end of the statements in the server ends the waiting
                Awaitility.await().atMost(LONG).until(() -> backends(" AND wait_event_type = 'Lock'") == 0);
                Awaitility.await().atMost(LONG).until(() -> database.figures().active() == 0);
            }
            assertThat(backends("")).isLessThanOrEqualTo(10);
            other.rollback();
        }
        assertThat(value(1)).isZero();
    }

    /** The connections of the pool, as the server counts them. */
    private long backends(String condition) throws SQLException {
        try (Connection connection = test.outside();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                        + " AND query NOT LIKE 'LOCK TABLE%'" + condition)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void aChangeWhoseCallerGivesUpWhileItIsMadeIsUndone() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        DatabaseException failure = catchThrowableOfType(
                DatabaseException.class,
                () -> database.write("slow", Duration.ofMillis(300), handle -> {
                    add(handle, 1);
                    await(go);
                    return 1;
                }));
        assertThat(failure.reason()).isEqualTo(DatabaseException.Reason.TIMEOUT);
        go.countDown();
        // it waits for the row, so that the first change has ended one way or the other
        database.write("next", LONG, handle -> add(handle, 1));
        assertThat(value(1)).isEqualTo(1);
    }

    @Test
    void readersHaveConnectionsOfTheirOwn() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(5);
        List<Future<Integer>> writers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            writers.add(callers.submit(() -> database.write("block", LONG, handle -> {
                busy.countDown();
                await(go);
                return 1;
            })));
        }
        busy.await();
        assertThat(value(1)).isZero();
        assertThat(database.figures().active()).isEqualTo(5);
        go.countDown();
        for (Future<Integer> writer : writers) {
            writer.get();
        }
    }

    @Test
    void nothingIsLeftOnAConnectionOfTheServer() throws Exception {
        for (int i = 0; i < 5; i++) {
            database.write("add", LONG, handle -> add(handle, 1));
        }
        List<String> settings = database.read(
                "settings",
                LONG,
                handle -> handle.createQuery("SELECT current_setting('statement_timeout') UNION ALL"
                                + " SELECT current_setting('idle_in_transaction_session_timeout')")
                        .mapTo(String.class)
                        .list());
        assertThat(settings).containsExactly("0", "0");
    }

    @Test
    void workOnFilesWhileAConnectionIsHeldIsAnError() {
        assertThatThrownBy(() -> database.read("io", LONG, handle -> {
                    IoGuard.beforeIo();
                    return 1;
                }))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> database.write("io", LONG, handle -> {
                    IoGuard.beforeIo();
                    return 1;
                }))
                .isInstanceOf(AssertionError.class);
        IoGuard.beforeIo();
    }

    @Test
    void severalInstancesStartAtOnceOnAnEmptyDatabaseWithSmallPools() throws Exception {
        TestPostgres server = TestPostgres.shared();
        String empty = server.createDatabase();
        List<TestDatabase> instances = new ArrayList<>();
        try {
            List<Future<Integer>> starts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                TestDatabase instance = TestDatabase.unreached(server.dataSource(empty), 3, LONG);
                instances.add(instance);
                starts.add(callers.submit(() -> {
                    instance.database().probe(LONG);
                    return instance.database()
                            .<Integer>read(
                                    "look",
                                    LONG,
                                    handle -> handle.createQuery("SELECT COUNT(*) FROM volumes")
                                            .mapTo(Integer.class)
                                            .one());
                }));
            }
            for (Future<Integer> start : starts) {
                assertThat(start.get()).isZero();
            }
        } finally {
            instances.forEach(TestDatabase::close);
            server.dropDatabase(empty);
        }
    }

    @Test
    void failuresAreToldByTheirState() {
        PostgresDialect dialect = new PostgresDialect();
        assertThat(List.of("08006", "08001", "57P01", "57P03", "53300", "53100", "28P01", "3D000", "25006", "25P03"))
                .allSatisfy(state -> assertThat(dialect.reason(new SQLException("x", state)))
                        .isEqualTo(DatabaseException.Reason.AWAY));
        assertThat(List.of("57014", "55P03", "40001", "40P01"))
                .allSatisfy(state -> assertThat(dialect.reason(new SQLException("x", state)))
                        .isEqualTo(DatabaseException.Reason.TIMEOUT));
        assertThat(List.of("23505", "23503", "23514"))
                .allSatisfy(state -> assertThat(dialect.reason(new SQLException("x", state)))
                        .isEqualTo(DatabaseException.Reason.CONFLICT));
        assertThat(List.of("42601", "42P01", "22001", "26000"))
                .allSatisfy(state -> assertThat(dialect.reason(new SQLException("x", state)))
                        .isEqualTo(DatabaseException.Reason.OTHER));
        assertThat(dialect.reason(new SQLException("no state"))).isEqualTo(DatabaseException.Reason.OTHER);
    }

    @Test
    void aDatabaseThatLacksCharactersIsRefusedInOneClearSentence() throws Exception {
        TestPostgres server = TestPostgres.shared();
        server.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
        try (TestDatabase latin = TestDatabase.unreached(server.dataSource("latin"), 4, LONG)) {
            DatabaseException failure = catchThrowableOfType(
                    DatabaseException.class, () -> latin.database().probe(LONG));
            assertThat(failure).hasMessageContaining("the database has the encoding LATIN1");
        } finally {
            server.dropDatabase("latin");
        }
    }
}
