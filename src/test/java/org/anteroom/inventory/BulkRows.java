package org.anteroom.inventory;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.anteroom.jdbc.TestDatabase;

/**
 * Rows of a big inventory, written by one statement for each table: volumes 1 and 2 with copies of the files
 * {@code bulk/1000000001} and so on, a few of them condemned, their uses, fills and plans that have ended.
 */
public final class BulkRows {
    private static final String NUMBERS =
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) ";

    private static final int ITEMS = 50;

    private BulkRows() {}

    /** Writes rows into an empty inventory that has its schema. */
    public static void write(TestDatabase test, int copies) throws SQLException {
        try (Connection connection = test.outside();
                Statement statement = connection.createStatement()) {
            if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
                // each statement takes longer than any other may
                connection.setNetworkTimeout(
                        Runnable::run, (int) Duration.ofMinutes(30).toMillis());
            }
            connection.setAutoCommit(false);
            for (int volume = 1; volume <= 2; volume++) {
                statement.executeUpdate(
                        "INSERT INTO volumes (name, owner, kind, location, capacity, configured, status,"
                                + " priority) VALUES ('bulk-" + volume
                                + "', '', 'filesystem', '/bulk', 1000000000000000,"
                                + " 'active', 'active', 10)");
            }
            insert(
                    statement,
                    copies,
                    "copies (volume_id, objid, name, size, state, condemned_by, since, filled_at,"
                            + " verified_at) SELECT 1 + i % 2, 'bulk/' || (1000000000 + i),"
                            + " '0000000000000000' || (1000000000000000 + i), 1000 + i % 1000,"
                            + " CASE WHEN i % 100 = 0 THEN 'condemned' ELSE 'cached' END,"
                            + " CASE WHEN i % 100 = 0 THEN 'eviction' END, i, i, i");
            statement.executeUpdate("INSERT INTO copy_use (copy_id, volume_id, last_use, uses)"
                    + " SELECT id, volume_id, since, 1 FROM copies");
            insert(
                    statement,
                    copies,
                    "fills (objid, volume_id, state, size, bytes, attempts, instance, boot, epoch,"
                            + " created, ended) SELECT 'bulk/' || (1000000000 + i), 1 + i % 2, 'done', 1000, 1000, 1, 'old',"
                            + " 'old-boot', 1, i, i");
            insert(
                    statement,
                    copies / ITEMS,
                    "plans (volume_id, strategy, free, state, created, expires, ended)"
                            + " SELECT 1 + i % 2, 'lru', 0, 'done', i, i, i");
            insert(
                    statement,
                    copies,
                    "plan_items (plan_id, position, copy_id, objid, size, state)"
                            + " SELECT 1 + (i - 1) / " + ITEMS + ", 1 + (i - 1) % " + ITEMS + ", i,"
                            + " 'bulk/' || (1000000000 + i), 1000,"
                            + " CASE WHEN i % 10 = 0 THEN 'failed' ELSE 'freed' END");
            statement.executeUpdate("UPDATE volumes SET"
                    + " used = (SELECT SUM(size) FROM copies c WHERE c.volume_id = volumes.id),"
                    + " copies = (SELECT COUNT(*) FROM copies c WHERE c.volume_id = volumes.id)");
            connection.commit();
            connection.setAutoCommit(true);
            statement.execute("VACUUM");
            statement.execute("ANALYZE");
        }
    }

    private static void insert(Statement statement, int rows, String what) throws SQLException {
        String table = what.substring(0, what.indexOf(" SELECT "));
        statement.executeUpdate("INSERT INTO " + table + " " + NUMBERS.formatted(rows)
                + what.substring(table.length() + 1) + " FROM n");
    }
}
