package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The Fetch standard, section 3.2 (CORS): which scripts of other sites may read what. */
class CorsIT {
    private static final String LISTED = "https://viewer.example.org";
    private static final String ASKS = "Access-Control-Request-Method: GET";

    @TempDir
    Path folder;

    private static String origin(RawHttp.Response answer) {
        return answer.header("Access-Control-Allow-Origin").orElse("none");
    }

    private static List<String> vary(RawHttp.Response answer) {
        return answer.headers("Vary").stream()
                .flatMap(line -> Arrays.stream(line.split(", *")))
                .collect(Collectors.toList());
    }

    @ParameterizedTest
    @EnumSource
    void everybodyMayReadEveryAnswerWhichDoesNotVary(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            byte[] bytes = site.put("a.bin", 1000);
            String etag = site.getHit("a.bin").header("ETag").orElseThrow();
            List<RawHttp.Response> answers = List.of(
                    site.get("a.bin"),
                    site.get("a.bin", "Origin: " + LISTED),
                    site.get("a.bin", "Origin: null", "Range: bytes=5-9"),
                    site.get("a.bin", "Origin: " + LISTED, "If-None-Match: " + etag),
                    site.get("a.bin", "Origin: " + LISTED, "If-Match: \"other\""),
                    site.get("a.bin", "Origin: " + LISTED, "Range: bytes=1000-"),
                    site.get("none", "Origin: " + LISTED),
                    RawHttp.get(site.uri(), "/files/d/", "Origin: " + LISTED),
                    RawHttp.get(site.uri(), "/files/d", "Origin: " + LISTED),
                    RawHttp.get(site.uri(), "/files/d/..%5Cx", "Origin: " + LISTED),
                    RawHttp.exchange(site.uri(), "POST", "/files/d/a.bin", "Origin: " + LISTED),
                    RawHttp.exchange(site.uri(), "HEAD", "/files/d/a.bin", "Origin: " + LISTED));
            assertThat(answers)
                    .extracting(RawHttp.Response::status)
                    .containsExactly(200, 200, 206, 304, 412, 416, 404, 200, 308, 400, 405, 200);
            assertThat(answers).allSatisfy(answer -> {
                assertThat(origin(answer)).isEqualTo("*");
                assertThat(answer.header("Access-Control-Expose-Headers").orElse(""))
                        .contains("Content-Range", "ETag", "Repr-Digest", "Content-Disposition", "Retry-After");
                assertThat(answer.header("Access-Control-Allow-Credentials")).isEmpty();
                assertThat(vary(answer)).doesNotContain("Origin");
            });
            assertThat(answers.get(0).body()).isEqualTo(bytes);

            RawHttp.Response preflight = preflight(site, LISTED);
            assertThat(preflight.status()).isEqualTo(204);
            assertThat(origin(preflight)).isEqualTo("*");
            assertThat(preflight.header("Access-Control-Allow-Methods")).hasValue("GET, HEAD");
            assertThat(preflight.header("Access-Control-Allow-Headers").orElse(""))
                    .contains("Range", "If-Match", "If-None-Match", "If-Range", "Want-Repr-Digest")
                    .doesNotContain("Authorization", "X-Evil");
            assertThat(preflight.header("Access-Control-Max-Age")).hasValue("86400");

            // the API and the pages of operators are nobody else's
            for (String target : List.of("/api/v1/volumes", "/health/live", "/metrics")) {
                assertThat(origin(RawHttp.get(site.uri(), target, "Origin: " + LISTED)))
                        .isEqualTo("none");
                assertThat(origin(RawHttp.exchange(site.uri(), "OPTIONS", target, "Origin: " + LISTED, ASKS)))
                        .isEqualTo("none");
            }
        }
    }

    private static RawHttp.Response preflight(Site site, String origin) throws Exception {
        return RawHttp.exchange(
                site.uri(),
                "OPTIONS",
                "/files/d/a.bin",
                "Origin: " + origin,
                ASKS,
                "Access-Control-Request-Headers: range, x-evil");
    }

    @ParameterizedTest
    @EnumSource
    void listedOriginsMayReadAndNoOtherIsEverNamed(Site.Server server) throws Exception {
        String others = "http://localhost:3000";
        try (Site site = Site.start(server, folder, "delivery.cors.origins", LISTED + ", " + others)) {
            site.put("a.bin", 1000);
            for (String listed : List.of(LISTED, others)) {
                for (RawHttp.Response answer : List.of(
                        site.get("a.bin", "Origin: " + listed),
                        site.get("none", "Origin: " + listed),
                        RawHttp.get(site.uri(), "/files/d/", "Origin: " + listed),
                        preflight(site, listed))) {
                    assertThat(origin(answer)).isEqualTo(listed);
                    assertThat(vary(answer)).containsOnlyOnce("Origin");
                }
            }
            for (String unknown : List.of(
                    "https://viewer.example.org.evil.example",
                    "https://evil.example/https://viewer.example.org",
                    "http://viewer.example.org",
                    "https://viewer.example.org:8443",
                    "https://VIEWER.example.org",
                    LISTED + ", " + others,
                    "null",
                    "*",
                    "")) {
                for (RawHttp.Response answer :
                        List.of(site.get("a.bin", "Origin: " + unknown), site.get("none", "Origin: " + unknown))) {
                    assertThat(origin(answer)).as(unknown).isEqualTo("none");
                    assertThat(answer.header("Access-Control-Expose-Headers")).isEmpty();
                    assertThat(vary(answer)).containsOnlyOnce("Origin");
                }
                RawHttp.Response preflight = preflight(site, unknown);
                assertThat(origin(preflight)).isEqualTo("none");
                assertThat(preflight.header("Access-Control-Allow-Methods")).isEmpty();
            }
            assertThat(vary(site.get("a.bin")))
                    .as("the answer to nobody in particular")
                    .containsExactly("Origin");
            assertThat(vary(site.get("none"))).containsExactlyInAnyOrder("Origin", "Accept");
        }
    }

    @Test
    void whatNeedsALoginIsNobodyElsesUnlessThatIsSaid() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder, "access.files", "viewer")) {
            RawHttp.Response answer = site.get("a.bin", "Origin: " + LISTED);
            assertThat(answer.status()).isEqualTo(401);
            assertThat(origin(answer)).isEqualTo("none");
            assertThat(vary(answer)).doesNotContain("Origin");
            assertThat(preflight(site, LISTED).status()).isEqualTo(401);
        }
    }
}
