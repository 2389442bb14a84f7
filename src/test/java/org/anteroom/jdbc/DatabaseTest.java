package org.anteroom.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.tasks.IoGuard;
import org.awaitility.Awaitility;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private TestDatabase test;
    private Database database;
    private final ExecutorService callers = Executors.newCachedThreadPool();

    @BeforeEach
    void open() throws Exception {
        test = TestDatabase.open(folder);
        database = test.database();
        database.write("create", LONG, handle -> handle.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"));
    }

    @AfterEach
    void close() {
        callers.shutdownNow();
        test.close();
    }

    private static int insert(Handle handle, int id) {
        return handle.execute("INSERT INTO t VALUES (?, 'x')", id);
    }

    private List<Integer> ids() throws DatabaseException {
        return database.read(
                "ids",
                LONG,
                handle -> handle.createQuery("SELECT id FROM t ORDER BY id")
                        .mapTo(Integer.class)
                        .list());
    }

    @Test
    void connectionsAreInWalModeWithForeignKeys() throws Exception {
        List<String> pragmas = database.read(
                "pragmas",
                LONG,
                handle -> List.of("journal_mode", "synchronous", "foreign_keys").stream()
                        .map(pragma -> handle.createQuery("PRAGMA " + pragma)
                                .mapTo(String.class)
                                .one())
                        .toList());
        assertThat(pragmas).containsExactly("wal", "1", "1");
    }

    @Test
    void pragmasAreSetAgainWhenSomebodyChangedThem() throws Exception {
        for (int i = 0; i < 8; i++) {
            database.read("spoil", LONG, handle -> handle.execute("PRAGMA foreign_keys = OFF"));
        }
        int keys = database.read(
                "look",
                LONG,
                handle -> handle.createQuery("PRAGMA foreign_keys")
                        .mapTo(Integer.class)
                        .one());
        assertThat(keys).isEqualTo(1);
    }

    @Test
    void aFailingChangeFailsAloneInItsBatch() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<Integer> first = callers.submit(() -> database.write("block", LONG, handle -> {
            blocked.countDown();
            return await(go, handle);
        }));
        blocked.await();
        List<Future<Integer>> changes = new ArrayList<>();
        for (int id : new int[] {1, 2, 2, 3}) {
            changes.add(callers.submit(() -> database.write("insert", LONG, handle -> insert(handle, id))));
        }
        Future<Integer> fault = callers.submit(() -> database.write("fault", LONG, handle -> {
            insert(handle, 4);
            throw new IllegalStateException("on purpose");
        }));
        awaitWaiting(5);
        go.countDown();
        first.get();
        int failed = 0;
        for (Future<Integer> change : changes) {
            try {
                change.get();
            } catch (java.util.concurrent.ExecutionException e) {
                assertThat(e.getCause())
                        .isInstanceOfSatisfying(
                                DatabaseException.class,
                                failure -> assertThat(failure.reason()).isEqualTo(DatabaseException.Reason.CONFLICT));
                failed++;
            }
        }
        assertThat(failed).isEqualTo(1);
        assertThatThrownBy(fault::get).hasRootCauseMessage("on purpose");
        assertThat(ids()).containsExactly(1, 2, 3);
    }

    @Test
    void changesThatWaitShareOneTransaction() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<Integer> first = callers.submit(() -> database.write("block", LONG, handle -> {
            blocked.countDown();
            return await(go, handle);
        }));
        blocked.await();
        List<Future<Integer>> changes = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int id = i;
            changes.add(callers.submit(() -> database.write("insert", LONG, handle -> insert(handle, id))));
        }
        awaitWaiting(200);
        long before = database.figures().acquisitions();
        go.countDown();
        first.get();
        for (Future<Integer> change : changes) {
            change.get();
        }
        // 63 with the one that blocked, then 64, 64 and the rest
        assertThat(database.figures().acquisitions() - before).isEqualTo(3);
        assertThat(ids()).hasSize(200);
    }

    @Test
    void anotherProcessThatKeepsTheLockCostsOnlyThoseWhoDoNotWaitThatLong() throws Exception {
        AtomicBoolean ran = new AtomicBoolean();
        Future<Integer> patient;
        try (Connection other = test.lock();
                Statement statement = other.createStatement()) {
            patient = callers.submit(() -> database.write("patient", LONG, handle -> insert(handle, 1)));
            DatabaseException failure = catchThrowableOfType(
                    DatabaseException.class,
                    () -> database.write("impatient", Duration.ofSeconds(3), handle -> {
                        ran.set(true);
                        return insert(handle, 2);
                    }));
            assertThat(failure.reason()).isEqualTo(DatabaseException.Reason.TIMEOUT);
            assertThat(ids()).isEmpty();
            assertThat(patient).isNotDone();
            statement.execute("COMMIT");
        }
        patient.get();
        assertThat(ids()).containsExactly(1);
        assertThat(ran).isFalse();
    }

    @Test
    void readersDoNotWaitForWriters() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<Integer> writer = callers.submit(() -> database.write("block", LONG, handle -> {
            insert(handle, 1);
            blocked.countDown();
            return await(go, handle);
        }));
        blocked.await();
        assertThat(ids()).isEmpty();
        go.countDown();
        writer.get();
        assertThat(ids()).containsExactly(1);
    }

    @Test
    void aCallerIsReleasedAtItsDeadlineAndWhatHadNotBegunNeverRuns() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        int readers = database.figures().max() - 1;
        CountDownLatch busy = new CountDownLatch(readers);
        List<Future<Integer>> slow = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            slow.add(callers.submit(() -> database.read("slow", LONG, handle -> {
                busy.countDown();
                return await(go, handle);
            })));
        }
        busy.await();
        AtomicBoolean ran = new AtomicBoolean();
        DatabaseException failure = catchThrowableOfType(
                DatabaseException.class,
                () -> database.read("late", Duration.ofMillis(50), handle -> {
                    ran.set(true);
                    return 1;
                }));
        assertThat(failure.reason()).isEqualTo(DatabaseException.Reason.TIMEOUT);
        go.countDown();
        for (Future<Integer> read : slow) {
            read.get();
        }
        assertThat(ids()).isEmpty();
        assertThat(ran).isFalse();
    }

    @Test
    void aChangeWhoseCallerGivesUpWhileItIsMadeIsUndone() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        DatabaseException failure = catchThrowableOfType(
                DatabaseException.class,
                () -> database.write("slow", Duration.ofMillis(500), handle -> {
                    insert(handle, 1);
                    return await(go, handle);
                }));
        assertThat(failure.reason()).isEqualTo(DatabaseException.Reason.TIMEOUT);
        go.countDown();
        database.write("next", LONG, handle -> insert(handle, 2));
        assertThat(ids()).containsExactly(2);
    }

    @Test
    void aChangeWhoseCallerGivesUpBeforeTheCommitIsUndoneAndTheOthersAreMade() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch last = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        Future<Integer> first = callers.submit(() -> database.write("first", LONG, handle -> {
            begun.countDown();
            await(go, handle);
            return insert(handle, 1);
        }));
        begun.await();
        Future<Integer> impatient = callers.submit(() -> database.write("second", Duration.ofSeconds(2), handle -> {
            ran.countDown();
            return insert(handle, 2);
        }));
        awaitWaiting(1);
        Future<Integer> third = callers.submit(() -> database.write("third", LONG, handle -> {
            await(last, handle);
            return insert(handle, 3);
        }));
        awaitWaiting(2);
        go.countDown();
        ran.await();
        assertThatThrownBy(impatient::get).hasCauseInstanceOf(DatabaseException.class);
        last.countDown();
        first.get();
        third.get();
        assertThat(ids()).containsExactly(1, 3);
    }

    @Test
    void aResultThatComesAfterTheCallerHasGivenUpIsHandedOver() {
        List<Integer> late = new ArrayList<>();
        Operation<Integer> operation = new Operation<>("late", Duration.ZERO, handle -> 1, late::add);
        assertThat(catchThrowableOfType(DatabaseException.class, operation::await)
                        .reason())
                .isEqualTo(DatabaseException.Reason.TIMEOUT);
        assertThat(operation.givenUp()).isTrue();
        operation.succeed(7);
        assertThat(late).containsExactly(7);
    }

    @Test
    void theWalIsKeptSmallAlsoWithReadersAlwaysPresent() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<Future<?>> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            readers.add(callers.submit(() -> {
                while (!stop.get()) {
                    ids();
                }
                return null;
            }));
        }
        for (int i = 0; i < 600; i++) {
            replace(i % 20);
        }
        stop.set(true);
        for (Future<?> reader : readers) {
            reader.get();
        }
        assertThat(Files.size(Path.of(test.file() + "-wal"))).isLessThan(20L << 20);
    }

    @Test
    void theWalShrinksAgainByItselfWhenAReaderThatKeptAnOldStateHasGone() throws Exception {
        Path wal = Path.of(test.file() + "-wal");
        try (Connection backup = test.outside();
                Statement statement = backup.createStatement()) {
            statement.execute("BEGIN");
            statement.executeQuery("SELECT COUNT(*) FROM t").close();
            for (int i = 0; i < 250; i++) {
                replace(i % 20);
            }
            assertThat(Files.size(wal)).as("what the reader may still ask for").isGreaterThan(20L << 20);
            statement.execute("COMMIT");
        }
        // housekeeping is tried every two seconds
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            replace(1);
            return Files.size(wal) < 10L << 20;
        });
    }

    private void replace(int id) throws DatabaseException {
        String page = "x".repeat(100_000);
        database.write("replace", LONG, handle -> handle.execute("INSERT OR REPLACE INTO t VALUES (?, ?)", id, page));
    }

    @Test
    void statementsAndConnectionsAreCounted() throws Exception {
        PoolFigures before = database.figures();
        for (int i = 0; i < 3; i++) {
            ids();
        }
        PoolFigures after = database.figures();
        assertThat(after.acquisitions() - before.acquisitions()).isEqualTo(3);
        assertThat(after.max()).isEqualTo(4);
        assertThat(after.name()).isEqualTo("inventory");
        assertThat(test.statementsRun("ids")).isEqualTo(3);
        assertThat(test.pools().figures()).hasSize(1);
    }

    @Test
    void workOnFilesWhileAConnectionIsHeldIsAnError() {
        assertThatThrownBy(() -> database.read("io", LONG, handle -> {
                    IoGuard.beforeIo();
                    return 1;
                }))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> database.write("nested", LONG, handle -> {
                    try {
                        return ids();
                    } catch (DatabaseException e) {
                        throw new IllegalStateException(e);
                    }
                }))
                .isInstanceOf(AssertionError.class);
        IoGuard.beforeIo();
    }

    @Test
    void aFaultyStatementIsNoOutage() {
        DatabaseException failure = catchThrowableOfType(
                DatabaseException.class, () -> database.read("bad", LONG, handle -> handle.execute("SELEKT")));
        assertThat(failure.reason()).isEqualTo(DatabaseException.Reason.OTHER);
        assertThat(failure).hasMessageContaining("bad");
    }

    /** Waits until so many changes are queued; they are on their way already. */
    private void awaitWaiting(int changes) {
        while (database.changesWaiting() < changes) {
            Thread.onSpinWait();
        }
    }

    private static int await(CountDownLatch latch, Handle handle) {
        try {
            latch.await();
            return handle.createQuery("SELECT 1").mapTo(Integer.class).one();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
