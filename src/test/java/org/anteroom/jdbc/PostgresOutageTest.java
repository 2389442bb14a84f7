package org.anteroom.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.testing.TestPostgres;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed, or there and silent; closing looks for connections and threads that do not come back. */
class PostgresOutageTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(500);

    @TempDir
    static Path folder;

    private static TestPostgres server;

    private TestDatabase test;
    private Database database;

    @BeforeAll
    static void start() throws Exception {
        server = TestPostgres.start(folder);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void open() throws Exception {
        test = TestDatabase.unreached(server.dataSource(server.createDatabase()), 10, Duration.ofSeconds(2));
        database = test.database();
        database.probe(LONG);
    }

    @AfterEach
    void close() {
        test.close();
    }

    private int read(Duration wait) throws DatabaseException {
        return database.read(
                "read",
                wait,
                handle -> handle.createQuery("SELECT COUNT(*) FROM volumes")
                        .mapTo(Integer.class)
                        .one());
    }

    private int write(Duration wait) throws DatabaseException {
        return database.write("write", wait, handle -> handle.execute("UPDATE volumes SET used = used"));
    }

    private void awaitWork() {
        Awaitility.await()
                .atMost(LONG)
                .ignoreExceptions()
                .until(() -> read(Duration.ofSeconds(2)) + write(Duration.ofSeconds(2)) == 0);
    }

    @Test
    void aKilledServerIsAwayUntilItIsStartedAgain() throws Exception {
        server.kill();
        try {
            assertThat(catchThrowableOfType(DatabaseException.class, () -> read(LONG))
                            .reason())
                    .isEqualTo(DatabaseException.Reason.AWAY);
            assertThat(catchThrowableOfType(DatabaseException.class, () -> write(LONG))
                            .reason())
                    .isEqualTo(DatabaseException.Reason.AWAY);
        } finally {
            server.startAgain();
        }
        awaitWork();
    }

    @Test
    void nobodyWaitsForASilentServerLongerThanHeWants() throws Exception {
        server.hold();
        try {
            List<Future<DatabaseException>> callers = new ArrayList<>();
            // more than there are threads
            ExecutorService many = Executors.newFixedThreadPool(40);
            try {
                for (int i = 0; i < 20; i++) {
                    callers.add(many.submit(() -> catchThrowableOfType(DatabaseException.class, () -> read(SHORT))));
                    callers.add(many.submit(() -> catchThrowableOfType(DatabaseException.class, () -> write(SHORT))));
                }
                for (Future<DatabaseException> caller : callers) {
                    assertThat(caller.get().reason())
                            .isIn(DatabaseException.Reason.TIMEOUT, DatabaseException.Reason.AWAY);
                }
            } finally {
                many.shutdown();
            }
            // the threads come back though the server never answers: what they wait for ends by itself
            Awaitility.await().atMost(LONG).until(() -> database.figures().active() == 0);
        } finally {
            server.goOn();
        }
        awaitWork();
    }

    @Test
    void aSilentServerAtTheStartIsReachedWhenItSpeaks() throws Exception {
        String empty = server.createDatabase();
        server.hold();
        try (TestDatabase late = TestDatabase.unreached(server.dataSource(empty), 4, Duration.ofSeconds(2))) {
            try {
                assertThat(catchThrowableOfType(
                                        DatabaseException.class,
                                        () -> late.database().probe(SHORT))
                                .reason())
                        .isEqualTo(DatabaseException.Reason.TIMEOUT);
            } finally {
                server.goOn();
            }
            Awaitility.await().atMost(LONG).ignoreExceptions().until(() -> {
                late.database().probe(SHORT);
                return true;
            });
        }
    }
}
