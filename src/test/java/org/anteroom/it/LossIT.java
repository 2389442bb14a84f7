package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies, volumes, the inventory and the archive go away while files are asked for: clients get their files. */
class LossIT {
    private static final int BIG = 24 << 20;
    private static final String BYPASS = "anteroom; fwd=bypass; detail=";

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Site site;

    @BeforeEach
    void start() throws IOException {
        site = Site.start(Site.Server.TOMCAT, folder);
    }

    @AfterEach
    void stop() throws IOException {
        threads.shutdownNow();
        site.close();
    }

    @Test
    void aCopyThatIsDeletedFromTheDiskIsServedFromTheArchiveAndCachedAgain() throws Exception {
        byte[] bytes = site.put("f", 100_000);
        site.getHit("f");
        Path lost = site.copyFiles().get(0);
        Files.delete(lost);
        try (LogLines lines = LogLines.open()) {
            RawHttp.Response answer = site.get("f");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(bytes);
            assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; fwd=uri-miss; stored");
            assertThat(site.getHit("f").body()).isEqualTo(bytes);
            assertThat(lines.warnings()).singleElement().asString().contains("d/f", "is gone");
        }
        assertThat(site.rows("f", "cached")).isEqualTo(1);
        assertThat(site.copyFiles()).hasSize(1).doesNotContain(lost);
        usedIsWhatIsThere();
    }

    @Test
    void aCopyThatIsTruncatedInMidBodyIsGoneOnFromInTheArchive() throws Exception {
        byte[] bytes = site.put("f", BIG);
        site.getHit("f");
        try (LogLines lines = LogLines.open();
                RawHttp client = pausedClient("f", bytes)) {
            try (FileChannel copy = FileChannel.open(site.copyFiles().get(0), StandardOpenOption.WRITE)) {
                copy.truncate(BIG / 2);
            }
            readOn(client, bytes);
            assertThat(lines.warnings()).singleElement().asString().contains("d/f", "goes on from the archive");
        }
        Site.await("it is suspect", () -> site.rows("f", "suspect") == 1);
        assertThat(site.getHit("f").body()).isEqualTo(bytes);
        assertThat(site.figure("anteroom_fallbacks_total")).isEqualTo(1);
    }

    @Test
    void aCopyThatIsShortBeforeItIsOpenedIsReplaced() throws Exception {
        byte[] bytes = site.put("f", 100_000);
        site.getHit("f");
        try (FileChannel copy = FileChannel.open(site.copyFiles().get(0), StandardOpenOption.WRITE)) {
            copy.truncate(99_999);
        }
        try (LogLines lines = LogLines.open()) {
            assertThat(site.get("f").body()).isEqualTo(bytes);
            // condemned as soon as its successor is there, which may be before anybody looks
            Site.await("no reader is sent to it", () -> site.rows("f", "suspect") + site.rows("f", "condemned") == 1);
            assertThat(site.getHit("f").body()).isEqualTo(bytes);
            assertThat(lines.warnings()).singleElement().asString().contains("d/f", "99999 bytes");
        }
    }

    @Test
    void aDiskThatBreaksInMidBodyIsGoneOnFromInTheArchiveAndHeals() throws Exception {
        byte[] bytes = site.put("f", BIG);
        site.getHit("f");
        try (LogLines lines = LogLines.open();
                RawHttp client = pausedClient("f", bytes)) {
            site.volume().unreadable(true);
            readOn(client, bytes);
            assertThat(lines.warnings())
                    .filteredOn(line -> line.contains("d/f"))
                    .singleElement()
                    .asString()
                    .contains("goes on from the archive");
        }
        site.volume().unreadable(false);
        assertThat(site.getHit("f").body()).isEqualTo(bytes);
        assertThat(site.rows("f", "cached")).isEqualTo(1);
    }

