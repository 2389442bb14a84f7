package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The id that a client has of an error is in the log, in one line that says what it was. */
class AnswerLogIT {
    private static final Pattern HIDDEN = Pattern.compile("INFO .* (\\d+) more refusals are not shown");

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void everyErrorHasOneLineWithItsId(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder);
                LogLines log = LogLines.open()) {
            site.put("f", 1000);
            site.getHit("f");
            site.put("g", 1000);
            site.put("broken", 1000);
            site.archive().failNextRead("broken");
            Errors errors = new Errors(site, log);
            errors.check(404, "INFO", "GET", "/files/d/none");
            errors.check(404, "INFO", "HEAD", "/files/d/none");
            errors.check(404, "INFO", "GET", "/files/d/none/");
            errors.check(404, "INFO", "GET", "/nothing");
            errors.check(404, "INFO", "GET", "/error");
            errors.check(400, "INFO", "GET", "/files/d/a//b");
            errors.check(400, "INFO", "GET", "/files/d/%0d%0aERROR");
            errors.check(400, "INFO", "GET", "/files/d/f?version=%00");
            errors.check(405, "INFO", "POST", "/files/d/f");
            for (String file : List.of("f", "g")) {
                errors.check(412, "INFO", "GET", "/files/d/" + file, "If-Match: \"x\"");
                errors.check(416, "INFO", "GET", "/files/d/" + file, "Range: bytes=1000-");
            }
            errors.check(502, "WARN", "GET", "/files/d/broken");
        }
    }

    /** Jetty answers these by itself. */
    @Test
    void whatIsBehindALoginHasOne() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder, "access.files", "viewer");
                LogLines log = LogLines.open()) {
            site.put("f", 1000);
            Errors errors = new Errors(site, log);
            errors.check(401, "INFO", "GET", "/files/d/f");
            errors.check(401, "INFO", "GET", "/api/v1/volumes");
            errors.check(401, "INFO", "GET", "/files/d/f", "Authorization: Basic eDp5");
        }
    }

    @Test
    void filesAndWhatIsNotModifiedHaveNone() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder);
                LogLines log = LogLines.open()) {
            site.put("f", 1000);
            String etag = site.getHit("f").header("ETag").orElseThrow();
            for (int i = 0; i < 3; i++) {
                assertThat(site.get("f").status()).isEqualTo(200);
                assertThat(site.get("f", "Range: bytes=0-1").status()).isEqualTo(206);
                assertThat(site.get("f", "If-None-Match: " + etag).status()).isEqualTo(304);
            }
            assertThat(log.all()).noneMatch(line -> line.contains("request "));
        }
    }

    @Test
    void aCrowdOfRefusalsHasAFewLinesAndACount() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder);
                LogLines log = LogLines.open()) {
            for (int i = 0; i < 300; i++) {
                assertThat(site.get("none", "If-Match: *").status()).isEqualTo(404);
            }
            Site.await("all are told of", () -> shown(log) + hidden(log) == 300);
            assertThat(shown(log)).isGreaterThanOrEqualTo(20);
            assertThat(hidden(log)).isPositive();
        }
    }

    private static long shown(LogLines log) {
        return log.all().stream().filter(line -> line.contains("answered 404")).count();
    }

    private static long hidden(LogLines log) {
        return log.all().stream()
                .map(HIDDEN::matcher)
                .filter(Matcher::matches)
                .mapToLong(line -> Long.parseLong(line.group(1)))
                .sum();
    }

    @Test
    void aTransferThatIsBrokenOffHasOne() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder, "volume.cache.status", "offline");
                LogLines log = LogLines.open()) {
            site.put("f", 4_000_000);
            SteeredArchive.Hold hold = site.archive().hold("f", 1_000_000);
            try (RawHttp http = RawHttp.connect(site.uri())) {
                http.request("GET", Site.target("f"));
                hold.awaitReached();
                assertThat(http.head().status()).isEqualTo(200);
                truncate(site.archiveFolder().resolve("d/f"));
                hold.release();
                Site.await(
                        "the line",
                        () -> log.warnings().stream()
                                .anyMatch(line ->
                                        line.matches("request [0-9a-f]{16}: the transfer of d/f was broken off .*")));
            }
        }
    }

    private static void truncate(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(1_000_001);
        }
    }

    /** Asks for what is refused, and looks for it in the log. */
    private record Errors(Site site, LogLines log) {
        void check(int status, String level, String method, String target, String... fields) throws IOException {
            RawHttp.Response answer = RawHttp.exchange(site.uri(), method, target, fields);
            assertThat(answer.status()).as(target).isEqualTo(status);
            String id = answer.header("X-Request-Id").orElseThrow();
            String path = target.replaceAll("\\?.*", "");
            List<String> lines =
                    log.all().stream().filter(line -> line.contains(id)).toList();
            assertThat(lines)
                    .as("%s %s", method, target)
                    .singleElement()
                    .asString()
                    .startsWith(level + " org.anteroom.http.AnswerLog request " + id + " (" + method + " " + path
                            + ") answered " + status + ": ")
                    .matches("[\\x20-\\x7e]+");
        }
    }
}
