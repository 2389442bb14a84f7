package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import javax.naming.NamingException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** Which pool the inventory gets, and what is said when there is none. */
class DataSourcesTest {

    @TempDir
    Path temporary;

    private Path base;

    @BeforeEach
    void base() throws IOException {
        base = temporary.toRealPath();
    }

    @Test
    void withoutAResourceAPoolOverAFileIsMade() throws SQLException {
        try (DataSources sources = sources(name -> Optional.empty())) {
            DataSource pool = found(sources.inventory());
            assertThat(base.resolve("anteroom/inventory.db")).exists();
            try (Connection connection = pool.getConnection()) {
                assertThat(pragma(connection, "journal_mode")).isEqualTo("wal");
                assertThat(pragma(connection, "synchronous")).isEqualTo("1");
                assertThat(pragma(connection, "foreign_keys")).isEqualTo("1");
                assertThat(pragma(connection, "busy_timeout")).isEqualTo("5000");
            }
            assertThat(found(sources.inventory())).as("made once").isSameAs(pool);
        }
    }

    @Test
    void thePoolThatWasMadeIsClosed() {
        DataSources sources = sources(name -> Optional.empty());
        DataSource pool = found(sources.inventory());
        sources.close();
        sources.close();
        assertThat(pool).hasToString("HikariDataSource (anteroom-inventory)");
        assertThat(((HikariDataSource) pool).isClosed()).isTrue();
        assertThat(Thread.getAllStackTraces().keySet())
                .as("the container reports what is left at this moment")
                .noneMatch(thread -> thread.getName().startsWith("anteroom-inventory"));
    }

    @Test
    void theContainersPoolIsUsedAndLeftOpen() {
        ClosableDataSource bound = new ClosableDataSource();
        try (DataSources sources =
                sources(name -> name.equals("jdbc/anteroom/inventory") ? Optional.of(bound) : Optional.empty())) {
            assertThat(sources.inventory()).isEqualTo(new PoolLookup.Found("jdbc/anteroom/inventory", bound));
        }
        assertThat(bound.closed).isFalse();
        assertThat(base.resolve("anteroom")).doesNotExist();
    }

    @Test
    void aResourceThatCannotBeMade() {
        try (DataSources sources = sources(name -> {
            NamingException thrown = new NamingException("cannot create resource instance");
            thrown.initCause(new SQLException("Connection to 127.0.0.1:5432\n refused"));
            throw thrown;
        })) {
            assertThat(failed(sources.inventory()))
                    .isEqualTo("The DataSource jdbc/anteroom/inventory cannot be made (SQLException: Connection to"
                            + " 127.0.0.1:5432 refused); correct its Resource in the context descriptor, or what it"
                            + " connects to.");
        }
    }

    @Test
    void aResourceThatIsNoPool() {
        try (DataSources sources = sources(name -> Optional.of("a text"))) {
            assertThat(failed(sources.inventory()))
                    .isEqualTo("The resource jdbc/anteroom/inventory is a java.lang.String; correct its type in the"
                            + " context descriptor to javax.sql.DataSource.");
        }
    }

    @Test
    void aFolderThatCannotBeMadeIsNamedWithTheLineThatWouldPermitIt() throws IOException {
        Path folder = Files.createFile(base.resolve("anteroom"));
        try (DataSources sources = sources(name -> Optional.empty())) {
            assertThat(failed(sources.inventory()))
                    .isEqualTo("Anteroom cannot keep its inventory in " + folder + " (FileAlreadyExistsException: "
                            + folder + "); make the folder and give it to the user that runs the container, and where"
                            + " systemd keeps that user from writing there, add to the service's unit:"
                            + " ReadWritePaths=" + folder);
        }
    }

    @Test
    void theFolderMayBeALink() throws IOException {
        Path disk = Files.createDirectories(base.resolve("disk"));
        Files.createSymbolicLink(base.resolve("anteroom"), disk);
        try (DataSources sources = sources(name -> Optional.empty())) {
            found(sources.inventory());
        }
        assertThat(disk).isDirectoryContaining("glob:**/inventory.db");
    }

    @Test
    void aFileThatIsNoDatabaseAndThenIsAway() throws IOException {
        Path file = Files.createDirectories(base.resolve("anteroom")).resolve("inventory.db");
        Files.writeString(file, "this is no database, but long enough to be looked at: " + "x".repeat(4096));
        try (DataSources sources = sources(name -> Optional.empty())) {
            assertThat(failed(sources.inventory()))
                    .startsWith("The inventory " + file + " cannot be opened (")
                    .contains("SQLITE_NOTADB")
                    .doesNotContain("\n");
            Files.delete(file);
            found(sources.inventory());
        }
    }

    private DataSources sources(Naming naming) {
        return new DataSources(new Surroundings(naming, Map.of("catalina.base", base.toString())));
    }

    private static DataSource found(PoolLookup lookup) {
        assertThat(lookup).isInstanceOf(PoolLookup.Found.class);
        return ((PoolLookup.Found) lookup).pool();
    }

    private static String failed(PoolLookup lookup) {
        assertThat(lookup).isInstanceOf(PoolLookup.Failed.class);
        return ((PoolLookup.Failed) lookup).message();
    }

    private static String pragma(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("PRAGMA " + name)) {
            assertThat(result.next()).isTrue();
            return result.getString(1);
        }
    }

    /** A pool as a container binds it. */
    private static final class ClosableDataSource extends SQLiteDataSource implements AutoCloseable {
        private boolean closed;

        @Override
        public void close() {
            closed = true;
        }
    }
}
