package org.anteroom.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.app.Decorations;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.FolderPage;
import org.anteroom.archive.OpenedFile;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.testing.EmbeddedTomcat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cold files from an archive whose answers take long: how near the throughput comes to {@code archive.concurrency} divided
 * by that time, with which the archive could give a file for each answer.
 *
 * <p>Files: {@code -Dlab.files} (1,000), of {@code -Dlab.size} bytes (100,000), on 64 connections, in as many rounds as
 * {@code -Dlab.rounds} (5) with other files each.
 */
@Tag("lab")
class ColdLabIT {
    private static final int FILES = Integer.getInteger("lab.files", 1000);
    private static final int SIZE = Integer.getInteger("lab.size", 100_000);
    private static final int ROUNDS = Integer.getInteger("lab.rounds", 5);
    private static final int CONNECTIONS = 64;
    private static final int CONCURRENCY = 32;
    private static final Duration LATENCY = Duration.ofMillis(200);

    @TempDir
    Path temp;

    private final StringBuilder table = new StringBuilder();

    /** An archive each of whose answers takes its time, and whose bytes then come at once. */
    private record LateArchive(Archive inner, AtomicInteger answers) implements Archive {
        private void wait(Duration time) throws IOException {
            answers.incrementAndGet();
            try {
                Thread.sleep(time.toMillis());
            } catch (InterruptedException e) {
                throw new InterruptedIOException("interrupted");
            }
        }

        @Override
        public FileFacts head(FileKey key) throws IOException {
            wait(LATENCY);
            return inner.head(key);
        }

        @Override
        public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
            wait(LATENCY);
            return inner.open(key, expected, offset);
        }

        @Override
        public OpenedFile openNew(FileKey key) throws IOException {
            wait(LATENCY);
            FileFacts facts = inner.head(key);
            return new OpenedFile(facts, inner.open(key, facts, 0));
        }

        @Override
        public FolderPage list(FolderKey folder, String after, int limit) throws IOException {
            return inner.list(folder, after, limit);
        }

        @Override
        public void probe() throws IOException {
            inner.probe();
        }
    }

    @Test
    void throughput_of_cold_files() throws Exception {
        Path folder = temp.resolve("archive/set");
        Files.createDirectories(folder);
        for (int file = 0; file < FILES * ROUNDS; file++) {
            byte[] bytes = new byte[SIZE];
            new Random(file).nextBytes(bytes);
            Files.write(folder.resolve(file + ".bin"), bytes);
        }
        AtomicInteger answers = new AtomicInteger();
        double theory = CONCURRENCY / (LATENCY.toMillis() / 1000.0);
        try (EmbeddedTomcat tomcat = EmbeddedTomcat.start(
                temp.resolve("base"),
                Map.of(
                        "anteroom.archive.location", temp.resolve("archive").toString(),
                        "anteroom.archive.concurrency", Integer.toString(CONCURRENCY)),
                Map.of(
                        Decorations.ATTRIBUTE,
                        new Decorations(archive -> new LateArchive(archive, answers), volume -> volume)))) {
            line("| round | files/s | of " + String.format(Locale.ROOT, "%.0f", theory)
                    + " in theory | answers of the archive per file | heap in use, MiB |");
            line("|---|---|---|---|---|");
            for (int round = 0; round < ROUNDS; round++) {
                answers.set(0);
                double rate = FILES / seconds(tomcat.uri(), round * FILES);
                Runtime runtime = Runtime.getRuntime();
                line(String.format(
                        Locale.ROOT,
                        "| %d | %.1f | %.3f | %.2f | %d |",
                        round + 1,
                        rate,
                        rate / theory,
                        (double) answers.get() / FILES,
                        (runtime.totalMemory() - runtime.freeMemory()) >> 20));
            }
        }
        Path report = Path.of("target/lab/cold.md");
        Files.createDirectories(report.getParent());
        Files.writeString(report, table);
    }

    private static double seconds(URI base, int first) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CONNECTIONS);
        HttpClient http = HttpClient.newHttpClient();
        AtomicInteger next = new AtomicInteger(first);
        List<Future<Integer>> all = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < CONNECTIONS; i++) {
            all.add(clients.submit(() -> {
                int read = 0;
                for (int file = next.getAndIncrement(); file < first + FILES; file = next.getAndIncrement()) {
                    HttpResponse<byte[]> answer = http.send(
                            HttpRequest.newBuilder(base.resolve("files/set/" + file + ".bin"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofByteArray());
                    assertThat(answer.statusCode()).isEqualTo(200);
                    assertThat(answer.body()).hasSize(SIZE);
                    read++;
                }
                return read;
            }));
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

    private void line(String text) {
        System.out.println(text);
        table.append(text).append('\n');
    }
}