    @Test
    void aLockedInventoryHoldsUpNobody() throws Exception {
        byte[] cached = site.put("cached", 200_000);
        site.getHit("cached");
        List<byte[]> missed = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            missed.add(site.put("missed" + i, 300_000 + i));
        }
        try (Connection other = site.inventory();
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN EXCLUSIVE");
            List<Future<RawHttp.Response>> answers = new ArrayList<>();
            for (int i = 0; i < missed.size(); i++) {
                String path = "missed" + i;
                answers.add(threads.submit(() -> site.get(path)));
            }
            for (int i = 0; i < 100; i++) {
                RawHttp.Response hit = site.get("cached");
                assertThat(Site.cacheStatus(hit)).isEqualTo("anteroom; hit");
                assertThat(hit.body()).isEqualTo(cached);
            }
            for (int i = 0; i < missed.size(); i++) {
                RawHttp.Response answer = answers.get(i).get();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo(missed.get(i));
                assertThat(Site.cacheStatus(answer)).isEqualTo(BYPASS + "inventory-unavailable");
            }
            statement.execute("ROLLBACK");
        }
        assertThat(site.getHit("missed0").body()).isEqualTo(missed.get(0));
    }

    @Test
    void aVolumeThatCannotBeWrittenIsPassedByButStillRead() throws Exception {
        byte[] cached = site.put("cached", 100_000);
        site.getHit("cached");
        byte[] bytes = site.put("f", 100_000);
        Path temporaries = site.volumeFolder().resolve("tmp");
        Path away = site.volumeFolder().resolve("tmp.away");
        Files.move(temporaries, away);
        Files.writeString(temporaries, "not a folder");

        assertThat(site.get("f").body()).isEqualTo(bytes);
        Site.await("it is degraded", () -> site.figure("anteroom_volume_degraded") == 1);
        RawHttp.Response answer = site.get("f");
        assertThat(answer.body()).isEqualTo(bytes);
        assertThat(Site.cacheStatus(answer)).isEqualTo(BYPASS + "no-volume");
        assertThat(Site.cacheStatus(site.get("cached"))).isEqualTo("anteroom; hit");
        assertThat(site.get("cached").body()).isEqualTo(cached);

        Files.delete(temporaries);
        Files.move(away, temporaries);
        assertThat(site.getHit("f").body()).isEqualTo(bytes);
        Site.await("it is well", () -> site.figure("anteroom_volume_degraded") == 0);
        usedIsWhatIsThere();
    }

    @Test
    void aVolumeWithoutItsMarkerIsLeftAlone() throws Exception {
        byte[] bytes = site.put("f", 100_000);
        site.getHit("f");
        List<Path> copies = site.copyFiles();
        Path marker = site.volumeFolder().resolve(".anteroom-volume");
        Path away = folder.resolve("marker");
        Files.move(marker, away);
        Site.await("it is degraded", () -> site.figure("anteroom_volume_degraded") == 1);

        servedFromTheArchive("f", bytes);
        assertThat(site.copyFiles()).isEqualTo(copies);

        Files.move(away, marker);
        assertThat(site.getHit("f").body()).isEqualTo(bytes);
        assertThat(site.copyFiles()).isEqualTo(copies);
    }

    @Test
    void aVolumeWhoseDiskIsNotMountedIsNotEmpty() throws Exception {
        byte[] bytes = site.put("f", 100_000);
        site.getHit("f");
        Path away = folder.resolve("unmounted");
        Files.move(site.volumeFolder(), away);
        Files.createDirectory(site.volumeFolder());

        servedFromTheArchive("f", bytes);
        try (var entries = Files.list(site.volumeFolder())) {
            assertThat(entries).isEmpty();
        }

        Files.delete(site.volumeFolder());
        Files.move(away, site.volumeFolder());
        assertThat(site.getHit("f").body()).isEqualTo(bytes);
        assertThat(site.row("SELECT COUNT(*) FROM copies")).containsExactly(1);
    }

    @Test
    void withoutTheArchiveCachedFilesAreServed() throws Exception {
        byte[] cached = site.put("cached", 100_000);
        site.getHit("cached");
        byte[] bytes = site.put("f", 100_000);
        Path away = folder.resolve("archive.away");
        Files.move(site.archiveFolder(), away);

        assertThat(site.get("f").status()).isEqualTo(502);
        assertThat(site.get("no-such-file").status()).isEqualTo(502);
        RawHttp.Response hit = site.get("cached");
        assertThat(Site.cacheStatus(hit)).isEqualTo("anteroom; hit");
        assertThat(hit.body()).isEqualTo(cached);
        assertThat(RawHttp.get(site.uri(), "/health/ready").status()).isEqualTo(200);

        Files.move(away, site.archiveFolder());
        assertThat(site.getHit("f").body()).isEqualTo(bytes);
        assertThat(site.get("no-such-file").status()).isEqualTo(404);
    }

    private void servedFromTheArchive(String path, byte[] bytes) throws Exception {
        for (int i = 0; i < 3; i++) {
            RawHttp.Response answer = site.get(path);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(bytes);
            assertThat(Site.cacheStatus(answer)).startsWith(BYPASS);
        }
        assertThat(site.rows(path, "cached")).isEqualTo(1);
    }

    /** A client of a hit that has read a little and takes no more, so that most of the copy is not read yet. */
    private RawHttp pausedClient(String path, byte[] bytes) throws IOException {
        RawHttp client = RawHttp.connect(site.uri(), 4096);
        client.request("GET", Site.target(path));
        RawHttp.Response head = client.head();
        assertThat(Site.cacheStatus(head)).isEqualTo("anteroom; hit");
        assertThat(client.body(1000)).isEqualTo(Arrays.copyOf(bytes, 1000));
        return client;
    }

    private static void readOn(RawHttp client, byte[] bytes) throws IOException {
        assertThat(Arrays.equals(client.body(bytes.length - 1000), Arrays.copyOfRange(bytes, 1000, bytes.length)))
                .as("the rest of the file")
                .isTrue();
    }

    private void usedIsWhatIsThere() throws IOException {
        long onDisk = 0;
        for (Path copy : site.copyFiles()) {
            onDisk += Files.size(copy);
        }
        assertThat(site.row("SELECT used, reserved, (SELECT SUM(size) FROM copies) FROM volumes"))
                .containsExactly(onDisk, 0, onDisk);
    }
}
