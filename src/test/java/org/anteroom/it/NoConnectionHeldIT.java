package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * More misses than the pool has connections wait for the archive at the same time, before its first byte and in the midst of
 * the file: none of them holds a connection meanwhile, as the pool and the server say.
 */
class NoConnectionHeldIT {
    private static final int MISSES = 64;
    private static final int SIZE = 200_000;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Test
    void missesThatWaitForTheArchiveHoldNoConnection() throws Exception {
        TestPostgres server = TestPostgres.shared();
        try (Site site = Site.startOnPostgres(
                folder,
                server,
                server.createDatabase(),
                "one",
                "archive.concurrency",
                Integer.toString(MISSES),
                "archive.first-byte-timeout",
                "10m")) {
            assertThat(site.figure("anteroom_sql_pool_connections_max")).isLessThan(MISSES);
            List<byte[]> files = new ArrayList<>();
            for (int i = 0; i < MISSES; i++) {
                files.add(site.put("cold" + i, SIZE));
            }
            site.archive().holdHeads();
            List<Future<RawHttp.Response>> clients = new ArrayList<>();
            for (int i = 0; i < MISSES; i++) {
                String path = "cold" + i;
                clients.add(threads.submit(() -> site.get(path)));
            }
            Site.await(
                    "all wait for what the archive says", () -> site.archive().headsHeld() == MISSES);
            awaitNoneInUse(site);

            List<SteeredArchive.Hold> firstBytes = holdAll(site, 0);
            site.archive().releaseHeads();
            for (SteeredArchive.Hold hold : firstBytes) {
                hold.awaitReached();
            }
            awaitNoneInUse(site);
            // all fills are begun in the inventory, which needed connections
            assertThat(site.row("SELECT COUNT(*) FROM fills WHERE state = 'running'")[0])
                    .isEqualTo(MISSES);

            firstBytes.forEach(SteeredArchive.Hold::release);
            for (int i = 0; i < MISSES; i++) {
                assertThat(clients.get(i).get().body()).isEqualTo(files.get(i));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<SteeredArchive.Hold> holdAll(Site site, long position) {
        List<SteeredArchive.Hold> holds = new ArrayList<>();
        for (int i = 0; i < MISSES; i++) {
            holds.add(site.archive().hold("cold" + i, position));
        }
        return holds;
    }

    /**
     * What runs in the background uses a connection now and then, so that the figures are looked at until they are zero:
     * they would not be while those who wait held one each.
     */
    private static void awaitNoneInUse(Site site) {
        Site.await(
                "no connection of the pool is in use", () -> site.figure("anteroom_sql_pool_connections_active") == 0);
        Site.await(
                "no session of the server is at work or in a transaction",
                () -> site.row("SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'anteroom'"
                                + " AND datname = current_database() AND state <> 'idle'")[0]
                        == 0);
    }
}
