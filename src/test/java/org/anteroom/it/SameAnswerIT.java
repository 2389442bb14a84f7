package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.model.Sha256;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A file is answered for alike whether it is missed, being filled, hit, or passed through. */
class SameAnswerIT {
    /** Names that are hard on URIs and headers, each with a size that is hard on buffers. */
    private static final Map<String, Integer> FILES = files();

    /** What may differ: date and request do, and the checksum is known once there is a copy. */
    private static final Set<String> FREE = Set.of("cache-status", "date", "repr-digest", "x-request-id");

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private static Map<String, Integer> files() {
        Map<String, Integer> files = new LinkedHashMap<>();
        files.put("空の ファイル.txt", 0);
        files.put("one byte.bin", 1);
        files.put("a \"quoted\" 'name'.csv", 65_535);
        files.put("100%.txt", 65_536);
        files.put("c#?.html", 65_537);
        files.put("a;b=c.xml", (1 << 20) + 1);
        files.put("日本語+plus.tar.gz", 20 << 20);
        return files;
    }

    /** A request for a file: its method and its headers. */
    private record Ask(String method, List<String> headers) {
        static Ask range(String range) {
            return new Ask("GET", List.of("Range: bytes=" + range));
        }

        /** Whether bytes of the file come back, so that the answer may have to wait for them. */
        boolean fetches(int size) {
            return method.equals("GET")
                    && size > 0
                    && headers.stream()
                            .noneMatch(header -> header.startsWith("If-") || header.contains("=" + size + "-"));
        }
    }

