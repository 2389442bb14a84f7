package org.anteroom.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.anteroom.testing.TestPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schemas that cannot be brought up to date, and the pool for those who may change one. */
class MigrationsTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private static void run(TestDatabase test, String... statements) throws SQLException {
        try (Connection connection = test.outside();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static DatabaseException refused(TestDatabase test) {
        return catchThrowableOfType(
                DatabaseException.class, () -> test.database().probe(LONG));
    }

    private static void assertRefusedUntil(TestDatabase test, List<String> wrong, List<String> right, String message)
            throws Exception {
        run(test, wrong.toArray(String[]::new));
        for (int i = 0; i < 2; i++) {
            DatabaseException failure = refused(test);
            assertThat(failure.reason()).isEqualTo(DatabaseException.Reason.OTHER);
            assertThat(failure).hasMessageContaining(message);
            assertThat(String.valueOf(failure.getMessage()).lines()).hasSize(1);
        }
        run(test, right.toArray(String[]::new));
        test.database().probe(LONG);
    }

    /** All that may be wrong with a schema, one after the other, in one database. */
    private static void assertEachIsToldAndHeals(TestDatabase first, TestDatabase second, TestDatabase third, String no)
            throws Exception {
        assertRefusedUntil(
                first,
                List.of("CREATE TABLE somebody_elses (id BIGINT)"),
                List.of("DROP TABLE somebody_elses"),
                "tables of something else");
        assertRefusedUntil(
                second,
                List.of("UPDATE flyway_schema_history SET checksum = checksum + 1 WHERE version = '1'"),
                List.of("UPDATE flyway_schema_history SET checksum = checksum - 1 WHERE version = '1'"),
                "use the version of Anteroom that made it");
        assertRefusedUntil(
                third,
                List.of("UPDATE flyway_schema_history SET success = " + no + " WHERE version = '1'"),
                List.of("UPDATE flyway_schema_history SET success = NOT success WHERE version = '1'"),
                "failed migration");
    }

    @Test
    void aSchemaOfPostgresThatIsNotOursIsToldInOneLineAndHeals() throws Exception {
        TestPostgres server = TestPostgres.shared();
        String name = server.createDatabase();
        DataSource source = server.dataSource(name);
        try (TestDatabase first = TestDatabase.unreached(source, 4, LONG);
                TestDatabase second = TestDatabase.unreached(source, 4, LONG);
                TestDatabase third = TestDatabase.unreached(source, 4, LONG)) {
            assertEachIsToldAndHeals(first, second, third, "FALSE");
        } finally {
            server.dropDatabase(name);
        }
    }

    @Test
    void aSchemaOfSqliteThatIsNotOursIsToldInOneLineAndHeals() throws Exception {
        Path file = folder.resolve("anteroom.db");
        try (TestDatabase first = TestDatabase.unreached(file, LONG);
                TestDatabase second = TestDatabase.unreached(file, LONG);
                TestDatabase third = TestDatabase.unreached(file, LONG)) {
            assertEachIsToldAndHeals(first, second, third, "0");
        }
    }

    /** The next release has been started beside this one, which is started once more. */
    private static void assertStartsOnWhatTheNextReleaseMade(TestDatabase first, TestDatabase second) throws Exception {
        first.database().probe(LONG);
        run(
                first,
                "INSERT INTO flyway_schema_history (installed_rank, version, description, type, script, checksum,"
                        + " installed_by, execution_time, success)"
                        + " SELECT 1000, '1000', 'next', type, 'V1000__next.sql', 1, installed_by, 1, success"
                        + " FROM flyway_schema_history WHERE version = '1'");
        second.database().probe(LONG);
    }

    @Test
    void aSchemaOfPostgresThatTheNextReleaseHasAddedToIsOfUse() throws Exception {
        TestPostgres server = TestPostgres.shared();
        String name = server.createDatabase();
        DataSource source = server.dataSource(name);
        try (TestDatabase first = TestDatabase.unreached(source, 4, LONG);
                TestDatabase second = TestDatabase.unreached(source, 4, LONG)) {
            assertStartsOnWhatTheNextReleaseMade(first, second);
        } finally {
            server.dropDatabase(name);
        }
    }

    @Test
    void aSchemaOfSqliteThatTheNextReleaseHasAddedToIsOfUse() throws Exception {
        Path file = folder.resolve("anteroom.db");
        try (TestDatabase first = TestDatabase.unreached(file, LONG);
                TestDatabase second = TestDatabase.unreached(file, LONG)) {
            assertStartsOnWhatTheNextReleaseMade(first, second);
        }
    }

    @Test
    void thePoolForChangesOfTheSchemaIsLookedAtItself() throws Exception {
        TestPostgres server = TestPostgres.shared();
        String name = server.createDatabase();
        server.execute("CREATE DATABASE latin_direct TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
        try (TestDatabase test = TestDatabase.unreached(server.dataSource(name), server.dataSource("latin_direct"))) {
            assertThat(refused(test)).hasMessageContaining("the database has the encoding LATIN1");
        } finally {
            server.dropDatabase(name);
            server.dropDatabase("latin_direct");
        }
    }

    /** Whatever the operator wrote into the URL, nothing that Flyway does waits for ever. */
    @Test
    void connectionsForChangesOfTheSchemaWaitForNoAnswerForEver() throws Exception {
        TestPostgres server = TestPostgres.shared();
        String name = server.createDatabase();
        Queue<Integer> limits = new ConcurrentLinkedQueue<>();
        DataSource unlimited = TestPostgres.dataSourceAt(server.url(name).replaceAll("&socketTimeout=\\d+", ""));
        DataSource watched = Recording.watchingStatements(unlimited, limits::add);
        try (TestDatabase test = TestDatabase.unreached(server.dataSource(name), watched)) {
            test.database().probe(LONG);
            assertThat(limits)
                    .hasSizeGreaterThan(1)
                    .allSatisfy(limit -> assertThat(limit).isPositive());
        } finally {
            server.dropDatabase(name);
        }
    }
}
