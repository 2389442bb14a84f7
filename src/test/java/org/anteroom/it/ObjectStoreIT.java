package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Arrays;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.S3Forwarder;
import org.anteroom.testing.TestS3;
import org.jclouds.blobstore.options.ListContainerOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A volume and an archive in an object store, from the outside: what clients get. */
@Timeout(180)
class ObjectStoreIT {
    private static final int MIB = 1 << 20;
    private static final String BYPASS = "anteroom; fwd=bypass; detail=";

    @TempDir
    Path folder;

    private TestS3 server;
    private S3Forwarder way;

    @BeforeEach
    void startStore() throws Exception {
        server = TestS3.start();
        way = S3Forwarder.before(server.port());
        // where the SDK looks first
        System.setProperty("aws.accessKeyId", TestS3.CREDENTIALS.accessKey());
        System.setProperty("aws.secretAccessKey", TestS3.CREDENTIALS.secretKey());
    }

    @AfterEach
    void stopStore() throws Exception {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
        way.close();
        server.close();
    }

    private Site siteWithVolume() throws IOException {
        return Site.start(
                Site.Server.TOMCAT,
                folder,
                "volume.cache.kind",
                "s3",
                "volume.cache.location",
                "s3://" + TestS3.BUCKET + "/cache",
                "volume.cache.s3.endpoint",
                "http://127.0.0.1:" + way.port(),
                "volume.cache.s3.connections",
                "4");
    }

    private long copies() {
        return server.store()
                .list(
                        TestS3.BUCKET,
                        ListContainerOptions.Builder.prefix("cache/copies/").recursive())
                .size();
    }

    @Test
    void filesAreCopiedIntoTheStoreAndServedFromIt() throws Exception {
        byte[] big;
        byte[] empty;
        try (Site site = siteWithVolume()) {
            big = site.put("big", 20 * MIB);
            empty = site.put("empty", 0);
            RawHttp.Response miss = site.get("big");
            assertThat(Site.cacheStatus(miss)).isEqualTo("anteroom; fwd=uri-miss; stored");
            assertThat(miss.body()).isEqualTo(big);
            RawHttp.Response hit = site.getHit("big");
            assertThat(hit.body()).isEqualTo(big);
            assertThat(hit.header("ETag")).isEqualTo(miss.header("ETag"));
            RawHttp.Response part = site.get("big", "Range: bytes=15000000-15000999");
            assertThat(Site.cacheStatus(part)).isEqualTo("anteroom; hit");
            assertThat(part.body()).isEqualTo(Arrays.copyOfRange(big, 15_000_000, 15_001_000));
            site.get("empty");
            assertThat(site.getHit("empty").body()).isEqualTo(empty);
            assertThat(copies()).isEqualTo(2);
            Site.await("the spool to be empty", () -> site.figure("anteroom_spool_bytes") == 0);
            assertThat(site.figure("anteroom_s3_connections_in_use")).isZero();
            assertThat(site.figure("anteroom_s3_connections_limit")).isEqualTo(4);
        }
        try (Site next = siteWithVolume()) {
            RawHttp.Response hit = next.get("big");
            assertThat(Site.cacheStatus(hit)).isEqualTo("anteroom; hit");
            assertThat(hit.body()).isEqualTo(big);
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("anteroom-s3"));
    }

    @Test
    void copyThatIsGoneFromTheStoreIsMadeAgain() throws Exception {
        try (Site site = siteWithVolume()) {
            byte[] bytes = site.put("f", 100_000);
            site.getHit("f");
            server.store()
                    .list(
                            TestS3.BUCKET,
                            ListContainerOptions.Builder.prefix("cache/copies/").recursive())
                    .forEach(copy -> server.store().removeBlob(TestS3.BUCKET, copy.getName()));
            assertThat(site.get("f").body()).isEqualTo(bytes);
            assertThat(site.getHit("f").body()).isEqualTo(bytes);
            assertThat(copies()).isEqualTo(1);
        }
    }