    /** What must be the same. */
    private record Answer(int status, List<String> headers, String sha256) {
        static Answer of(RawHttp.Response response) {
            // the body of a problem names its request
            boolean problem = response.status() >= 400;
            List<String> kept = response.headers().stream()
                    .filter(header -> {
                        String name = header.substring(0, header.indexOf(':')).toLowerCase(Locale.ROOT);
                        return !FREE.contains(name) && !(problem && name.equals("content-length"));
                    })
                    .sorted()
                    .toList();
            return new Answer(response.status(), kept, problem ? "" : digest(response.body()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void answersAreAlikeInEveryState(Site.Server server) throws Exception {
        Map<String, List<Answer>> missed = new LinkedHashMap<>();
        try (Site site = Site.start(server, folder)) {
            for (Map.Entry<String, Integer> entry : FILES.entrySet()) {
                String path = entry.getKey();
                byte[] bytes = site.put(path, entry.getValue());
                List<Ask> asks = asks(site, path, bytes.length);
                List<Answer> answers = missed(site, path, asks, bytes);
                missed.put(path, answers);
                assertThat(filling(site, path, asks, bytes.length)).isEqualTo(answers);
                assertThat(site.getHit(path).body()).isEqualTo(bytes);
                assertThat(every(site, path, asks, "anteroom; hit")).isEqualTo(answers);
                site.delete(path);
            }
        } finally {
            threads.shutdownNow();
        }
        try (Site site = Site.start(server, folder, "volume.cache.status", "offline")) {
            for (String path : FILES.keySet()) {
                List<Ask> asks = asks(site, path, FILES.get(path));
                assertThat(every(site, path, asks, "anteroom; fwd=")).isEqualTo(missed.get(path));
                assertThat(Site.cacheStatus(site.get(path))).isEqualTo("anteroom; fwd=bypass; detail=no-volume");
            }
        }
    }

    private static List<Ask> asks(Site site, String path, int size) throws Exception {
        String etag = RawHttp.exchange(site.uri(), "HEAD", Site.target(path))
                .header("ETag")
                .orElseThrow();
        return List.of(
                new Ask("GET", List.of()),
                new Ask("HEAD", List.of()),
                Ask.range("0-0"),
                Ask.range(size / 2 + "-" + (size / 2 + 99)),
                Ask.range(Math.max(0, size - 1) + "-"),
                Ask.range("-10"),
                Ask.range(size + "-"),
                new Ask("GET", List.of("If-None-Match: " + etag)),
                new Ask("GET", List.of("If-Match: \"another\"")));
    }

    /** Asks for what is not cached, once for each request, and compares with the truth. */
    private static List<Answer> missed(Site site, String path, List<Ask> asks, byte[] bytes) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (Ask ask : asks) {
            site.delete(path);
            RawHttp.Response response = ask(site, path, ask);
            if (ask.fetches(bytes.length)) {
                assertThat(Site.cacheStatus(response)).isEqualTo("anteroom; fwd=uri-miss; stored");
            }
            check(ask, response, bytes);
            answers.add(Answer.of(response));
        }
        return answers;
    }

    private static void check(Ask ask, RawHttp.Response response, byte[] bytes) {
        switch (response.status()) {
            case 200 -> {
                assertThat(response.header("Content-Length")).hasValue(Integer.toString(bytes.length));
                assertThat(response.header("Content-Disposition")).isPresent();
                assertThat(response.header("Last-Modified")).isPresent();
                if (ask.method().equals("GET")) {
                    assertThat(response.body()).isEqualTo(bytes);
                }
            }
            case 206 -> {
                String[] range = response.header("Content-Range").orElseThrow().split("[ /-]", -1);
                int first = Integer.parseInt(range[1]);
                int last = Integer.parseInt(range[2]);
                assertThat(response.body()).isEqualTo(Arrays.copyOfRange(bytes, first, last + 1));
            }
            default -> assertThat(response.status()).isIn(304, 412, 416);
        }
    }

    /** Asks while a fill stands still in the middle; what needs bytes that are not there yet gets them when it goes on. */
    private List<Answer> filling(Site site, String path, List<Ask> asks, int size) throws Exception {
        site.delete(path);
        SteeredArchive.Hold half = site.archive().hold(path, size / 2);
        double before = transfers(site);
        Future<RawHttp.Response> first = threads.submit(() -> site.get(path));
        half.awaitReached();
        List<Future<RawHttp.Response>> answers = new ArrayList<>();
        for (Ask ask : asks) {
            answers.add(threads.submit(() -> ask(site, path, ask)));
        }
        long fetching = asks.stream().filter(ask -> ask.fetches(size)).count();
        Site.await("all read", () -> transfers(site) - before >= (size == 0 ? 0 : fetching + 1));
        for (int i = 0; i < asks.size(); i++) {
            if (!asks.get(i).fetches(size)) {
                // needs no bytes, so it is answered while there is no copy
                RawHttp.Response answer = answers.get(i).get();
                assertThat(Site.cacheStatus(answer)).startsWith(answer.status() < 400 ? "anteroom; fwd=" : "none");
            }
        }
        half.release();

        first.get();
        List<Answer> seen = new ArrayList<>();
        for (int i = 0; i < asks.size(); i++) {
            RawHttp.Response response = answers.get(i).get();
            if (asks.get(i).fetches(size)) {
                assertThat(Site.cacheStatus(response)).isEqualTo("anteroom; fwd=uri-miss; collapsed");
            }
            seen.add(Answer.of(response));
        }
        return seen;
    }

    /** Transfers that have begun so far. */
    private static double transfers(Site site) throws Exception {
        return site.figure("anteroom_transfers_total") + site.figure("anteroom_transfers_active");
    }

    private static List<Answer> every(Site site, String path, List<Ask> asks, String cacheStatus) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (Ask ask : asks) {
            RawHttp.Response response = ask(site, path, ask);
            if (response.status() < 400) {
                assertThat(Site.cacheStatus(response)).startsWith(cacheStatus);
            }
            answers.add(Answer.of(response));
        }
        return answers;
    }

    private static RawHttp.Response ask(Site site, String path, Ask ask) throws Exception {
        return RawHttp.exchange(
                site.uri(), ask.method(), Site.target(path), ask.headers().toArray(String[]::new));
    }

    private static String digest(byte[] bytes) {
        var digester = Sha256.digester();
        digester.update(bytes);
        return Sha256.of(digester).hex();
    }
}
