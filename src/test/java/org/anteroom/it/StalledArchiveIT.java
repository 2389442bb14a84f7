package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A thousand clients before an archive that says nothing. */
@Timeout(120)
class StalledArchiveIT {
    private static final int CLIENTS = 1000;
    private static final int CONCURRENCY = 4;
    /** As many run or wait for their turn. */
    private static final int ADMITTED = CONCURRENCY * 5;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Test
    void crowdIsToldToComeBackAndNothingPilesUp() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder, "archive.concurrency", Integer.toString(CONCURRENCY))) {
            byte[] cached = site.put("cached.bin", 5000);
            site.get("cached.bin");
            site.getHit("cached.bin");
            site.archive().holdHeads();
            List<Future<RawHttp.Response>> first = new ArrayList<>();
            for (int i = 0; i < ADMITTED; i++) {
                String name = "f" + i;
                site.put(name, 100);
                first.add(threads.submit(() -> site.get(name)));
            }
            Site.await(
                    "as many wait as may",
                    () -> site.archive().headsHeld() == CONCURRENCY
                            && site.figure("anteroom_archive_waiting", "traffic=\"people\"") == ADMITTED - CONCURRENCY);

            List<Future<RawHttp.Response>> others = new ArrayList<>();
            ExecutorService few = Executors.newFixedThreadPool(50);
            for (int i = ADMITTED; i < CLIENTS; i++) {
                String name = "f" + i;
                others.add(few.submit(() -> site.get(name)));
            }
            for (Future<RawHttp.Response> other : others) {
                assertThat(other.get().status()).isEqualTo(503);
                assertThat(other.get().header("Retry-After")).isPresent();
            }
            few.shutdown();
            assertThat(site.archive().headsHeld()).isEqualTo(CONCURRENCY);
            assertThat(site.figure("anteroom_archive_waiting", "traffic=\"people\""))
                    .isEqualTo(ADMITTED - CONCURRENCY);
            assertThat(site.getHit("cached.bin").body()).isEqualTo(cached);
            assertThat(first).noneMatch(Future::isDone);

            site.archive().releaseHeads();
            for (Future<RawHttp.Response> each : first) {
                assertThat(each.get().status()).isEqualTo(200);
            }
            assertThat(site.get("f" + ADMITTED).status()).isEqualTo(404);
        } finally {
            threads.shutdownNow();
        }
    }
}
