package org.anteroom.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class DatabaseAwayTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private static DatabaseException.Reason probe(Database database) {
        return catchThrowableOfType(DatabaseException.class, () -> database.probe(LONG))
                .reason();
    }

    private static boolean reached(Database database) {
        try {
            database.probe(LONG);
            return true;
        } catch (DatabaseException e) {
            assertThat(e.reason()).isEqualTo(DatabaseException.Reason.AWAY);
            return false;
        }
    }

    @Test
    void aMissingFolderIsAnOutageThatEndsByItself() throws Exception {
        Path missing = folder.resolve("missing");
        try (TestDatabase test = TestDatabase.unreached(missing.resolve("anteroom.db"), Duration.ofMillis(300))) {
            assertThat(probe(test.database())).isEqualTo(DatabaseException.Reason.AWAY);
            DatabaseException failure = catchThrowableOfType(
                    DatabaseException.class, () -> test.database().read("read", LONG, handle -> 1));
            assertThat(failure.reason()).isEqualTo(DatabaseException.Reason.AWAY);
            Files.createDirectory(missing);
            // the pool itself pauses between its tries, longer than one call waits
            boolean reached = false;
            for (int i = 0; !reached && i < 100; i++) {
                reached = reached(test.database());
            }
            assertThat(reached).isTrue();
            assertThat(test.database()
                            .<Integer>read(
                                    "count",
                                    LONG,
                                    handle -> handle.createQuery("SELECT COUNT(*) FROM volumes")
                                            .mapTo(Integer.class)
                                            .one()))
                    .isZero();
        }
    }

    @Test
    void aFileThatIsNoDatabaseIsAnOutage() throws Exception {
        Path file = Files.writeString(folder.resolve("anteroom.db"), "no database at all".repeat(1000));
        try (TestDatabase test = TestDatabase.unreached(file, Duration.ofMillis(300))) {
            assertThat(probe(test.database())).isEqualTo(DatabaseException.Reason.AWAY);
        }
    }

    @Test
    void aDatabaseThatCannotHaveAWalIsRefusedInOneClearSentence() {
        SQLiteDataSource memory = new SQLiteDataSource();
        memory.setUrl("jdbc:sqlite::memory:");
        Metrics metrics = new Metrics();
        try (Tasks tasks = new Tasks(metrics)) {
            Migrations migrations = new Migrations(Optional.empty(), getClass().getClassLoader());
            Database database = new Database("inventory", memory, migrations, tasks, new Pools(metrics));
            DatabaseException failure = catchThrowableOfType(DatabaseException.class, () -> database.probe(LONG));
            assertThat(failure).hasMessageContaining("cannot be used in WAL mode");
            assertThat(database.figures().max()).isEqualTo(-1);
        }
    }
}
