package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.anteroom.testing.OpenFiles;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The stop: what is under way may end, what does not end is broken off, and nothing is left behind in the JVM. */
class StopIT {
    private static final int SIZE = 8 << 20;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    // Jetty closes its connections before it stops the application
    @Test
    void aDownloadUnderWayGetsItsBytes() throws Exception {
        Site site = Site.start(Site.Server.TOMCAT, folder, "shutdown.grace", "60s");
        byte[] bytes = site.put("f", SIZE);
        SteeredArchive.Hold half = site.archive().hold("f", SIZE / 2);
        try (LogLines lines = LogLines.open();
                RawHttp client = RawHttp.connect(site.uri())) {
            client.request("GET", Site.target("f"));
            assertThat(client.head().status()).isEqualTo(200);
            half.awaitReached();

            Future<?> stop = threads.submit(() -> {
                site.close();
                return null;
            });
            Site.await("new requests are refused", site::refuses);
            half.release();

            assertThat(client.body(SIZE)).isEqualTo(bytes);
            stop.get();
            assertThat(lines.warnings()).isEmpty();
        }
        nothingIsLeft();
    }

    @Test
    void aDownloadThatOutlastsTheGraceIsBrokenOff() throws Exception {
        Site site = Site.start(Site.Server.TOMCAT, folder, "shutdown.grace", "1s");
        site.put("f", SIZE);
        SteeredArchive.Hold half = site.archive().hold("f", SIZE / 2);
        try (RawHttp client = RawHttp.connect(site.uri())) {
            client.request("GET", Site.target("f"));
            assertThat(client.head().status()).isEqualTo(200);
            half.awaitReached();

            site.tomcatWaits(Duration.ofSeconds(1));
            site.close();

            assertThatThrownBy(() -> client.body(SIZE)).isInstanceOfAny(EOFException.class, IOException.class);
        }
        nothingIsLeft();
        assertThat(site.row("SELECT reserved, used FROM volumes")).containsExactly(0, 0);
        assertThat(site.row("SELECT COUNT(*) FROM fills WHERE state = 'running'"))
                .containsExactly(0);

        try (Site again = Site.start(Site.Server.TOMCAT, folder)) {
            assertThat(again.row("SELECT reserved, used FROM volumes")).containsExactly(0, 0);
            assertThat(again.copyFiles()).isEmpty();
            assertThat(again.getHit("f").body()).hasSize(SIZE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void itIsDeployedAgainInTheSameJvm(Site.Server server) throws Exception {
        byte[] bytes;
        try (Site site = Site.start(server, folder)) {
            bytes = site.put("f", SIZE);
            site.getHit("f");
        }
        nothingIsLeft();
        try (Site site = Site.start(server, folder)) {
            RawHttp.Response first = site.get("f");
            assertThat(Site.cacheStatus(first)).isEqualTo("anteroom; hit");
            assertThat(first.body()).isEqualTo(bytes);
        }
        nothingIsLeft();
    }

    private void nothingIsLeft() throws IOException {
        assertThat(threadsOfOurs()).isEmpty();
        assertThat(DriverManager.drivers().map(driver -> driver.getClass().getName()))
                .doesNotContain("org.sqlite.JDBC");
        assertThat(OpenFiles.under(folder)).isEmpty();
    }

    private static Stream<String> threadsOfOurs() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("anteroom-")
                        || name.startsWith("HikariPool")
                        || name.equals("CompletableFutureDelayScheduler"));
    }
}
