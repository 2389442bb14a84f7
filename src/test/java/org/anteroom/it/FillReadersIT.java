package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.model.Sha256;
import org.anteroom.testing.RawHttp;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers of a fill that are ahead of it, or behind, or want another file than the one that is filled. */
class FillReadersIT {
    private static final int SIZE = 24 << 20;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private @Nullable Site running;

    private Site start(String... settings) throws IOException {
        Site site = Site.start(Site.Server.TOMCAT, folder, settings);
        running = site;
        return site;
    }

    @AfterEach
    void stop() throws IOException {
        threads.shutdownNow();
        Objects.requireNonNull(running).close();
    }

    @Test
    void whatLiesFarAheadComesFromTheArchiveAndWhatLiesNearFromTheFill() throws Exception {
        Site site = start();
        byte[] bytes = site.put("f", SIZE);
        SteeredArchive.Hold start = site.archive().hold("f", 1 << 20);
        int far = 20 << 20;
        // the first one of all begins the fill, and does not wait for it
        RawHttp.Response first = site.get("f", "Range: bytes=" + far + "-" + (far + 999));
        assertThat(first.body()).isEqualTo(Arrays.copyOfRange(bytes, far, far + 1000));
        assertThat(Site.cacheStatus(first)).isEqualTo("anteroom; fwd=uri-miss; stored");
        start.awaitReached();
        assertThat(site.get("f", "Range: bytes=-7").body()).isEqualTo(Arrays.copyOfRange(bytes, SIZE - 7, SIZE));
        assertThat(site.archive().opens("f")).isEqualTo(3);

        Future<RawHttp.Response> near = threads.submit(() -> site.get("f", "Range: bytes=9000000-9000009"));
        Site.await("it waits", () -> site.figure("anteroom_transfers_active") == 1);
        start.release();
        assertThat(near.get().body()).isEqualTo(Arrays.copyOfRange(bytes, 9_000_000, 9_000_010));
        assertThat(site.getHit("f").body()).isEqualTo(bytes);
        assertThat(site.archive().opens("f")).isEqualTo(3);
    }

    @Test
    void aFillIsNotAsSlowAsItsReader() throws Exception {
        Site site = start();
        byte[] bytes = site.put("f", SIZE);
        try (RawHttp slow = RawHttp.connect(site.uri(), 65_536)) {
            slow.request("GET", Site.target("f"));
            assertThat(Site.cacheStatus(slow.head())).isEqualTo("anteroom; fwd=uri-miss; stored");
            assertThat(slow.body(1000)).isEqualTo(Arrays.copyOf(bytes, 1000));
            assertThat(site.getHit("f").body()).isEqualTo(bytes);
            assertThat(site.figure("anteroom_transfers_active")).isEqualTo(1);
            assertThat(Arrays.equals(slow.body(SIZE - 1000), Arrays.copyOfRange(bytes, 1000, SIZE)))
                    .isTrue();
        }
        assertThat(site.archive().opens("f")).isEqualTo(1);
    }

    @Test
    void aFillOutlivesABreakOfTheArchive() throws Exception {
        Site site = start();
        byte[] bytes = site.put("f", SIZE);
        site.archive().tellDigests(Map.of("f", Sha256.of(bytes)));
        site.archive().cut("f", SIZE / 5 * 2);
        RawHttp.Response answer = site.get("f");
        assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; fwd=uri-miss; stored");
        assertThat(answer.body()).isEqualTo(bytes);
        assertThat(site.getHit("f").body()).isEqualTo(bytes);
        assertThat(site.archive().opens("f")).isEqualTo(2);
        assertThat(site.rows("f", "cached")).isEqualTo(1);
        assertThat(site.copyFiles()).hasSize(1);
        assertThat(site.figure("anteroom_fallbacks_total"))
                .as("no reader noticed")
                .isZero();
    }

    @Test
    void aFileIsCachedWhenItHasBeenAskedForOftenEnough() throws Exception {
        Site site = start("fill.min-requests", "3");
        byte[] bytes = site.put("f", 100_000);
        for (int i = 0; i < 2; i++) {
            RawHttp.Response early = site.get("f");
            assertThat(early.body()).isEqualTo(bytes);
            assertThat(Site.cacheStatus(early)).isEqualTo("anteroom; fwd=bypass; detail=too-few-requests");
        }
        assertThat(Site.cacheStatus(site.get("f"))).isEqualTo("anteroom; fwd=uri-miss; stored");
        assertThat(site.getHit("f").body()).isEqualTo(bytes);
    }

    @Test
    void aChangedFileGetsANewCopyAndWhoReadsTheOldOneReadsItToItsEnd() throws Exception {
        Site site = start("archive.revalidate", "1s", "inventory.location-ttl", "200ms");
        byte[] old = site.put("f", SIZE);
        String oldTag = site.getHit("f").header("ETag").orElseThrow();
        try (RawHttp slow = RawHttp.connect(site.uri(), 65_536)) {
            slow.request("GET", Site.target("f"));
            assertThat(slow.head().header("ETag")).contains(oldTag);
            byte[] changed = change(site, old);
            Site.await("the new one is served from a copy", () -> {
                RawHttp.Response answer = site.get("f");
                boolean isOld = answer.header("ETag").orElseThrow().equals(oldTag);
                assertThat(Arrays.equals(answer.body(), isOld ? old : changed))
                        .as("bytes are those of their tag")
                        .isTrue();
                return !isOld && Site.cacheStatus(answer).equals("anteroom; hit");
            });
            assertThat(Arrays.equals(slow.body(SIZE), old)).isTrue();
        }
        assertThat(site.rows("f", "cached")).isEqualTo(1);
        assertThat(site.figure("anteroom_revalidations_total", "result=\"changed\""))
                .isEqualTo(1);
    }

    @Test
    void aFillOfAFileThatChangesMeanwhileIsNotStored() throws Exception {
        Site site = start();
        byte[] old = site.put("f", SIZE);
        SteeredArchive.Hold half = site.archive().hold("f", SIZE / 2);
        Future<Integer> first = threads.submit(() -> WrongBytesIT.received(site, "f", old));
        half.awaitReached();
        byte[] changed = change(site, old);
        assertThat(site.delete("f")).isTrue();
        RawHttp.Response answer = site.get("f");
        assertThat(answer.body()).as("not the one that is still being filled").isEqualTo(changed);
        half.release();
        assertThat(first.get()).as("broken off").isBetween(1, SIZE - 1);
        RawHttp.Response hit = site.getHit("f");
        assertThat(hit.body()).isEqualTo(changed);
        assertThat(hit.header("ETag")).isEqualTo(answer.header("ETag"));
        assertThat(site.rows("f", "cached")).isEqualTo(1);
        assertThat(site.figure("anteroom_wrong_files"))
                .as("its checksum was not wrong")
                .isZero();
    }

    /** The same number of other bytes. */
    private static byte[] change(Site site, byte[] old) throws IOException {
        byte[] changed = old.clone();
        for (int i = 0; i < changed.length; i++) {
            changed[i] ^= 0x55;
        }
        Path file = site.archiveFolder().resolve(Site.DATASET).resolve("f");
        Path next = site.archiveFolder().resolve("next");
        Files.write(next, changed);
        Files.move(next, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        return changed;
    }
}