    /** Found by a reader of bytes that the copy does not have, who asks the store for a range past its end. */
    @Test
    void copyThatIsTooShortInTheStoreIsReplacedAndTheVolumeIsWell() throws Exception {
        try (Site site = siteWithVolume()) {
            byte[] bytes = site.put("f", 1_000_000);
            site.getHit("f");
            server.store()
                    .list(
                            TestS3.BUCKET,
                            ListContainerOptions.Builder.prefix("cache/copies/").recursive())
                    .forEach(copy -> server.store()
                            .putBlob(
                                    TestS3.BUCKET,
                                    server.store()
                                            .blobBuilder(copy.getName())
                                            .payload("short")
                                            .build()));
            RawHttp.Response part = site.get("f", "Range: bytes=900000-900999");
            assertThat(part.status()).isEqualTo(206);
            assertThat(part.body()).isEqualTo(Arrays.copyOfRange(bytes, 900_000, 901_000));
            Site.await("a copy in its place", () -> {
                RawHttp.Response again = site.get("f");
                return Arrays.equals(again.body(), bytes)
                        && Site.cacheStatus(again).equals("anteroom; hit");
            });
            assertThat(site.figure("anteroom_volume_degraded", "volume=\"cache\""))
                    .isZero();
            assertThat(site.rows("f", "suspect") + site.rows("f", "condemned")).isEqualTo(1);
        }
    }

    @Test
    void fileThatTheSpoolCannotHoldIsPassedThrough() throws Exception {
        try (Site site = Site.start(
                Site.Server.TOMCAT,
                folder,
                "volume.cache.kind",
                "s3",
                "volume.cache.location",
                "s3://" + TestS3.BUCKET + "/cache",
                "volume.cache.s3.endpoint",
                "http://127.0.0.1:" + way.port(),
                "fill.spool.max",
                "1MiB")) {
            byte[] bytes = site.put("f", 2 * MIB);
            RawHttp.Response answer = site.get("f");
            assertThat(answer.body()).isEqualTo(bytes);
            assertThat(Site.cacheStatus(answer)).startsWith(BYPASS);
            assertThat(copies()).isZero();
        }
    }

    @Test
    void clientThatReadsALittleOfABigCopyHoldsNothing() throws Exception {
        long size = 5L << 30;
        String copy = "0123456789abcdef".repeat(2);
        try (Site site = siteWithVolume()) {
            try (Connection inventory = site.inventory();
                    Statement statement = inventory.createStatement()) {
                statement.executeUpdate("INSERT INTO copies"
                        + " (volume_id, objid, name, size, state, since, filled_at, verified_at)"
                        + " SELECT id, '" + Site.DATASET + "/big', '" + copy + "', " + size + ", 'cached', 1, 1, 1"
                        + " FROM volumes");
            }
            way.rule(request ->
                    request.target().contains(copy) ? S3Forwarder.Content.ofZeros(size) : new S3Forwarder.Pass());
            try (RawHttp http = RawHttp.connect(site.uri())) {
                http.request("GET", Site.target("big"));
                RawHttp.Response head = http.head();
                assertThat(Site.cacheStatus(head)).isEqualTo("anteroom; hit");
                assertThat(head.header("Content-Length")).contains(Long.toString(size));
                assertThat(http.body(1024)).containsOnly(0).hasSize(1024);
                awaitNoConnection(site);
            }
            awaitNoConnection(site);
            Site.await("its window to be free", () -> site.figure("anteroom_s3_windows_in_use") == 0);
            Site.await("its transfer to be over", () -> site.figure("anteroom_transfers_active") == 0);
            assertThat(site.figure("anteroom_volume_permits_in_use")).isZero();
            assertThat(site.figure("anteroom_transfers_total", "kind=\"file\"", "end=\"aborted\""))
                    .isEqualTo(1);
            // some MiB fill what is between the store and the client
            assertThat(way.requests())
                    .filteredOn(request -> request.target().contains(copy))
                    .hasSizeLessThan(20);
        }
    }

    private static void awaitNoConnection(Site site) {
        Site.await("no connection to the store", () -> site.figure("anteroom_s3_connections_in_use") == 0);
    }

    @Test
    void archiveInAStoreIsReadAndListed() throws Exception {
        server.store()
                .putBlob(
                        TestS3.BUCKET,
                        server.store()
                                .blobBuilder("deep/d/data/f.txt")
                                .payload("hello")
                                .build());
        try (Site site = Site.start(
                Site.Server.TOMCAT,
                folder,
                "archive.kind",
                "s3",
                "archive.location",
                "s3://" + TestS3.BUCKET + "/deep",
                "archive.s3.endpoint",
                "http://127.0.0.1:" + way.port())) {
            RawHttp.Response answer = RawHttp.get(site.uri(), "/files/d/data/f.txt");
            assertThat(answer.text()).isEqualTo("hello");
            assertThat(answer.header("ETag")).contains("\"5d41402abc4b2a76b9719d911017c592\"");
            assertThat(RawHttp.get(site.uri(), "/files/d/data/").text()).contains("f.txt");
            assertThat(RawHttp.get(site.uri(), "/files/d/none").status()).isEqualTo(404);
        }
    }
}
