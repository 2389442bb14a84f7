package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several ranges of one file: where their bytes are read, and what happens when that is lost. */
class PartsIT {
    private static final int MB = 1_000_000;

    @TempDir
    Path folder;

    /** Six ranges of 20 MB in one request for a file of 200 MB. */
    @ParameterizedTest
    @EnumSource
    void sixBigRangesOfABigFile(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder, "volume.cache.max-object-size", "100MB")) {
            byte[] bytes = site.put("big", 200 * MB);
            String ranges = "150000000-169999999,0-19999999,30000000-49999999,60000000-79999999,"
                    + "90000000-109999999,180000000-199999999";
            try (RawHttp http = RawHttp.connect(site.uri())) {
                http.request("GET", Site.target("big"), "Range: bytes=" + ranges);
                RawHttp.Response answer = http.response("GET");
                assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; fwd=bypass; detail=no-volume");
                assertParts(answer, bytes, ranges);
                // no part is come to by reading what lies before it
                assertThat(site.archive().opens("big")).isEqualTo(6);
                http.request("GET", "/health/live");
                assertThat(http.response("GET").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void aPartFarAheadOfTheFillIsReadFromTheArchive() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            byte[] bytes = site.put("f", 40 * MB);
            SteeredArchive.Hold hold = site.archive().hold("f", MB);
            try (RawHttp first = RawHttp.connect(site.uri())) {
                first.request("GET", Site.target("f"));
                hold.awaitReached();
                for (String ranges : List.of(
                        "0-9,30000000-30000009,20-29", "30000000-30000009,30000020-30000029,0-9,39999990-39999999")) {
                    // the fill stands still meanwhile
                    RawHttp.Response answer = site.get("f", "Range: bytes=" + ranges);
                    assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; fwd=uri-miss; collapsed");
                    assertParts(answer, bytes, ranges);
                }
                // the fill; one part away from it; two, besides one that lay at hand and one that the fill has
                assertThat(site.archive().opens("f")).isEqualTo(1 + 1 + 2);
                hold.release();
                assertThat(first.response("GET").body()).isEqualTo(bytes);
            }
        }
    }

    /** A further opening for each part would be work out of proportion; what lies between near ones is thrown away. */
    @Test
    void partsThatLieNearEachOtherAreReadTogether() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder, "volume.cache.status", "offline")) {
            byte[] bytes = site.put("f", 10 * MB);
            for (int step : new int[] {300, 70_000, 256 * 1024}) {
                int before = site.archive().opens("f");
                String ranges = singles(32, 500_000, step);
                RawHttp.Response answer = site.get("f", "Range: bytes=" + ranges);
                assertParts(answer, bytes, ranges);
                assertThat(answer.body().length).isLessThan(32 * 180);
                assertThat(site.archive().opens("f") - before).isEqualTo(1);
            }
        }
    }

    @Test
    void aRequestOpensTheFileOnceForEachPartAtMostAndHasFewParts() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder, "volume.cache.status", "offline")) {
            byte[] bytes = site.put("f", 40 * MB);
            List<String> apart = new ArrayList<>(List.of(singles(32, 0, MB).split(",")));
            String ranges = String.join(",", apart);
            assertParts(site.get("f", "Range: bytes=" + ranges), bytes, ranges);
            assertThat(site.archive().opens("f")).isEqualTo(32);
            // backwards no part is near the one before
            Collections.reverse(apart);
            String backwards = String.join(",", apart);
            assertParts(site.get("f", "Range: bytes=" + backwards), bytes, backwards);
            assertThat(site.archive().opens("f")).isEqualTo(64);

            RawHttp.Response whole = site.get("f", "Range: bytes=" + ranges + ",39000000-39000000");
            assertThat(whole.status()).isEqualTo(200);
            assertThat(whole.body()).isEqualTo(bytes);
            assertThat(site.archive().opens("f")).isEqualTo(65);
        }
    }

    /** Ranges of one byte. */
    private static String singles(int count, int first, int step) {
        return IntStream.range(0, count)
                .mapToObj(i -> first + step * i + "-" + (first + step * i))
                .collect(Collectors.joining(","));
    }

    @Test
    void aDiskThatBreaksInTheMiddleIsGoneOnFromInTheArchive() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            byte[] bytes = site.put("f", 40 * MB);
            site.getHit("f");
            String ranges = "20000000-39999999,5000000-18000000,0-9";
            try (RawHttp http = RawHttp.connect(site.uri(), 8192)) {
                http.request("GET", Site.target("f"), "Range: bytes=" + ranges);
                RawHttp.Response head = http.head();
                assertThat(Site.cacheStatus(head)).isEqualTo("anteroom; hit");
                byte[] begin = http.body(1000);
                site.volume().unreadable(true);
                long length = Long.parseLong(head.header("Content-Length").orElseThrow());
                byte[] body = Arrays.copyOf(begin, Math.toIntExact(length));
                System.arraycopy(http.body(length - begin.length), 0, body, begin.length, body.length - begin.length);
                assertParts(head.withBody(body), bytes, ranges);
                assertThat(site.figure("anteroom_fallbacks_total")).isEqualTo(1);
            }
        }
    }

    @Test
    void aFailureBeforeTheFirstBytesIsAnHonestError() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder, "volume.cache.status", "offline")) {
            site.put("f", MB);
            site.archive().failNextRead("f");
            RawHttp.Response answer = site.get("f", "Range: bytes=0-9,500000-500009");
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.header("Content-Type")).hasValue("application/problem+json");
        }
    }

    private static void assertParts(RawHttp.Response answer, byte[] file, String ranges) throws IOException {
        assertThat(answer.status()).isEqualTo(206);
        Multiparts multipart = Objects.requireNonNull(Multiparts.of(answer), "several parts");
        List<String> got = new ArrayList<>();
        for (Multiparts.Part part : multipart.parts()) {
            got.add(part.range());
            byte[] content = part.content().getBytes(StandardCharsets.ISO_8859_1);
            assertThat(Arrays.equals(content, 0, content.length, file, part.first(), part.last() + 1))
                    .as(part.range())
                    .isTrue();
            assertThat(part.size()).isEqualTo(file.length);
        }
        assertThat(String.join(",", got)).isEqualTo(ranges);
    }
}
