package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random request lines, ranges and conditions over connections that stay open: never a 500, never another status than the
 * conditions and ranges lead to, never a byte of another file or place, never more than was asked for and the headers of the
 * parts.
 *
 * <p>A seed makes {@value #PER_SEED} requests. Seeds that have found something are kept in {@code random-requests.seeds}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RandomRequestsIT {
    private static final int PER_SEED = 50;
    private static final int CLIENTS = 2;

    /** Lengths of the files; those past the volume's limit are passed through. */
    private static final List<Integer> SIZES = List.of(0, 1, 997, 9_973, 66_001, 150_011);

    private static final String LIMIT = "100KB";

    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    private final Map<RandomRequest.Target, byte[]> files = new LinkedHashMap<>();
    private final AnswerJudge judge = new AnswerJudge(files);
    private Site site;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        site = Site.start(Site.Server.TOMCAT, folder, "volume.cache.max-object-size", LIMIT);
        for (int size : SIZES) {
            String name = "f" + size;
            byte[] bytes = site.put(name, size);
            // so long ago that the date is a strong validator (RFC 9110, section 8.8.2.2)
            Files.setLastModifiedTime(
                    site.archiveFolder().resolve(Site.DATASET).resolve(name), FileTime.from(ThreeStates.MODIFIED));
            RawHttp.Response answer = size > 100_000 ? site.get(name) : site.getHit(name);
            files.put(
                    new RandomRequest.Target(
                            Site.target(name),
                            size,
                            answer.header("ETag").orElseThrow(),
                            answer.header("Last-Modified").orElseThrow()),
                    bytes);
        }
    }

    @AfterAll
    void stop() throws IOException {
        threads.shutdownNow();
        site.close();
    }

    @Test
    void aFewThousand() throws Exception {
        run(100);
    }

    @Test
    @Tag("full")
    void aHundredThousand() throws Exception {
        run(2000);
    }

    @Test
    void thoseThatHaveFoundSomethingBefore() throws Exception {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(getClass().getResourceAsStream("random-requests.seeds")),
                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#")) {
                    send(Long.parseLong(line.strip()));
                }
            }
        }
    }

    private void run(int seeds) throws Exception {
        long first = Long.getLong("anteroom.test.seed", System.nanoTime());
        System.out.printf("RandomRequestsIT: %d seeds from -Danteroom.test.seed=%d%n", seeds, first);
        List<Future<Integer>> results = LongStream.range(first, first + seeds)
                .mapToObj(seed -> threads.submit(() -> send(seed)))
                .toList();
        int bodies = 0;
        for (Future<Integer> result : results) {
            bodies += result.get();
        }
        // it is not all refused
        assertThat(bodies).isGreaterThan(seeds * PER_SEED / 4);
    }

    /** Sends the requests of a seed; how many were answered with bytes of a file. */
    private int send(long seed) throws IOException {
        RandomRequest.Generator requests = new RandomRequest.Generator(seed, List.copyOf(files.keySet()));
        int bodies = 0;
        RawHttp http = RawHttp.connect(site.uri());
        try {
            for (int i = 0; i < PER_SEED; i++) {
                RandomRequest request = requests.next();
                try {
                    http.send(request.text());
                    RawHttp.Response answer = http.response(request.method());
                    bodies += judge.judge(request, answer) ? 1 : 0;
                    if (answer.header("Connection").orElse("").equals("close") || !request.keepsAlive()) {
                        http.close();
                        http = RawHttp.connect(site.uri());
                    }
                } catch (IOException | RuntimeException | AssertionError e) {
                    throw new AssertionError(
                            "seed " + seed + ", to be kept in random-requests.seeds; request " + i + ":\n"
                                    + request.text(),
                            e);
                }
            }
        } finally {
            http.close();
        }
        return bodies;
    }
}
