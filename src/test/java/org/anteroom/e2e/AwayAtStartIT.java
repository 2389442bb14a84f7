package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is merely away at the start, or goes away later: the instance starts, serves what it can, and heals by itself. */
class AwayAtStartIT {
    private static final String CACHED = "/files/set/cached.bin";
    private static final String OTHER = "/files/set/other.bin";
    private static final String BYPASS = "anteroom; fwd=bypass; detail=";

    @TempDir
    Path folder;

    private Path archive;
    private Path base;
    private byte[] cached;
    private byte[] other;

    @BeforeEach
    void fillArchive() throws IOException {
        archive = folder.resolve("archive");
        base = folder.resolve("base");
        cached = Archived.put(archive, "set", "cached.bin", 300_000, 1);
        other = Archived.put(archive, "set", "other.bin", 200_000, 2);
    }

    private TomcatProcess.Builder tomcat() {
        return TomcatProcess.tomcat11(base)
                .property("anteroom.archive.location", archive.toString())
                .property("anteroom.volume.cache.min-free", "0");
    }

    @Test
    void theArchive() throws Exception {
        try (TomcatProcess tomcat = tomcat().start()) {
            Requests.awaitHit(tomcat.uri(), CACHED, cached);
            tomcat.stop();
            Path away = Files.move(archive, folder.resolve("away"));

            tomcat.restart();
            Requests.awaitHealth(tomcat.uri(), "archives", "directory", "degraded");
            assertThat(RawHttp.get(tomcat.uri(), "/health/ready").status()).isEqualTo(200);
            Requests.awaitHit(tomcat.uri(), CACHED, cached);
            assertThat(RawHttp.get(tomcat.uri(), OTHER).status()).isEqualTo(502);

            // what a mount point is without its disk
            Files.createDirectory(archive);
            assertThat(RawHttp.get(tomcat.uri(), OTHER).status()).isEqualTo(502);
            Files.delete(archive);

            Files.move(away, archive);
            Requests.assertWhole(RawHttp.get(tomcat.uri(), OTHER), other);
            Requests.awaitHit(tomcat.uri(), OTHER, other);
            Requests.awaitHealth(tomcat.uri(), "archives", "directory", "ok");
        }
    }

    @Test
    void aDatabaseWhoseFolderIsMissing() throws Exception {
        String descriptor = Files.readString(Path.of("tomcat-conf/anteroom.xml"))
                .replace("${catalina.base}/anteroom/inventory.db", folder + "/disk/inventory.db");
        try (TomcatProcess tomcat = tomcat().conf("anteroom.xml", descriptor).start()) {
            servesUncached(tomcat);
            assertThat(tomcat.console())
                    .filteredOn(line -> line.contains("WARN") && line.contains("inventory"))
                    .isNotEmpty()
                    .hasSizeLessThanOrEqualTo(2);

            Files.createDirectory(folder.resolve("disk"));
            heals(tomcat);
        }
    }

    @Test
    void aDatabaseThatAnotherProcessHasLocked() throws Exception {
        try (TomcatProcess tomcat = tomcat().start()) {
            Requests.awaitHit(tomcat.uri(), CACHED, cached);
            tomcat.stop();
            try (Connection lock =
                            Stored.connect(base.resolve("anteroom/inventory.db").toString());
                    Statement statement = lock.createStatement()) {
                statement.execute("PRAGMA locking_mode = EXCLUSIVE");
                statement.execute("BEGIN EXCLUSIVE");

                tomcat.restart();
                servesUncached(tomcat);
            }
            heals(tomcat);
        }
    }

    private void servesUncached(TomcatProcess tomcat) throws IOException {
        RawHttp.Response response = Requests.assertWhole(RawHttp.get(tomcat.uri(), CACHED), cached);
        assertThat(Requests.cacheStatus(response)).startsWith(BYPASS);
        assertThat(RawHttp.get(tomcat.uri(), "/health/ready").status()).isEqualTo(200);
        assertThat(Requests.health(tomcat.uri(), "pools", "inventory")).isNotEqualTo("ok");
        RawHttp.Response api =
                RawHttp.get(tomcat.uri(), "/api/v1/volumes", Requests.login("operator", tomcat.operatorPassword()));
        assertThat(api.status()).isEqualTo(503);
    }

    private void heals(TomcatProcess tomcat) {
        Requests.awaitHealth(tomcat.uri(), "pools", "inventory", "ok");
        Requests.awaitHit(tomcat.uri(), CACHED, cached);
        Requests.awaitHit(tomcat.uri(), OTHER, other);
    }

    @Test
    void aKnownVolume() throws Exception {
        Path volume = base.resolve("anteroom/cache");
        Path away = folder.resolve("away");
        try (TomcatProcess tomcat = tomcat().start()) {
            Requests.awaitHit(tomcat.uri(), CACHED, cached);
            tomcat.stop();
            Stored before = stored(volume);

            // the folder is not there
            Files.move(volume, away);
            tomcat.restart();
            servesWithoutVolume(tomcat);
            assertThat(volume).doesNotExist();
            Files.move(away, volume);
            Requests.awaitHealth(tomcat.uri(), "volumes", "cache", "ok");
            Requests.awaitHit(tomcat.uri(), CACHED, cached);
            assertThat(stored(volume)).isEqualTo(before);

            // it is there without its marker, as the folder under a disk that is not mounted
            Files.move(volume.resolve(".anteroom-volume"), away);
            tomcat.restart();
            servesWithoutVolume(tomcat);
            assertThat(stored(volume)).isEqualTo(before);
            Files.move(away, volume.resolve(".anteroom-volume"));
            Requests.awaitHealth(tomcat.uri(), "volumes", "cache", "ok");
            Requests.awaitHit(tomcat.uri(), CACHED, cached);
            Requests.awaitHit(tomcat.uri(), OTHER, other);
            assertThat(stored(volume).rows()).hasSize(2).containsAllEntriesOf(before.rows());
        }
    }

    private void servesWithoutVolume(TomcatProcess tomcat) throws IOException {
        assertThat(Requests.health(tomcat.uri(), "volumes", "cache")).isEqualTo("degraded");
        assertThat(RawHttp.get(tomcat.uri(), "/health/ready").status()).isEqualTo(200);
        for (int i = 0; i < 3; i++) {
            RawHttp.Response response = Requests.assertWhole(RawHttp.get(tomcat.uri(), CACHED), cached);
            assertThat(Requests.cacheStatus(response)).startsWith(BYPASS);
            Requests.assertWhole(RawHttp.get(tomcat.uri(), OTHER), other);
        }
    }

    /** Without the probe's own file, which comes and goes. */
    private Stored stored(Path volume) throws Exception {
        Stored stored = Stored.read(base.resolve("anteroom/inventory.db"), volume);
        return new Stored(
                stored.used(),
                stored.reserved(),
                stored.copies(),
                stored.runningFills(),
                stored.leaving(),
                stored.rows(),
                stored.files(),
                java.util.List.of());
    }
}
