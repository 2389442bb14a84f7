package org.anteroom.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.anteroom.admin.Health;
import org.anteroom.config.Configuration;
import org.anteroom.config.Surroundings;
import org.anteroom.it.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class CacheStartTest {
    private static final Duration WAIT = Duration.ofSeconds(20);

    @TempDir
    Path base;

    private Instance start() throws Exception {
        Surroundings surroundings = new Surroundings(
                name -> Optional.empty(),
                Map.of(
                        "catalina.base",
                        base.toString(),
                        "anteroom.instance.name",
                        "one",
                        "anteroom.shutdown.grace",
                        "1s"));
        return Instance.start(Configuration.load(surroundings), surroundings, Decorations.NONE);
    }

    private void sql(String... statements) throws Exception {
        SQLiteDataSource inventory = new SQLiteDataSource();
        inventory.setUrl("jdbc:sqlite:" + base.resolve("anteroom/inventory.db"));
        try (Connection connection = inventory.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 20000");
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Test
    void a_start_whose_recovery_fails_opens_the_cache_at_a_later_attempt() throws Exception {
        start().stop();
        sql(
                "INSERT INTO fills (objid, state, size, attempts, instance, boot, epoch, created)"
                        + " VALUES ('d/x', 'running', 1, 1, 'one', 'earlier', 1, 0)",
                "CREATE TRIGGER broken BEFORE UPDATE ON fills BEGIN SELECT RAISE(ABORT, 'on purpose'); END");
        Instance instance = start();
        try {
            assertThat(instance.cacheStart().isDone()).isFalse();
            instance.cacheStart().attempt(WAIT);
            assertThat(instance.cacheStart().isDone()).isFalse();
            sql("DROP TRIGGER broken");
            instance.cacheStart().attempt(WAIT);
            assertThat(instance.cacheStart().isDone()).isTrue();
            assertThat(instance.caching().isOpen()).isTrue();
        } finally {
            instance.stop();
        }
    }

    @Test
    void a_schema_that_is_not_ours_is_told_once_and_the_instance_starts_without_it() throws Exception {
        Files.createDirectories(base.resolve("anteroom"));
        sql("CREATE TABLE somebody_elses (id INTEGER)");
        try (LogLines log = LogLines.open()) {
            Instance instance = start();
            try {
                instance.cacheStart().attemptAgain(WAIT);
                instance.cacheStart().attemptAgain(WAIT);
                instance.health().probeInventory();
                assertThat(log.warnings())
                        .filteredOn(line -> line.contains("the database holds tables of something else"))
                        .hasSize(1);
                assertThat(instance.caching().isOpen()).isFalse();
                assertThat(instance.health().health().components())
                        .filteredOn(part -> part.kind() == Health.Kind.POOL)
                        .extracting(Health.Component::reason)
                        .containsExactly("the database cannot be used as it is; the log says why");
                sql("DROP TABLE somebody_elses");
                instance.cacheStart().attemptAgain(WAIT);
                assertThat(instance.cacheStart().isDone()).isTrue();
            } finally {
                instance.stop();
            }
        }
    }
}
