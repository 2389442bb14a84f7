package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A hundred clients ask at once for a file that is not cached. */
class ColdCrowdIT {
    private static final int CLIENTS = 100;
    private static final int SIZE = 50 << 20;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @ParameterizedTest
    @EnumSource
    void oneReadOfTheArchiveServesAllLongBeforeItEnds(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            byte[] bytes = site.put("crowd.bin", SIZE);
            SteeredArchive.Hold half = site.archive().hold("crowd.bin", SIZE / 2);
            CountDownLatch begun = new CountDownLatch(CLIENTS);
            List<Future<String>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(() -> download(site, bytes, begun)));
            }

            boolean allBegun = begun.await(60, TimeUnit.SECONDS);
            half.release();

            assertThat(allBegun)
                    .as("all have their first bytes while the archive stands still at half of the file")
                    .isTrue();
            List<String> statuses = new ArrayList<>();
            for (Future<String> client : clients) {
                statuses.add(client.get());
            }
            assertThat(statuses).containsOnlyOnce("anteroom; fwd=uri-miss; stored");
            assertThat(statuses)
                    .filteredOn("anteroom; fwd=uri-miss; collapsed"::equals)
                    .hasSize(CLIENTS - 1);
            assertThat(site.archive().opens("crowd.bin")).isEqualTo(1);
            assertThat(site.getHit("crowd.bin").body()).isEqualTo(bytes);
            assertThat(site.archive().opens("crowd.bin")).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Reads all and compares it; what the answer says of the cache. */
    private static String download(Site site, byte[] bytes, CountDownLatch begun) throws Exception {
        try (RawHttp http = RawHttp.connect(site.uri())) {
            http.request("GET", Site.target("crowd.bin"));
            RawHttp.Response head = http.head();
            assertThat(head.status()).isEqualTo(200);
            byte[] chunk = new byte[256 * 1024];
            int position = 0;
            while (position < bytes.length) {
                int n = http.read(chunk);
                assertThat(n).as("bytes after %s", position).isPositive();
                assertThat(Arrays.equals(chunk, 0, n, bytes, position, position + n))
                        .as("bytes from %s on", position)
                        .isTrue();
                if (position == 0) {
                    begun.countDown();
                }
                position += n;
            }
            return Site.cacheStatus(head);
        }
    }
}
