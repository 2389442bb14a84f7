package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.anteroom.jdbc.TestDatabase;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The inventory on SQLite. */
class SqliteInventoryTest {

    @TempDir
    Path folder;

    @Nested
    class Volumes extends VolumeRowsContract {
        @Override
        Backend backend() {
            return new Sqlite(folder);
        }
    }

    @Nested
    class Fills extends FillContract {
        @Override
        Backend backend() {
            return new Sqlite(folder);
        }
    }

    @Nested
    class Copies extends CopyContract {
        @Override
        Backend backend() {
            return new Sqlite(folder);
        }
    }

    @Nested
    class Queue extends QueueContract {
        @Override
        Backend backend() {
            return new Sqlite(folder);
        }
    }

    @Nested
    class Plans extends PlanContract {
        @Override
        Backend backend() {
            return new Sqlite(folder);
        }
    }

    @Nested
    class Leases extends LeaseContract {
        @Override
        Backend backend() {
            return new Sqlite(folder);
        }
    }

    @Nested
    class Heads extends HeadContract {
        @Override
        Backend backend() {
            return new Sqlite(folder);
        }
    }

    @Nested
    class Fleet extends FleetContract {
        @Override
        Backend backend() {
            return new Sqlite(folder);
        }
    }

    private record Sqlite(Path folder) implements InventoryContract.Backend {
        @Override
        public TestDatabase create() throws Exception {
            return TestDatabase.withClock(folder);
        }

        @Override
        public void checkStatements(TestDatabase test) throws Exception {
            requireIndexes(test);
        }
    }

    /** No statement that ran reads a table from one end to the other, or the rows of all copies of a volume. */
    private static void requireIndexes(TestDatabase test) throws SQLException {
        List<String> bad = new ArrayList<>();
        int looked = 0;
        try (Connection connection = test.outside()) {
            for (String sql : test.statements()) {
                if (!sql.matches("(?s)\\s*(SELECT|INSERT|UPDATE|DELETE)\\b.*")) {
                    continue;
                }
                looked++;
                try (PreparedStatement statement = test.prepare(connection, "EXPLAIN QUERY PLAN ", sql);
                        ResultSet steps = statement.executeQuery()) {
                    while (steps.next()) {
                        String step = steps.getString("detail");
                        if (readsTooMuch(sql, step)) {
                            bad.add(step + " in: " + sql);
                        }
                    }
                }
            }
        }
        assertThat(looked).isPositive();
        assertThat(bad).isEmpty();
    }

    private static boolean readsTooMuch(String sql, String step) {
        boolean sums = sql.contains("SUM(c.size)") && step.startsWith("SEARCH c ");
        return sums ? !step.contains("COVERING INDEX") : step.startsWith("SCAN ") && !isSmall(step);
    }

    /**
     * The clock has one row, there are as many volumes as an operator configures, and what is counted is cut off before
     * that.
     */
    private static boolean isSmall(String step) {
        return step.equals("SCAN test_clock")
                || step.equals("SCAN counted")
                || step.equals("SCAN CONSTANT ROW")
                || step.equals("SCAN volumes");
    }
}
