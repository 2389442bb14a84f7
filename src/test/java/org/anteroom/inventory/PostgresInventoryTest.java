package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.anteroom.jdbc.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/** The inventory on PostgreSQL. */
class PostgresInventoryTest {

    @Nested
    class Volumes extends VolumeRowsContract {
        @Override
        Backend backend() {
            return new Postgres();
        }
    }

    @Nested
    class Fills extends FillContract {
        @Override
        Backend backend() {
            return new Postgres();
        }
    }

    @Nested
    class Copies extends CopyContract {
        @Override
        Backend backend() {
            return new Postgres();
        }
    }

    @Nested
    class Queue extends QueueContract {
        @Override
        Backend backend() {
            return new Postgres();
        }
    }

    @Nested
    class Plans extends PlanContract {
        @Override
        Backend backend() {
            return new Postgres();
        }
    }

    @Nested
    class Leases extends LeaseContract {
        @Override
        Backend backend() {
            return new Postgres();
        }
    }

    @Nested
    class Heads extends HeadContract {
        @Override
        Backend backend() {
            return new Postgres();
        }
    }

    @Nested
    class Fleet extends FleetContract {
        @Override
        Backend backend() {
            return new Postgres();
        }
    }

    private record Postgres() implements InventoryContract.Backend {
        @Override
        public TestDatabase create() throws Exception {
            return TestDatabase.postgresWithClock();
        }

        @Override
        public void checkStatements(TestDatabase test) {
            test.statements().stream()
                    .filter(sql -> sql.matches("(?s)\\s*(SELECT|INSERT|UPDATE|DELETE)\\b.*"))
                    .forEach(sql -> STATEMENTS.putIfAbsent(sql, test));
        }

        @Override
        public long deadlocks(TestDatabase test) throws Exception {
            return test.deadlocks();
        }
    }

    /** Every statement that ran in a test, and the database that knows the parameters. */
    private static final Map<String, TestDatabase> STATEMENTS = new ConcurrentHashMap<>();

    /** The tables that grow; there are as many leases as roles, and as many volumes as an operator configures. */
    private static final Set<String> GROWING = Set.of("copies", "copy_use", "fills", "plans", "plan_items");

    /** Indexes that name a few rows each, whatever the size of their table: these may be read whole. */
    private static final Set<String> SMALL = Set.of(
            "fills_active",
            "fills_running",
            "fills_due",
            "fills_by_owner",
            "fills_by_expiry",
            "fills_leftover",
            "copies_leaving",
            "plans_running",
            "plans_waiting");

    /** In an inventory of 100,000 copies, which PostgreSQL has looked at, no statement reads a table that grows whole. */
    @AfterAll
    static void everyStatementUsesAnIndex() throws Exception {
        List<String> bad = new ArrayList<>();
        try (TestDatabase big = TestDatabase.postgresWithClock();
                Connection connection = big.outside()) {
            BulkRows.write(big, 100_000);
            for (Map.Entry<String, TestDatabase> one : STATEMENTS.entrySet()) {
                try (PreparedStatement statement =
                                one.getValue().prepare(connection, "EXPLAIN (FORMAT JSON) ", one.getKey());
                        ResultSet plan = statement.executeQuery()) {
                    assertThat(plan.next()).isTrue();
                    JsonNode root = new ObjectMapper().readTree(plan.getString(1));
                    findScans(root.get(0).get("Plan"), one.getKey(), bad);
                }
            }
        }
        assertThat(STATEMENTS).isNotEmpty();
        assertThat(bad).isEmpty();
    }

    private static void findScans(JsonNode node, String sql, List<String> bad) {
        String type = node.path("Node Type").asText();
        boolean chosen =
                node.has("Index Cond") || SMALL.contains(node.path("Index Name").asText());
        // the heap is read where the bitmap says, which is made by what lies below
        boolean reads = type.equals("Bitmap Index Scan")
                || (type.endsWith("Scan")
                        && !type.equals("Bitmap Heap Scan")
                        && GROWING.contains(node.path("Relation Name").asText()));
        if (reads && !chosen) {
            bad.add(type + " of " + node.path("Relation Name").asText()
                    + node.path("Index Name").asText() + " in: " + sql);
        }
        node.path("Plans").forEach(below -> findScans(below, sql, bad));
    }
}
