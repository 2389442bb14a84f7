package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.anteroom.testing.LiveTree;
import org.sqlite.SQLiteDataSource;

/**
 * What the inventory says of one volume, and what lies in the volume's folder, read past the application.
 *
 * @param used bytes of copies, as counted
 * @param reserved bytes of fills, as counted
 * @param copies number of copies, as counted
 * @param runningFills fills that are recorded as running
 * @param leaving copies that are recorded as condemned or being deleted
 * @param rows sizes of the copies by name, as recorded
 * @param files sizes of the copies by name, on the disk
 * @param temporaries names in the folder of what is being made
 */
record Stored(
        long used,
        long reserved,
        long copies,
        long runningFills,
        long leaving,
        Map<String, Long> rows,
        Map<String, Long> files,
        List<String> temporaries) {

    /**
     * Reads both; the database in one transaction.
     *
     * @param database the SQLite file
     * @param volume the only volume's folder
     */
    static Stored read(Path database, Path volume) throws IOException, SQLException {
        try (Connection connection = open(database);
                Statement statement = connection.createStatement()) {
            return read(connection, number(statement, "SELECT id FROM volumes"), volume);
        }
    }

    /**
     * Reads both; the database in one transaction, after the folder.
     *
     * @param id the volume's in the database
     * @param volume its folder
     */
    static Stored read(Connection connection, long id, Path volume) throws IOException, SQLException {
        List<String> temporaries = names(volume.resolve("tmp"));
        return read(connection, id, temporaries, sizes(volume.resolve("copies")));
    }

    /**
     * Reads the database in one transaction.
     *
     * @param id the volume's in the database
     * @param temporaries what was found of what is being made
     * @param files the copies that were found, with their sizes
     */
    static Stored read(Connection connection, long id, List<String> temporaries, Map<String, Long> files)
            throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            Map<String, Long> rows = new TreeMap<>();
            long leaving = 0;
            try (ResultSet row =
                    statement.executeQuery("SELECT name, size, state FROM copies WHERE volume_id = " + id)) {
                while (row.next()) {
                    rows.put(row.getString(1), row.getLong(2));
                    leaving += row.getString(3).equals("cached") ? 0 : 1;
                }
            }
            return new Stored(
                    number(statement, "SELECT used FROM volumes WHERE id = " + id),
                    number(statement, "SELECT reserved FROM volumes WHERE id = " + id),
                    number(statement, "SELECT copies FROM volumes WHERE id = " + id),
                    number(statement, "SELECT count(*) FROM fills WHERE state = 'running' AND volume_id = " + id),
                    leaving,
                    rows,
                    files,
                    temporaries);
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** Asserts that nothing is under way in the volume, and that counters, rows and disk say the same. */
    void assertSettled(String volume) {
        assertThat(runningFills).as("running fills in %s", volume).isZero();
        assertThat(leaving).as("copies that are leaving %s", volume).isZero();
        assertThat(temporaries).as("temporary files in %s", volume).isEmpty();
        assertThat(files).as("files and rows of %s", volume).isEqualTo(rows);
        assertThat(reserved).as("reserved bytes in %s", volume).isZero();
        assertThat(used).as("used bytes in %s", volume).isEqualTo(recordedBytes());
        assertThat(copies).as("copies in %s", volume).isEqualTo(rows.size());
    }

    /** A connection that cannot change the database. */
    static Connection open(Path database) throws SQLException {
        return connect("file:" + database + "?mode=ro");
    }

    /** A connection to a database, without the list of drivers: an application that stopped in this JVM has cleared it. */
    static Connection connect(String database) throws SQLException {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + database);
        return source.getConnection();
    }

    /** The only number that a query gives. */
    static long number(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            if (!row.next()) {
                throw new SQLException("no row: " + query);
            }
            long number = row.getLong(1);
            if (row.next()) {
                throw new SQLException("several rows: " + query);
            }
            return number;
        }
    }

    long recordedBytes() {
        return rows.values().stream().mapToLong(Long::longValue).sum();
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private static Map<String, Long> sizes(Path folder) throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        // what is deleted since the walk met it: its row is gone or leaving, and the caller looks again
        LiveTree.files(folder)
                .forEach((file, size) -> sizes.put(file.getFileName().toString(), size));
        return sizes;
    }
}
