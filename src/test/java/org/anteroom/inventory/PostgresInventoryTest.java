package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.anteroom.jdbc.TestDatabase;
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

    private record Postgres() implements InventoryContract.Backend {
        @Override
        public TestDatabase create() throws Exception {
            return TestDatabase.postgresWithClock();
        }

        @Override
        public void checkStatements(TestDatabase test) throws Exception {
            requireIndexes(test);
        }
    }

    /** The tables that grow; a start names few leases, and an operator few volumes. */
    private static final Set<String> GROWING = Set.of("copies", "copy_use", "fills", "plans", "plan_items");

    /** Each table that grows is read by the condition of an index, in every statement that ran. */
    private static void requireIndexes(TestDatabase test) throws Exception {
        List<String> bad = new ArrayList<>();
        int looked = 0;
        try (Connection connection = test.outside();
                Statement settings = connection.createStatement()) {
            // the tables of a test are so small that reading them whole is cheapest: show whether it could be done
            // otherwise
            settings.execute("SET enable_seqscan = off");
            for (String sql : test.statements()) {
                if (!sql.matches("(?s)\\s*(SELECT|INSERT|UPDATE|DELETE)\\b.*")) {
                    continue;
                }
                looked++;
                try (PreparedStatement statement = test.prepare(connection, "EXPLAIN (FORMAT JSON) ", sql);
                        ResultSet plan = statement.executeQuery()) {
                    assertThat(plan.next()).isTrue();
                    JsonNode root = new ObjectMapper().readTree(plan.getString(1));
                    findScans(root.get(0).get("Plan"), sql, bad);
                }
            }
        }
        assertThat(looked).isPositive();
        assertThat(bad).isEmpty();
    }

    private static void findScans(JsonNode node, String sql, List<String> bad) {
        String type = node.path("Node Type").asText();
        String table = node.path("Relation Name").asText();
        boolean read = type.endsWith("Scan") && GROWING.contains(table);
        if (read && !type.equals("Bitmap Heap Scan") && !node.has("Index Cond")) {
            bad.add(type + " of " + table + " in: " + sql);
        }
        node.path("Plans").forEach(below -> findScans(below, sql, bad));
    }
}
