package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the headers of files say to caches and browsers, and which methods there are (RFC 9110, sections 8 and 9). */
class FileHeadersIT {

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void rfc9110Section9WhatIsAllowedIsSaid(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            site.put("a.bin", 10);
            for (String target : List.of("/files/d/a.bin", "/files/d/", "/files/d", "/files/d/none")) {
                RawHttp.Response options = RawHttp.exchange(site.uri(), "OPTIONS", target);
                assertThat(options.status()).isEqualTo(204);
                assertThat(options.header("Allow")).hasValue("GET, HEAD, OPTIONS");
                for (String method : List.of("POST", "PUT", "DELETE", "PATCH", "PROPFIND", "get")) {
                    RawHttp.Response refused = RawHttp.exchange(site.uri(), method, target, "X-Secret: echo");
                    assertThat(refused.status()).as(method).isEqualTo(405);
                    assertThat(refused.header("Allow").orElse("").split(", "))
                            .containsExactlyInAnyOrder("GET", "HEAD", "OPTIONS");
                    assertThat(refused.header("Content-Type")).hasValue("application/problem+json");
                    assertThat(refused.text()).contains("\"status\":405").doesNotContain("echo");
                }
                RawHttp.Response trace = RawHttp.exchange(site.uri(), "TRACE", target, "X-Secret: echo");
                // Jetty forbids it by itself
                assertThat(trace.status()).isEqualTo(server == Site.Server.TOMCAT ? 405 : 403);
                assertThat(trace.text()).doesNotContain("echo");
                if (server == Site.Server.TOMCAT) {
                    assertThat(trace.header("Allow").orElse("").split(", "))
                            .containsExactlyInAnyOrder("GET", "HEAD", "OPTIONS");
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsLookedAtInABrowserIsNobodysPage(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            site.put("page.html", 1000);
            String inline = "/files/d/page.html?disposition=inline";
            for (int i = 0; i < 2; i++) {
                for (RawHttp.Response answer : List.of(
                        RawHttp.get(site.uri(), inline),
                        RawHttp.get(site.uri(), inline, "Range: bytes=5-9"),
                        RawHttp.get(site.uri(), inline, "Range: bytes=0-0,500-509"),
                        RawHttp.exchange(site.uri(), "HEAD", inline))) {
                    assertThat(answer.status()).isIn(200, 206);
                    assertThat(answer.header("Content-Disposition").orElse("")).startsWith("inline; ");
                    assertThat(answer.header("Content-Security-Policy").orElse(""))
                            .contains("sandbox")
                            .doesNotContain("allow-");
                    assertThat(answer.header("X-Content-Type-Options")).hasValue("nosniff");
                }
                site.getHit("page.html");
            }
            RawHttp.Response kept = site.get("page.html");
            assertThat(kept.header("Content-Disposition").orElse("")).startsWith("attachment; ");
            assertThat(kept.header("X-Content-Type-Options")).hasValue("nosniff");
        }
    }

    @Test
    void headersOfFilesAreAsConfigured() throws Exception {
        try (Site site = Site.start(
                Site.Server.TOMCAT,
                folder,
                "delivery.cors.origins",
                "none",
                "delivery.cache-control",
                "public, max-age=3600",
                "delivery.content-types",
                "bin=application/x-thing; v=1")) {
            site.put("a.bin", 10);
            RawHttp.Response miss = site.get("a.bin", "Origin: https://example.org");
            RawHttp.Response hit = site.getHit("a.bin");
            for (RawHttp.Response answer : List.of(miss, hit)) {
                assertThat(answer.header("Cache-Control")).hasValue("public, max-age=3600");
                assertThat(answer.header("Content-Type").orElse("").replace(" ", ""))
                        .isEqualTo("application/x-thing;v=1");
                assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
            }
            RawHttp.Response fresh =
                    site.get("a.bin", "If-None-Match: " + hit.header("ETag").orElseThrow());
            assertThat(fresh.status()).isEqualTo(304);
            assertThat(fresh.header("Cache-Control")).hasValue("public, max-age=3600");
        }
    }

    @Test
    void validatorsAreThoseOfTheFileWhicheverInstanceAnswersAndWhenever() throws Exception {
        String before;
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            site.put("a.bin", 1000);
            before = validators(site.get("a.bin"));
            assertThat(validators(site.getHit("a.bin"))).isEqualTo(before);
        }
        try (Site site = Site.start(Site.Server.JETTY, folder)) {
            assertThat(validators(site.get("a.bin"))).isEqualTo(before);
        }
        // an instance of its own, with an inventory of its own
        Path other = Files.createDirectory(folder.resolve("other"));
        String archive = folder.resolve("archive").toString();
        try (Site site = Site.start(Site.Server.TOMCAT, other, "archive.location", archive)) {
            assertThat(validators(site.get("a.bin"))).isEqualTo(before);
            assertThat(validators(site.getHit("a.bin"))).isEqualTo(before);
        }
    }

    private static String validators(RawHttp.Response answer) {
        assertThat(answer.status()).isEqualTo(200);
        return answer.header("ETag").orElseThrow()
                + answer.header("Last-Modified").orElseThrow();
    }
}
