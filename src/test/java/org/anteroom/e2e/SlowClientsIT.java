package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.RawHttp2;
import org.anteroom.testing.TestCertificate;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many clients that are slow: none is cut off, none holds a thread, and who comes beside them is served as if they were
 * not there.
 *
 * <p>{@code -Danteroom.slow.clients=5000} and {@code -Danteroom.slow.seconds=600} set the size of the long form.
 */
class SlowClientsIT {
    private static final int SIZE = 64 << 20;
    private static final int THREADS = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private byte[] small = new byte[0];

    private TomcatProcess.Builder tomcat() throws IOException {
        Path archive = folder.resolve("archive");
        Archived.put(archive, "set", "large.bin", SIZE, 1);
        small = Archived.put(archive, "set", "small.bin", 100_000, 2);
        return TomcatProcess.tomcat11(folder.resolve("base"))
                .options("-Xmx2g")
                .property("anteroom.archive.location", archive.toString())
                .property("anteroom.max-threads", Integer.toString(THREADS));
    }

    @Test
    void theSlowLiveOnAndTheStalledAreDropped() throws Exception {
        int slow = 200;
        int stalled = 5;
        try (TomcatProcess tomcat =
                tomcat().property("anteroom.delivery.stall-timeout", "4s").start()) {
            warm(tomcat);
            try (SlowReaders readers = new SlowReaders(8192, Duration.ofMillis(500));
                    SlowReaders sleepers = new SlowReaders(1, Duration.ofDays(1))) {
                // who reads nothing at all
                sleepers.connect(tomcat.uri(), "/files/set/large.bin", stalled);
                readers.connect(tomcat.uri(), "/files/set/large.bin", slow);
                readers.start();
                await().atMost(PATIENCE)
                        .until(() ->
                                figure(tomcat, "anteroom_transfers_total{end=\"stalled\",kind=\"file\"}") == stalled);
                // several timeouts: this many bytes take 20 s
                await().atMost(PATIENCE).until(() -> readers.received() > slow * 320_000L);

                assertThat(readers.alive(100_000)).isEqualTo(slow);
                assertThat(figure(tomcat, "anteroom_transfers_total{end=\"stalled\",kind=\"file\"}"))
                        .isEqualTo(stalled);
                assertThat(figure(tomcat, "anteroom_transfers_active")).isEqualTo(slow);
                Requests.assertWhole(RawHttp.get(tomcat.uri(), "/files/set/small.bin"), small);
            }
            await().atMost(PATIENCE).until(() -> figure(tomcat, "anteroom_transfers_active") == 0);
            assertThat(tomcat.console()).noneMatch(line -> line.contains("ERROR") || line.contains("SEVERE"));
        }
    }

