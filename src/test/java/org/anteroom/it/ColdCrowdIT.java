package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many clients ask at once for a file that is not cached, and the first of them leaves. */
class ColdCrowdIT {
    private static final String STORED = "anteroom; fwd=uri-miss; stored";
    private static final String COLLAPSED = "anteroom; fwd=uri-miss; collapsed";
    private static final String NAME = "crowd.bin";

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** What a client got, and when its first byte came (System.nanoTime). */
    private record Answer(String status, long firstByte) {}

    @ParameterizedTest
    @EnumSource
    void oneReadOfTheArchiveServesAllLongBeforeItEnds(Site.Server server) throws Exception {
        int clients = 100;
        try (Site site = Site.start(server, folder)) {
            byte[] bytes = site.put(NAME, 50 << 20);
            SteeredArchive.Hold half = site.archive().hold(NAME, bytes.length / 2);
            try (RawHttp first = RawHttp.connect(site.uri())) {
                first.request("GET", Site.target(NAME));
                assertThat(Site.cacheStatus(first.head())).isEqualTo(STORED);
                leaveAtThirtyPercent(first, bytes);
            }
            CountDownLatch begun = new CountDownLatch(clients);
            List<Future<Answer>> others = begin(site, bytes, clients, begun);
            boolean allBegun = begun.await(60, TimeUnit.SECONDS);
            half.release();

            assertThat(allBegun)
                    .as("all have their first bytes while the archive stands still at half of the file")
                    .isTrue();
            for (Future<Answer> other : others) {
                assertThat(other.get().status()).isEqualTo(COLLAPSED);
            }
            readOnce(site, bytes);
        }
    }

    /** The wait for the first byte is told, and not judged: the clients are on the same machine. */
    @Test
    @Tag("full")
    void twoHundredGetTheirFirstBytesSoonAfterTheArchivesFirst() throws Exception {
        int clients = 200;
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            byte[] bytes = site.put(NAME, 100_000_000);
            SteeredArchive.Hold start = site.archive().hold(NAME, 0);
            try (RawHttp first = RawHttp.connect(site.uri())) {
                first.request("GET", Site.target(NAME));
                start.awaitReached();
                List<Future<Answer>> others = begin(site, bytes, clients - 1, new CountDownLatch(clients - 1));
                Site.await("all wait", () -> site.figure("anteroom_transfers_active") == clients);
                long released = System.nanoTime();
                start.release();
                assertThat(Site.cacheStatus(first.head())).isEqualTo(STORED);
                leaveAtThirtyPercent(first, bytes);

                List<Long> waits = new ArrayList<>();
                for (Future<Answer> other : others) {
                    assertThat(other.get().status()).isEqualTo(COLLAPSED);
                    waits.add(TimeUnit.NANOSECONDS.toMillis(other.get().firstByte() - released));
                }
                waits.sort(null);
                System.out.printf(
                        "ColdCrowdIT: %d clients, first byte after the archive's: median %d ms, 95 %% within %d ms, last %d ms%n",
                        waits.size(),
                        waits.get(waits.size() / 2),
                        waits.get(waits.size() * 95 / 100),
                        waits.get(waits.size() - 1));
            }
            readOnce(site, bytes);
        }
    }

    private List<Future<Answer>> begin(Site site, byte[] bytes, int clients, CountDownLatch begun) {
        List<Future<Answer>> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            all.add(threads.submit(() -> download(site, bytes, begun)));
        }
        return all;
    }

    private static void readOnce(Site site, byte[] bytes) throws IOException {
        assertThat(site.archive().opens(NAME)).isEqualTo(1);
        assertThat(site.getHit(NAME).body()).isEqualTo(bytes);
        assertThat(site.archive().opens(NAME)).isEqualTo(1);
    }

    private static void leaveAtThirtyPercent(RawHttp client, byte[] bytes) throws IOException {
        int share = bytes.length / 10 * 3;
        assertThat(Arrays.equals(client.body(share), Arrays.copyOf(bytes, share)))
                .isTrue();
        client.reset();
    }

    /** Reads all and compares it. */
    private static Answer download(Site site, byte[] bytes, CountDownLatch begun) throws Exception {
        try (RawHttp http = RawHttp.connect(site.uri())) {
            http.request("GET", Site.target(NAME));
            RawHttp.Response head = http.head();
            assertThat(head.status()).isEqualTo(200);
            byte[] chunk = new byte[256 * 1024];
            long firstByte = 0;
            int position = 0;
            while (position < bytes.length) {
                int n = http.read(chunk);
                assertThat(n).as("bytes after %s", position).isPositive();
                if (position == 0) {
                    firstByte = System.nanoTime();
                    begun.countDown();
                }
                assertThat(Arrays.equals(chunk, 0, n, bytes, position, position + n))
                        .as("bytes from %s on", position)
                        .isTrue();
                position += n;
            }
            return new Answer(Site.cacheStatus(head), firstByte);
        }
    }
}
