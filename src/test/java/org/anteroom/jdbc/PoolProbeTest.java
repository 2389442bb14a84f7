package org.anteroom.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.apache.tomcat.jdbc.pool.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolProbeTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @Test
    void theContainersPoolIsServedAndItsFiguresAreRead() throws Exception {
        DataSource pool = new DataSource();
        pool.setDriverClassName("org.sqlite.JDBC");
        pool.setUrl("jdbc:sqlite:" + folder.resolve("anteroom.db"));
        pool.setMaxActive(3);
        Metrics metrics = new Metrics();
        try (Tasks tasks = new Tasks(metrics)) {
            Migrations migrations = new Migrations(Optional.empty(), getClass().getClassLoader());
            Database database = new Database("inventory", pool, migrations, tasks, new Pools(metrics));
            database.probe(LONG);
            int inserted = database.write(
                    "insert", LONG, handle -> handle.execute("INSERT INTO leases VALUES ('r', 'i', 'b', 1, 0)"));
            assertThat(inserted).isEqualTo(1);
            PoolFigures during = database.read("figures", LONG, handle -> database.figures());
            assertThat(during.max()).isEqualTo(3);
            assertThat(during.active()).isEqualTo(1);
            assertThat(during.waiting()).isZero();
            assertThat(during.acquisitions()).isEqualTo(2);
            assertThat(database.figures().active()).isZero();
            assertThat(database.figures().idle()).isPositive();
        } finally {
            pool.close(true);
        }
    }

    @Test
    void hikariTellsItsFigures() throws Exception {
        try (TestDatabase test = TestDatabase.open(folder)) {
            PoolFigures during = test.database()
                    .read("figures", LONG, handle -> test.database().figures());
            assertThat(during.max()).isEqualTo(4);
            assertThat(during.active()).isEqualTo(1);
            assertThat(during.waiting()).isZero();
        }
    }
}
