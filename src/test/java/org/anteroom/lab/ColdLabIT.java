package org.anteroom.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.anteroom.app.Decorations;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.OpenedFile;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.testing.EmbeddedTomcat;
import org.anteroom.testing.FaultServer;
import org.anteroom.testing.Origin;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Cold files from an archive whose answers take long: how near the throughput comes to {@code archive.concurrency} divided
 * by that time, with which the archive could give a file for each answer; and how much of the processors' time a file takes,
 * in the application, its clients and, where that is a server, the archive together.
 *
 * <p>{@code -Dlab.files} (1,000) on 64 connections, in {@code -Dlab.rounds} (3) with other files each. The archive is either
 * in memory, so that all but its latency is ours, or a server. What is passed through without a copy shows what the copies
 * cost.
 */
@Tag("lab")
class ColdLabIT {
    private static final int FILES = Integer.getInteger("lab.files", 1000);
    private static final int ROUNDS = Integer.getInteger("lab.rounds", 3);
    private static final int CONNECTIONS = 64;
    private static final int CONCURRENCY = 32;
    private static final Duration LATENCY = Duration.ofMillis(200);
    private static final Path REPORT = Path.of("target/lab/cold.md");

    @TempDir
    Path temp;

    private final AtomicInteger answers = new AtomicInteger();

    private void late() throws InterruptedIOException {
        answers.incrementAndGet();
        LockSupport.parkNanos(LATENCY.toNanos());
        if (Thread.interrupted()) {
            throw new InterruptedIOException("interrupted");
        }
    }

    /** An archive each of whose answers takes its time, and whose bytes then come at once. */
    private final class LateArchive implements Archive {
        private final byte[] bytes;

        LateArchive(byte[] bytes) {
            this.bytes = bytes;
        }

        private FileFacts facts(FileKey key) throws FailureException {
            if (!key.path().endsWith(".bin")) {
                throw new FailureException(FailureReason.NOT_FOUND, "no such file");
            }
            return new FileFacts(bytes.length, null, "\"1\"", null, null);
        }

        @Override
        public FileFacts head(FileKey key) throws IOException {
            late();
            return facts(key);
        }

        @Override
        public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
            late();
            return stream((int) offset);
        }

        private ArchiveStream stream(int offset) {
            ByteBuffer rest = ByteBuffer.wrap(bytes).position(offset);
            return new ArchiveStream() {
                @Override
                public int read(ByteBuffer target) {
                    if (!rest.hasRemaining()) {
                        return -1;
                    }
                    int count = Math.min(rest.remaining(), target.remaining());
                    target.put(rest.slice().limit(count));
                    rest.position(rest.position() + count);
                    return count;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public OpenedFile openNew(FileKey key) throws IOException {
            late();
            return new OpenedFile(facts(key), stream(0));
        }

        @Override
        public void probe() {}
    }

    @ParameterizedTest
    @CsvSource({
        "memory, 10000, cached",
        "memory, 1000000, cached",
        "memory, 1000000, passed through",
        "http, 10000, cached",
        "http, 1000000, cached",
        "http, 1000000, passed through"
    })
    void throughput_of_cold_files(String kind, int size, String how) throws Exception {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Origin origin = new Origin();
        Map<String, String> settings = new HashMap<>();
        settings.put("anteroom.archive.concurrency", Integer.toString(CONCURRENCY));
        settings.put("anteroom.volume.cache.capacity", "20GiB");
        settings.put("anteroom.volume.cache.max-object-size", how.equals("cached") ? "1GiB" : "1");
        try (FaultServer server = FaultServer.start(exchange -> {
                    late();
                    origin.answer(exchange);
                });
                EmbeddedTomcat tomcat = start(kind, bytes, server, settings)) {
            for (int round = 0; round < ROUNDS; round++) {
                if (kind.equals("http")) {
                    for (int i = 0; i < FILES; i++) {
                        origin.put("/set/" + (round * FILES + i) + ".bin", bytes);
                    }
                }
                round(tomcat.uri(), kind + ", " + size + " bytes, " + how, round, size);
            }
        }
    }

    private EmbeddedTomcat start(String kind, byte[] bytes, FaultServer server, Map<String, String> settings)
            throws IOException {
        if (kind.equals("http")) {
            settings.put("anteroom.archive.kind", "http");
            settings.put("anteroom.archive.location", server.uri().toString());
            return EmbeddedTomcat.start(temp.resolve("base"), settings);
        }
        Path folder = Files.createDirectories(temp.resolve("archive"));
        settings.put("anteroom.archive.location", folder.toString());
        return EmbeddedTomcat.start(
                temp.resolve("base"),
                settings,
                Map.of(Decorations.ATTRIBUTE, new Decorations(archive -> new LateArchive(bytes), volume -> volume)));
    }

    private void round(URI base, String what, int round, int size) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        answers.set(0);
        long cpu = system.getProcessCpuTime();
        double rate = FILES / seconds(base, round * FILES, size);
        double milliseconds = (system.getProcessCpuTime() - cpu) / 1e6 / FILES;
        double theory = CONCURRENCY / (LATENCY.toMillis() / 1000.0);
        write(String.format(
                Locale.ROOT,
                "| %s | %d | %.1f | %.3f | %.2f | %.1f |%n",
                what,
                round + 1,
                rate,
                rate / theory,
                (double) answers.get() / FILES,
                milliseconds));
    }

    private static double seconds(URI base, int first, int size) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CONNECTIONS);
        AtomicInteger next = new AtomicInteger(first);
        List<Future<Integer>> all = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < CONNECTIONS; i++) {
            all.add(clients.submit(() -> download(base, next, first + FILES, size)));
        }
        int read = 0;
        for (Future<Integer> one : all) {
            read += one.get();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        clients.shutdown();
        assertThat(read).isEqualTo(FILES);
        return seconds;
    }

    private static int download(URI base, AtomicInteger next, int end, int size) throws IOException {
        byte[] chunk = new byte[64 * 1024];
        int read = 0;
        try (RawHttp http = RawHttp.connect(base)) {
            for (int file = next.getAndIncrement(); file < end; file = next.getAndIncrement()) {
                http.request("GET", "/files/set/" + file + ".bin");
                assertThat(http.head().status()).isEqualTo(200);
                for (int left = size; left > 0; ) {
                    int count = http.read(chunk);
                    assertThat(count).isPositive();
                    left -= count;
                }
                read++;
            }
        }
        return read;
    }

    private static void write(String line) throws IOException {
        System.out.print(line);
        if (!Files.exists(REPORT)) {
            Files.createDirectories(REPORT.getParent());
            Files.writeString(REPORT, """
                    | what | round | files/s | of what is possible | answers of the archive per file | CPU, ms per file |
                    |---|---|---|---|---|---|
                    """);
        }
        Files.writeString(REPORT, line, StandardOpenOption.APPEND);
    }
}
