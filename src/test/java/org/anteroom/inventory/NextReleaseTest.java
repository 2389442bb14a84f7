package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.anteroom.jdbc.TestDatabase;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * This release beside the next one, which has changed the schema as a release may: the contracts hold as before, on a
 * PostgreSQL that has new columns, tables and indexes.
 */
class NextReleaseTest {
    private static final Path SCRIPTS = Path.of("src/main/resources/db/migration/common");

    @Nested
    class Copies extends CopyContract {
        @Override
        Backend backend() {
            return new Changed();
        }
    }

    @Nested
    class Fills extends FillContract {
        @Override
        Backend backend() {
            return new Changed();
        }
    }

    @Nested
    class Plans extends PlanContract {
        @Override
        Backend backend() {
            return new Changed();
        }
    }

    private record Changed() implements InventoryContract.Backend {
        @Override
        public TestDatabase create() throws Exception {
            TestDatabase test = TestDatabase.postgresWithClock();
            // the pool's connections have been used, and their statements prepared, when the schema changes
            new VolumeStore(test.database(), InventoryContract.WAIT).all();
            change(test);
            return test;
        }

        @Override
        public void checkStatements(TestDatabase test) {
            // the contracts' tests of the present schema do
        }
    }

    private static void change(TestDatabase test) throws Exception {
        try (Connection connection = test.outside();
                Statement statement = connection.createStatement()) {
            for (String table :
                    List.of("volumes", "copies", "copy_use", "fills", "plans", "plan_items", "leases", "heads")) {
                statement.execute("ALTER TABLE " + table + " ADD COLUMN novelty BIGINT NOT NULL DEFAULT 7");
                statement.execute("CREATE INDEX " + table + "_by_novelty ON " + table + " (novelty)");
            }
            statement.execute("CREATE TABLE novelties (id BIGINT PRIMARY KEY, copy_id BIGINT)");
        }
    }

    /** Such changes are the only ones: what the release before writes and reads stays as it was. */
    @Test
    void aReleaseOnlyAddsToTheSchema() throws Exception {
        List<String> statements = new ArrayList<>();
        try (Stream<Path> scripts = Files.list(SCRIPTS)) {
            for (Path script : scripts.filter(
                            one -> !one.getFileName().toString().startsWith("V1__"))
                    .toList()) {
                String sql = Files.readString(script, StandardCharsets.UTF_8).replaceAll("--[^\n]*", "");
                Arrays.stream(sql.split(";"))
                        .map(String::strip)
                        .filter(one -> !one.isEmpty())
                        .forEach(statements::add);
            }
        }
        assertThat(statements)
                .isNotEmpty()
                .allMatch(sql -> sql.matches("(?s)CREATE TABLE .*"
                        + "|CREATE INDEX .*"
                        // what the release before inserts has no value for it
                        + "|ALTER TABLE \\w+ ADD COLUMN (?!.*\\bNOT NULL(?!.*\\bDEFAULT\\b)).*"));
    }
}
