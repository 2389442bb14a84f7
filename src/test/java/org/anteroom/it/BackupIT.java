package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A backup of a SQLite inventory that is taken while it is written to, as docs/deploy.md tells, and put back. */
class BackupIT {
    private static final int FILES = 12;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger answers = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(strings = {"VACUUM INTO '%s'", "backup to '%s'"})
    void whatWasCachedThenIsServedAndTheRestIsFoundOut(String command) throws Exception {
        Path backup = folder.resolve("backup.db");
        List<byte[]> files = new ArrayList<>();
        List<byte[]> later = new ArrayList<>();
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            for (int i = 0; i < FILES; i++) {
                files.add(site.put("before" + i, 10_000 + i));
                site.getHit("before" + i);
            }
            Future<?> load = threads.submit(() -> fillOnAndOn(site));
            Site.await("copies are made", () -> answers.get() > 5);
            // a connection of its own, as another process has it
            try (Connection connection = site.inventory();
                    Statement statement = connection.createStatement()) {
                statement.execute(command.formatted(backup));
            }
            int then = answers.get();
            Site.await("copies are made after it", () -> answers.get() > then + 5);
            stop.set(true);
            load.get();

            // what the backup does not know, and what it knows and is gone
            for (int i = 0; i < FILES; i++) {
                later.add(site.put("after" + i, 10_000 + i));
                site.getHit("after" + i);
            }
            for (Path copy : site.copyFiles()) {
                if (Files.size(copy) == 10_000) {
                    Files.delete(copy);
                }
            }
        }
        putBack(backup);
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            for (int i = 1; i < FILES; i++) {
                RawHttp.Response answer = site.get("before" + i);
                assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; hit");
                assertThat(answer.body()).isEqualTo(files.get(i));
            }
            assertThat(site.get("before0").body()).isEqualTo(files.get(0));
            assertThat(site.getHit("before0").body()).isEqualTo(files.get(0));
            for (int i = 0; i < FILES; i++) {
                RawHttp.Response answer = site.get("after" + i);
                assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; fwd=uri-miss; stored");
                assertThat(answer.body()).isEqualTo(later.get(i));
                assertThat(site.getHit("after" + i).body()).isEqualTo(later.get(i));
            }
            long[] sums = site.row("SELECT SUM(size), COUNT(*) FROM copies");
            assertThat(site.row("SELECT used, copies, reserved FROM volumes")).containsExactly(sums[0], sums[1], 0);
        } finally {
            threads.shutdownNow();
        }
    }

    private Void fillOnAndOn(Site site) throws Exception {
        for (int i = 0; !stop.get(); i++) {
            byte[] bytes = site.put("during" + i, 1000 + i);
            assertThat(site.get("during" + i).body()).isEqualTo(bytes);
            answers.incrementAndGet();
        }
        return null;
    }

    /** As it is told to operators: the database's files go, the backup comes in its place. */
    private void putBack(Path backup) throws Exception {
        Path database = folder.resolve("base/anteroom/inventory.db");
        for (String suffix : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(Path.of(database + suffix));
        }
        Files.move(backup, database);
    }
}