    @Test
    void slowClientsOfHttp2HoldNoThreadOfTheConnector() throws Exception {
        int clients = 30;
        try (TomcatProcess tomcat =
                tomcat().withTls().property("anteroom.max-threads", "20").start()) {
            warm(tomcat);
            SSLContext trusting = TestCertificate.in(tomcat.base()).trusting();
            List<RawHttp2> slow = new ArrayList<>();
            try {
                for (int i = 0; i < clients; i++) {
                    // windows that are wider than the line: nothing but TCP holds the server up
                    RawHttp2 http = RawHttp2.connect(tomcat.tls(), trusting, 8192, SIZE);
                    slow.add(http);
                    http.readUntil(http.get("/files/set/large.bin"), 10_000);
                }
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(figure(tomcat, "anteroom_pool_threads_busy{pool=\"shared\"}"))
                                .isEqualTo(clients));
                try (RawHttp2 http = RawHttp2.connect(tomcat.tls(), trusting, 0, SIZE)) {
                    RawHttp2.Stream beside = http.get("/files/set/small.bin");
                    assertThat(http.readToEnd(beside).body()).isEqualTo(small);
                }
                Requests.assertWhole(RawHttp.get(tomcat.uri(), "/files/set/small.bin"), small);
            } finally {
                for (RawHttp2 http : slow) {
                    http.hangUp();
                }
            }
            await().atMost(PATIENCE).until(() -> figure(tomcat, "anteroom_transfers_active") == 0);
            assertThat(tomcat.console()).noneMatch(line -> line.contains("ERROR") || line.contains("SEVERE"));
        }
    }

    @Test
    @Tag("full")
    void thousandsOfSlowClientsLiveOnForMinutes() throws Exception {
        int clients = Integer.getInteger("anteroom.slow.clients", 5000);
        int seconds = Integer.getInteger("anteroom.slow.seconds", 600);
        try (TomcatProcess tomcat = tomcat().start()) {
            warm(tomcat);
            long idleHit = medianMicros(tomcat, 200);
            int idleThreads = threads(tomcat);
            Memory idle = memory(tomcat);
            try (SlowReaders readers = new SlowReaders(1024, Duration.ofSeconds(1))) {
                readers.connect(tomcat.uri(), "/files/set/large.bin", clients);
                long began = System.nanoTime();
                readers.start();
                await().atMost(PATIENCE).until(() -> figure(tomcat, "anteroom_transfers_active") == clients);
                List<Long> hits = new ArrayList<>();
                while (System.nanoTime() - began < TimeUnit.SECONDS.toNanos(seconds)) {
                    hits.add(medianMicros(tomcat, 20));
                    // the time that the test is to last
                    TimeUnit.SECONDS.sleep(Math.min(10, seconds));
                }
                int threads = threads(tomcat);
                Memory loaded = memory(tomcat);
                System.out.printf(
                        "SlowClientsIT: %d clients at 1 KiB/s for %d s: %d alive, %d KiB received by each;"
                                + " a hit of 100 KB begins in %d us (idle: %d us);"
                                + " %d threads (idle: %d); heap after GC %d MiB (idle: %d), %d KiB for each;"
                                + " resident %d MiB (idle: %d), %d KiB for each%n",
                        clients,
                        seconds,
                        readers.alive(0),
                        readers.received() / clients / 1024,
                        median(hits),
                        idleHit,
                        threads,
                        idleThreads,
                        loaded.heap() >> 20,
                        idle.heap() >> 20,
                        (loaded.heap() - idle.heap()) / clients / 1024,
                        loaded.resident() >> 20,
                        idle.resident() >> 20,
                        (loaded.resident() - idle.resident()) / clients / 1024);
                assertThat(readers.alive(seconds * 1024L / 2)).isEqualTo(clients);
                assertThat(figure(tomcat, "anteroom_transfers_active")).isEqualTo(clients);
                // those of the connector that had not been needed yet, and some of our pools'
                assertThat(threads - idleThreads).isLessThan(THREADS + 30);
            }
        }
    }

    private void warm(TomcatProcess tomcat) throws Exception {
        Requests.awaitHit(tomcat.uri(), "/files/set/small.bin", small);
        assertThat(RawHttp.get(tomcat.uri(), "/files/set/large.bin", "Range: bytes=0-9")
                        .body())
                .hasSize(10);
        await().atMost(PATIENCE)
                .until(
                        () -> RawHttp.exchange(tomcat.uri(), "HEAD", "/files/set/large.bin"),
                        answer -> Requests.cacheStatus(answer).equals("anteroom; hit"));
    }

    /** Time to the head of a hit on a connection of its own: the median of some. */
    private long medianMicros(TomcatProcess tomcat, int times) throws IOException {
        List<Long> micros = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            try (RawHttp http = RawHttp.connect(tomcat.uri())) {
                http.request("GET", "/files/set/small.bin", "Connection: close");
                assertThat(http.head().status()).isEqualTo(200);
                micros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start));
                assertThat(http.body(small.length)).isEqualTo(small);
            }
        }
        return median(micros);
    }

    private static long median(List<Long> values) {
        Collections.sort(values);
        return values.get(values.size() / 2);
    }

    private record Memory(long heap, long resident) {}

    private static Memory memory(TomcatProcess tomcat) throws Exception {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(tomcat.pid()),
                        "GC.run")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(jcmd.waitFor()).isZero();
        return new Memory(
                (long) figure(tomcat, "jvm_memory_used_bytes{area=\"heap\"}"), status(tomcat, "VmRSS:") * 1024);
    }

    private static int threads(TomcatProcess tomcat) throws IOException {
        return (int) status(tomcat, "Threads:");
    }

    private static long status(TomcatProcess tomcat, String key) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(tomcat.pid()), "status"))) {
            if (line.startsWith(key)) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no " + key);
    }

    /** A series of the metrics; 0 if there is none. */
    private static double figure(TomcatProcess tomcat, String series) throws IOException {
        return RawHttp.get(tomcat.uri(), "/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
