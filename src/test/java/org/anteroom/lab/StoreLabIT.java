package org.anteroom.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.anteroom.testing.TestS3;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/**
 * Hits from a volume in an object store that gives 200 MB a second, against the same objects from the store itself: files of
 * 10 MB, by curl on 8 connections, in alternating pairs. Anteroom is pinned to core 0, curl and the store to core 1. Needs
 * curl and taskset.
 *
 * <p>Pairs: {@code -Dlab.pairs} (10, more until the interval is narrow), seconds of each run at the store's speed:
 * {@code -Dlab.seconds} (4).
 */
@Tag("lab")
class StoreLabIT {
    private static final int PAIRS = Integer.getInteger("lab.pairs", 10);
    private static final int SECONDS = Integer.getInteger("lab.seconds", 4);
    private static final int CONNECTIONS = 8;
    private static final int SIZE = 10_000_000;
    private static final int FILES = 16;
    private static final int BYTES_PER_SECOND = 200_000_000;

    @TempDir
    Path temp;

    @Test
    void hits_from_a_limited_store_against_the_store_itself() throws Exception {
        Path archive = Files.createDirectories(temp.resolve("archive/set"));
        for (int file = 0; file < FILES; file++) {
            byte[] bytes = new byte[SIZE];
            new Random(file).nextBytes(bytes);
            Files.write(archive.resolve(file + ".bin"), bytes);
        }
        Process store = startStore();
        try (BufferedReader output = new BufferedReader(new InputStreamReader(store.getInputStream(), UTF_8))) {
            int port = Integer.parseInt(output.readLine());
            try (TomcatProcess tomcat = tomcat(port).start()) {
                Wrk.pinServer(tomcat.pid());
                List<URI> hits = new ArrayList<>();
                for (int file = 0; file < FILES; file++) {
                    URI uri = tomcat.uri().resolve("files/set/" + file + ".bin");
                    Wrk.awaitHit(uri, SIZE);
                    hits.add(uri);
                }
                measure(hits, objects(port));
            }
        } finally {
            store.destroy();
            store.waitFor();
        }
    }

    private static Process startStore() throws IOException {
        return new ProcessBuilder(
                        "taskset",
                        "-c",
                        "1",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LimitedStore.class.getName(),
                        Integer.toString(BYTES_PER_SECOND))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private TomcatProcess.Builder tomcat(int port) {
        return TomcatProcess.tomcat11(temp.resolve("base"))
                .property("anteroom.archive.location", temp.resolve("archive").toString())
                .property("anteroom.volume.cache.kind", "s3")
                .property("anteroom.volume.cache.location", "s3://" + TestS3.BUCKET + "/cache")
                .property("anteroom.volume.cache.s3.endpoint", "http://127.0.0.1:" + port)
                .property("anteroom.volume.cache.capacity", "10GiB")
                .property("aws.accessKeyId", TestS3.CREDENTIALS.accessKey())
                .property("aws.secretAccessKey", TestS3.CREDENTIALS.secretKey());
    }

    /** Where the copies lie in the store. */
    private List<URI> objects(int port) throws SQLException {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:file:" + temp.resolve("base/anteroom/inventory.db") + "?mode=ro");
        List<URI> found = new ArrayList<>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM copies WHERE state = 'cached'")) {
            while (rows.next()) {
                found.add(URI.create(
                        "http://127.0.0.1:" + port + "/" + TestS3.BUCKET + "/cache/copies/" + rows.getString(1)));
            }
        }
        assertThat(found).hasSize(FILES);
        return found;
    }

    private static void measure(List<URI> hits, List<URI> objects) throws Exception {
        for (List<URI> uris : List.of(hits, objects, hits)) {
            megabytesPerSecond(uris);
        }
        Pairs pairs = Pairs.measure(PAIRS, () -> megabytesPerSecond(hits), () -> megabytesPerSecond(objects));
        String table = String.format(
                Locale.ROOT,
                "| Anteroom, MB/s | the store, MB/s | ratio [95 %%] | pairs |%n|---|---|---|---|%n| %s | %s | %s | %d |%n",
                pairs.first(),
                pairs.second(),
                pairs.ratio().text(),
                pairs.ratio().pairs());
        System.out.println(table);
        Path report = Path.of("target/lab/store.md");
        Files.createDirectories(report.getParent());
        Files.writeString(report, table);
    }

    private static double megabytesPerSecond(List<URI> uris) throws Exception {
        int downloads = Math.max(CONNECTIONS, (int) ((long) SECONDS * BYTES_PER_SECOND / SIZE));
        List<String> command = new ArrayList<>(List.of(
                "taskset", "-c", "1", "curl", "-sS", "--fail", "-Z", "--parallel-max", Integer.toString(CONNECTIONS)));
        command.addAll(List.of("-w", "%{size_download}\\n"));
        for (int i = 0; i < downloads; i++) {
            command.addAll(List.of("-o", "/dev/null", uris.get(i % uris.size()).toString()));
        }
        long start = System.nanoTime();
        // where it shows the progress of parallel transfers, even if it is told to be silent
        Process curl = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(curl.getInputStream().readAllBytes(), UTF_8);
        assertThat(curl.waitFor(60, TimeUnit.SECONDS)).isTrue();
        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(curl.exitValue()).isZero();
        assertThat(output.lines()).hasSize(downloads).containsOnly(Integer.toString(SIZE));
        return (double) downloads * SIZE / 1e6 / seconds;
    }
}
