package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.SmallDisk;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a volume's faults are to clients, to the API and to the metrics, and that they heal: the rows of the table in
 * docs/faults.md that {@link LossIT} does not show.
 */
class VolumeFaultsIT {
    private static final int SIZE = 12 << 20;
    private static final long DISK = 32 << 20;
    private static final String BYPASS = "anteroom; fwd=bypass; detail=";

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private SmallDisk disk() throws Exception {
        return SmallDisk.mount(folder.resolve("base/anteroom/cache"), DISK);
    }

    private Site site(String... settings) throws IOException {
        return Site.start(Site.Server.TOMCAT, folder, settings);
    }

    @Test
    void aDiskThatIsFullInMidFillCostsTheCopyAndNotTheAnswer() throws Exception {
        try (SmallDisk disk = disk();
                Site site = site("volume.cache.min-free", "0")) {
            byte[] bytes = site.put("f", SIZE);
            byte[] cached = site.put("cached", 100_000);
            site.getHit("cached");
            SteeredArchive.Hold half = site.archive().hold("f", SIZE / 2);
            Future<RawHttp.Response> answer = threads.submit(() -> site.get("f"));
            half.awaitReached();
            disk.fill();
            half.release();

            assertThat(Site.cacheStatus(answer.get())).isEqualTo("anteroom; fwd=uri-miss; stored");
            assertThat(answer.get().body()).isEqualTo(bytes);
            degraded(site, "No space left on device");
            Site.await(
                    "the fill is counted", () -> site.figure("anteroom_fills_total", "result=\"volume-failed\"") == 1);
            nothingIsLeftOfTheFill(site);
            RawHttp.Response next = site.get("f");
            assertThat(next.body()).isEqualTo(bytes);
            assertThat(Site.cacheStatus(next)).isEqualTo(BYPASS + "no-volume");
            RawHttp.Response hit = site.get("cached");
            assertThat(Site.cacheStatus(hit)).isEqualTo("anteroom; hit");
            assertThat(hit.body()).isEqualTo(cached);

            disk.free();
            assertThat(site.getHit("f").body()).isEqualTo(bytes);
            well(site);
        }
    }

    /** The checksum is known, and the rest of the file comes from the archive at an offset: the whole is verified. */
    @Test
    void whoLosesTheFillOfAWrongFileDoesNotGetItWhole() throws Exception {
        try (SmallDisk disk = disk();
                Site site = site("volume.cache.min-free", "0")) {
            byte[] bytes = site.put("f", SIZE);
            site.archive().tellDigests(java.util.Map.of("f", org.anteroom.model.Sha256.of(new byte[] {1})));
            SteeredArchive.Hold half = site.archive().hold("f", SIZE / 2);
            Future<Integer> received = threads.submit(() -> WrongBytesIT.received(site, "f", bytes));
            half.awaitReached();
            disk.fill();
            half.release();
            assertThat(received.get()).isBetween(SIZE / 2, SIZE - 1);
            assertThat(site.archive().opens("f")).isEqualTo(2);
            assertThat(site.get("f").status()).isEqualTo(502);
        }
    }

    @Test
    void aDiskThatIsReadOnlyIsReadAndNotWritten() throws Exception {
        try (SmallDisk disk = disk();
                Site site = site("volume.cache.min-free", "0")) {
            byte[] cached = site.put("cached", 100_000);
            site.getHit("cached");
            byte[] bytes = site.put("f", 100_000);
            disk.readOnly(true);

            assertThat(site.get("f").body()).isEqualTo(bytes);
            degraded(site, "Read-only file system");
            RawHttp.Response next = site.get("f");
            assertThat(next.body()).isEqualTo(bytes);
            assertThat(Site.cacheStatus(next)).isEqualTo(BYPASS + "no-volume");
            RawHttp.Response hit = site.get("cached");
            assertThat(Site.cacheStatus(hit)).isEqualTo("anteroom; hit");
            assertThat(hit.body()).isEqualTo(cached);

            disk.readOnly(false);
            assertThat(site.getHit("f").body()).isEqualTo(bytes);
            well(site);
        }
    }

    @Test
    void aDiskThatHangsInMidFillSendsItsReadersToTheArchive() throws Exception {
        try (Site site = site()) {
            byte[] bytes = site.put("f", SIZE);
            SteeredArchive.Hold half = site.archive().hold("f", SIZE / 2);
            Future<RawHttp.Response> answer = threads.submit(() -> site.get("f"));
            half.awaitReached();
            SteeredVolume.Hang hang = site.volume().hangWrites();
            half.release();

            assertThat(answer.get().body()).isEqualTo(bytes);
            assertThat(site.archive().opens("f")).isEqualTo(2);
            degraded(site, "a write has been pending for over 2 s");
            RawHttp.Response next = site.get("f");
            assertThat(next.body()).isEqualTo(bytes);
            assertThat(Site.cacheStatus(next)).startsWith(BYPASS);

            hang.release();
            // the fill has only been slow
            assertThat(site.getHit("f").body()).isEqualTo(bytes);
            well(site);
        }
    }

    @Test
    void aDiskWhoseReadsHangIsPassedByUntilTheyEnd() throws Exception {
        try (Site site = site()) {
            byte[] bytes = site.put("f", 300_000);
            site.getHit("f");
            SteeredVolume.Hang hang = site.volume().hangReads();
            Future<RawHttp.Response> caught = threads.submit(() -> site.get("f"));
            hang.awaitEntered();
            degraded(site, "an operation has been pending for over 2 s");
            RawHttp.Response next = site.get("f");
            assertThat(next.body()).isEqualTo(bytes);
            assertThat(Site.cacheStatus(next)).startsWith(BYPASS);
            assertThat(RawHttp.get(site.uri(), "/health/ready").status()).isEqualTo(200);

            hang.release();
            assertThat(caught.get().body()).isEqualTo(bytes);
            assertThat(site.getHit("f").body()).isEqualTo(bytes);
            well(site);
            assertThat(site.rows("f", "cached")).isEqualTo(1);
        }
    }

    private static JsonNode volume(Site site) throws IOException {
        return new ObjectMapper().readTree(site.api("GET", "volumes/cache", "").text());
    }

    /** What the API and the metrics say of it. */
    private static void degraded(Site site, String reason) {
        Site.await("it is degraded: " + reason, () -> {
            JsonNode volume = volume(site);
            return volume.path("health").asText().equals("degraded")
                    && volume.path("reason").asText().contains(reason)
                    && site.figure("anteroom_volume_degraded") == 1;
        });
    }

    private static void well(Site site) {
        Site.await(
                "it is well",
                () -> volume(site).path("health").asText().equals("ok")
                        && site.figure("anteroom_volume_degraded") == 0);
        Site.await(
                "nothing is reserved and all agrees",
                () -> site.row("SELECT reserved, used - (SELECT SUM(size) FROM copies) FROM volumes")[0] == 0
                        && site.row("SELECT used - (SELECT SUM(size) FROM copies) FROM volumes")[0] == 0);
    }

    private static void nothingIsLeftOfTheFill(Site site) throws IOException {
        Site.await("its bytes are given back", () -> site.row("SELECT reserved FROM volumes")[0] == 0);
        try (var temporaries = Files.list(site.volumeFolder().resolve("tmp"))) {
            // the probe's are of fill 0
            assertThat(temporaries.map(path -> path.getFileName().toString()))
                    .allSatisfy(name -> assertThat(name).startsWith("0."));
        }
        assertThat(site.copyFiles()).hasSize(1);
    }
}
