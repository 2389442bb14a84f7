package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestS3;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An instance in a JVM of its own with a small heap, whose volume is in an object store: many big downloads at once. */
@Tag("full")
@Timeout(3600)
class SmallHeapIT {
    private static final int MIB = 1 << 20;
    private static final int SIZE_MIB = 1024;
    private static final int DOWNLOADS = 50;

    @TempDir
    Path folder;

    @Test
    void heapOf256MibIsEnoughForFiftyDownloadsFromAStore() throws Exception {
        Path dataset = Files.createDirectories(folder.resolve("archive").resolve(Site.DATASET));
        CRC32 expected = new CRC32();
        try (var out = Files.newOutputStream(dataset.resolve("big"))) {
            byte[] block = new byte[MIB];
            new Random(5).nextBytes(block);
            for (int i = 0; i < SIZE_MIB; i++) {
                block[i % MIB]++;
                out.write(block);
                expected.update(block);
            }
        }
        try (TestS3 server = TestS3.startIn(Files.createDirectories(folder.resolve("store")))) {
            Process process = start(server);
            try {
                URI uri = uri(process);
                assertThat(download(uri)).isEqualTo(expected.getValue());
                Site.await(
                        "a hit",
                        () -> RawHttp.get(uri, Site.target("big"), "Range: bytes=0-0")
                                .header("Cache-Status")
                                .equals(Optional.of("anteroom; hit")));
                assertThat(downloads(uri)).hasSize(DOWNLOADS).containsOnly(expected.getValue());
                assertThat(process.isAlive()).isTrue();
            } finally {
                process.destroy();
                process.waitFor();
            }
        }
    }

    private Process start(TestS3 server) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-Daws.accessKeyId=" + TestS3.CREDENTIALS.accessKey(),
                        "-Daws.secretAccessKey=" + TestS3.CREDENTIALS.secretKey(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Instance.class.getName(),
                        folder.toString(),
                        "http://127.0.0.1:" + server.port())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** What runs in the other JVM, until its standard input ends. */
    static final class Instance {
        private Instance() {}

        public static void main(String[] args) throws IOException {
            try (Site site = Site.start(
                    Site.Server.TOMCAT,
                    Path.of(args[0]),
                    "volume.cache.kind",
                    "s3",
                    "volume.cache.location",
                    "s3://" + TestS3.BUCKET + "/cache",
                    "volume.cache.capacity",
                    "100GiB",
                    "volume.cache.s3.endpoint",
                    args[1])) {
                System.out.println("uri=" + site.uri());
                while (System.in.read() >= 0) {
                    // until the end
                }
            }
        }
    }

    private static URI uri(Process process) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("uri=")) {
                Thread rest = new Thread(() -> lines.lines().forEach(ignored -> {}), "rest-of-the-log");
                rest.setDaemon(true);
                rest.start();
                return URI.create(line.substring(4));
            }
        }
        throw new IOException("the instance did not start");
    }

    private static List<Long> downloads(URI uri) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(DOWNLOADS);
        try {
            List<Callable<Long>> calls = new ArrayList<>();
            for (int i = 0; i < DOWNLOADS; i++) {
                calls.add(() -> download(uri));
            }
            List<Long> sums = new ArrayList<>();
            for (Future<Long> future : threads.invokeAll(calls)) {
                sums.add(future.get());
            }
            return sums;
        } finally {
            threads.shutdownNow();
        }
    }

    private static long download(URI uri) throws IOException {
        CRC32 sum = new CRC32();
        byte[] buffer = new byte[256 * 1024];
        try (InputStream in = uri.resolve(Site.target("big")).toURL().openStream()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                sum.update(buffer, 0, count);
            }
        }
        return sum.getValue();
    }
}
