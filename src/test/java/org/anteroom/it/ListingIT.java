package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.FolderPage;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.Sha256;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listings of folders, for people, for programs that follow links, and for machines. */
class ListingIT {
    private static final Pattern HREF = Pattern.compile("<a href=\"([^\"]*)\">");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ACCEPT_JSON = "Accept: application/json";

    @TempDir
    Path folder;

    private static List<String> links(RawHttp.Response page) {
        return HREF.matcher(page.text()).results().map(match -> match.group(1)).toList();
    }

    private static JsonNode json(Site site, String target) throws IOException {
        RawHttp.Response answer = RawHttp.get(site.uri(), target, ACCEPT_JSON);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).hasValue("application/json");
        return JSON.readTree(answer.body());
    }

    @ParameterizedTest
    @EnumSource
    void aFolderAsAPage(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            site.put("a <b> & \"c\" 'd'.txt", 1234);
            site.put("日本; 100% #1?.csv", 5);
            Files.createDirectories(site.archiveFolder().resolve("d/sub/empty"));
            site.put("sub/a:b.txt", 999);
            site.put("sub/..\\x", 1);

            RawHttp.Response root = RawHttp.get(site.uri(), "/files/d/");
            assertThat(root.status()).isEqualTo(200);
            assertThat(root.header("Content-Type").orElse("")).isEqualToIgnoringCase("text/html;charset=utf-8");
            assertThat(root.header("Cache-Control")).hasValue("no-cache");
            assertThat(root.headers("Vary")).containsExactly("Accept");
            assertThat(root.header("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(root.header("Content-Security-Policy").orElse(""))
                    .startsWith("default-src 'none'; style-src 'sha256-")
                    .doesNotContain("script");
            assertThat(root.text())
                    .startsWith("<!DOCTYPE html>\n<html lang=\"en\">")
                    .contains("<title>d/</title>", "<th scope=\"col\">Name</th>", "<th scope=\"row\">")
                    .contains("<bdi>a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;.txt</bdi>", "<bdi>sub/</bdi>")
                    .contains("<data value=\"1234\">1.2 kB</data>", "<data value=\"5\">5 B</data>")
                    .contains("<time datetime=\"20")
                    .endsWith("</html>\n");
            assertThat(links(root))
                    .containsExactly(
                            "a%20%3Cb%3E%20%26%20%22c%22%20%27d%27.txt",
                            "sub/", "%E6%97%A5%E6%9C%AC%3B%20100%25%20%231%3F.csv");
            for (String link : links(root)) {
                assertThat(RawHttp.get(site.uri(), "/files/d/" + link).status()).isEqualTo(200);
            }

            RawHttp.Response sub = RawHttp.get(site.uri(), "/files/d/sub/", "Accept: text/html,*/*;q=0.8");
            // what an address cannot name is left out
            assertThat(links(sub)).containsExactly("../", "a%3Ab.txt", "empty/");
            assertThat(RawHttp.get(site.uri(), "/files/d/sub/empty/").text())
                    .contains("There is nothing in this folder.");

            RawHttp.Response head = RawHttp.exchange(site.uri(), "HEAD", "/files/d/sub/");
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Type")).isEqualTo(sub.header("Content-Type"));
            assertThat(head.headers("Vary")).containsExactly("Accept");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFolderForMachines(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            byte[] known = site.put("known.csv", 2000);
            site.put("changed.csv", 2000);
            Files.createDirectory(site.archiveFolder().resolve("d/sub"));
            site.getHit("known.csv");
            site.getHit("changed.csv");
            site.put("changed.csv", 2001);

            JsonNode page = json(site, "/files/d/");
            assertThat(page.get("next").isNull()).isTrue();
            JsonNode changed = page.get("items").get(0);
            assertThat(changed.get("name").asText()).isEqualTo("changed.csv");
            assertThat(changed.get("size").asLong()).isEqualTo(2001);
            assertThat(changed.get("sha256").isNull())
                    .as("the copy is of another content")
                    .isTrue();
            JsonNode file = page.get("items").get(1);
            assertThat(file.get("type").asText()).isEqualTo("file");
            assertThat(file.get("sha256").asText()).isEqualTo(Sha256.of(known).hex());
            assertThat(file.get("contentType").asText()).isEqualTo("text/csv");
            assertThat(file.get("href").asText()).isEqualTo("known.csv");
            assertThat(file.get("lastModified").asText())
                    .isEqualTo(Files.getLastModifiedTime(site.archiveFolder().resolve("d/known.csv"))
                            .toInstant()
                            .toString());
            JsonNode sub = page.get("items").get(2);
            assertThat(sub.get("type").asText()).isEqualTo("folder");
            assertThat(sub.get("size").isNull()).isTrue();
            assertThat(sub.get("href").asText()).isEqualTo("sub/");

            List<String> names = new ArrayList<>();
            String next = "";
            while (next != null) {
                JsonNode one = json(site, "/files/d/?limit=1&after=" + next);
                assertThat(one.get("items")).hasSize(1);
                names.add(one.get("items").get(0).get("name").asText());
                next = one.get("next").isNull() ? null : one.get("next").asText();
            }
            assertThat(names).containsExactly("changed.csv", "known.csv", "sub");

            assertThat(RawHttp.get(site.uri(), "/files/d/?format=json").header("Content-Type"))
                    .hasValue("application/json");
            assertThat(RawHttp.get(site.uri(), "/files/d/?format=html", ACCEPT_JSON)
                            .text())
                    .startsWith("<!DOCTYPE");
            for (String wrong :
                    List.of("format=xml", "format=json&limit=0", "format=json&limit=1001", "format=json&after=x")) {
                assertThat(RawHttp.get(site.uri(), "/files/d/?" + wrong).status())
                        .isEqualTo(400);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void addressesWithoutTheSlashLeadToTheFolder(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            Path data = Files.createDirectories(site.archiveFolder().resolve("d/su b:[c]"));
            Files.writeString(data.resolve("x.txt"), "x");
            redirects(site, "/files/d", "./d/");
            redirects(site, "/files/d?disposition=inline", "./d/?disposition=inline");
            redirects(site, "/files/d/su%20b%3A%5Bc%5D", "./su%20b%3A%5Bc%5D/");
            redirects(site, "/files/d/su%20b:[c]?x={", "./su%20b:%5Bc%5D/?x=%7B");
            assertThat(RawHttp.get(site.uri(), "/files/d/su%20b%3A%5Bc%5D/").status())
                    .isEqualTo(200);
            assertThat(RawHttp.get(site.uri(), "/files/d/none").status()).isEqualTo(404);
            for (String none : List.of("/files/none/", "/files/d/none/", "/files/d/su%20b%3A%5Bc%5D/x.txt/")) {
                RawHttp.Response answer = RawHttp.get(site.uri(), none);
                assertThat(answer.status()).isEqualTo(404);
                assertThat(answer.text()).contains("The archive has no such folder.");
                assertThat(RawHttp.exchange(site.uri(), "HEAD", none).status()).isEqualTo(404);
            }
            for (String method : List.of("GET", "HEAD")) {
                assertThat(RawHttp.exchange(site.uri(), method, "/files/d/?version=2")
                                .status())
                        .isEqualTo(404);
            }
        }
    }

    private static void redirects(Site site, String target, String location) throws IOException {
        for (String method : List.of("GET", "HEAD")) {
            RawHttp.Response answer = RawHttp.exchange(site.uri(), method, target);
            assertThat(answer.status()).as(target).isEqualTo(308);
            assertThat(answer.header("Location")).hasValue(location);
            assertThat(answer.header("Cache-Control")).hasValue("no-cache");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aHundredThousandEntriesOnePageAtATime(Site.Server server) throws Exception {
        int all = 100_000;
        try (Site site = Site.start(server, folder)) {
            NumberedFolders folders = new NumberedFolders(all);
            site.archive().listBy(folders);
            List<Integer> pages = List.of(200, 800, 3200, 12_800, 20_000, 20_000, 20_000, 20_000, 20_000);
            try (RawHttp http = RawHttp.connect(site.uri(), 4096)) {
                http.request("GET", "/files/d/slow/", "Connection: close");
                assertThat(http.head().status()).isEqualTo(200);
                // this client takes nothing more, while another takes all, for which there was time enough then
                List<String> links = links(RawHttp.get(site.uri(), "/files/d/"));
                assertThat(links).hasSize(all).doesNotHaveDuplicates().first().isEqualTo("n000000/");
                assertThat(folders.pages("")).isEqualTo(pages);
                assertThat(folders.pages("slow"))
                        .as("what is not read waits in the archive")
                        .hasSizeLessThan(pages.size());
                assertThat(site.figure("anteroom_listing_entries")).isBetween(200.0, 20_000.0);
            }
            Site.await("its room is given back", () -> site.figure("anteroom_listing_entries") == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClientOfAListingThatTakesNothingIsDropped(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder, "delivery.stall-timeout", "1s");
                LogLines log = LogLines.open();
                RawHttp http = RawHttp.connect(site.uri(), 4096)) {
            site.archive().listBy(new NumberedFolders(100_000));
            http.request("GET", "/files/d/slow/");
            assertThat(http.head().status()).isEqualTo(200);
            Site.await("it is dropped", () -> {
                return site.figure("anteroom_transfers_total", "kind=\"listing\"", "end=\"stalled\"") == 1;
            });
            assertThat(log.all())
                    .filteredOn(line -> line.contains("took nothing for too long"))
                    .singleElement()
                    .asString()
                    .matches("INFO .* request [0-9a-f]{16}: a client of the listing of slow in d took nothing for too"
                            + " long and was dropped after [1-9][0-9]* bytes");
            Site.await("its room is given back", () -> site.figure("anteroom_listing_entries") == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void conditionsOnListingsAreThoseOnWhatHasNoValidators(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            site.put("a.txt", 10);
            for (String method : List.of("GET", "HEAD")) {
                for (String format : List.of("html", "json")) {
                    String target = "/files/d/?format=" + format;
                    for (String met : List.of(
                            "If-Match: *",
                            "If-None-Match: \"x\"",
                            "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT",
                            "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT",
                            "Range: bytes=0-0",
                            "If-Range: \"x\"")) {
                        assertThat(RawHttp.exchange(site.uri(), method, target, met)
                                        .status())
                                .as(met)
                                .isEqualTo(200);
                    }
                    for (String failing : List.of("If-Match: \"x\"", "If-Match: W/\"x\", \"y\"")) {
                        RawHttp.Response answer = RawHttp.exchange(site.uri(), method, target, failing);
                        assertThat(answer.status()).isEqualTo(412);
                        assertThat(answer.header("Content-Type")).hasValue("application/problem+json");
                        assertThat(answer.header("X-Request-Id")).isPresent();
                    }
                    RawHttp.Response same = RawHttp.exchange(site.uri(), method, target, "If-None-Match: *");
                    assertThat(same.status()).isEqualTo(304);
                    assertThat(same.header("Cache-Control")).hasValue("no-cache");
                    assertThat(same.headers("Vary")).containsExactly("Accept");
                    assertThat(same.header("Content-Type")).isEmpty();
                }
                for (String any : List.of("If-Match: \"x\"", "If-None-Match: *")) {
                    assertThat(RawHttp.exchange(site.uri(), method, "/files/d/none/", any)
                                    .status())
                            .isEqualTo(404);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void allLinesOfAcceptCount(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            site.put("a.txt", 10);
            String low = "Accept: text/html;q=0.5";
            assertThat(RawHttp.get(site.uri(), "/files/d/", low, ACCEPT_JSON).header("Content-Type"))
                    .hasValue("application/json");
            assertThat(RawHttp.get(site.uri(), "/files/d/none/", "Accept: application/json;q=0.1", low)
                            .header("Content-Type")
                            .orElse(""))
                    .startsWith("text/html");
        }
    }

    @ParameterizedTest
    @EnumSource
    void timesAreThoseOfTheFilesThemselves(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            site.put("future.txt", 10);
            site.put("past.txt", 10);
            Path data = site.archiveFolder().resolve("d");
            Instant past = Instant.parse("2024-05-06T07:08:09.123456Z");
            Files.setLastModifiedTime(data.resolve("past.txt"), FileTime.from(past));
            Files.setLastModifiedTime(
                    data.resolve("future.txt"), FileTime.from(Instant.now().plus(Duration.ofDays(1000))));

            assertThat(site.get("future.txt").header("Last-Modified")).isEmpty();
            assertThat(RawHttp.get(site.uri(), "/files/d/").text())
                    .containsOnlyOnce("<time ")
                    .contains("<time datetime=\"2024-05-06T07:08:09.123Z\">2024-05-06 07:08</time>");
            JsonNode items = json(site, "/files/d/").get("items");
            assertThat(items.get(0).get("lastModified").isNull()).isTrue();
            assertThat(items.get(1).get("lastModified").asText()).isEqualTo(past.toString());
        }
    }

    @Test
    void listingsAndFilesAreCountedApart() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            site.put("a.txt", 10);
            int length = RawHttp.get(site.uri(), "/files/d/").body().length;
            site.get("a.txt");
            Site.await("both have ended", () -> site.figure("anteroom_transfers_total", "end=\"completed\"") == 2);
            for (String kind : List.of("kind=\"file\"", "kind=\"listing\"")) {
                assertThat(site.figure("anteroom_transfers_total", kind)).isEqualTo(1);
            }
            assertThat(site.figure("anteroom_sent_bytes_total", "kind=\"file\""))
                    .isEqualTo(10);
            assertThat(site.figure("anteroom_sent_bytes_total", "kind=\"listing\""))
                    .isEqualTo(length);
        }
    }

    @ParameterizedTest
    @EnumSource
    void idsThatAreTooLongAreMalformed(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            site.put("a.txt", 10);
            for (String end : List.of("", "/", "/a")) {
                assertThat(RawHttp.get(site.uri(), "/files/" + "a".repeat(3000) + end)
                                .status())
                        .isEqualTo(400);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aListingThatFailsInTheMiddleIsBrokenOff(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            site.archive().listBy((asked, after, limit) -> {
                if (limit > 3200) {
                    // more has been written by now than a transfer holds back
                    throw new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed.");
                }
                return new FolderPage(
                        IntStream.range(0, limit)
                                .mapToObj(i -> new ArchiveEntry("n" + i, null))
                                .toList(),
                        true);
            });
            // the failure may come in the container's callback or outside of it
            for (int i = 0; i < 20; i++) {
                try (RawHttp http = RawHttp.connect(site.uri())) {
                    // a connection that may go on: on one that is to be closed Jetty ends a body by its end alone
                    http.request("GET", "/files/d/");
                    assertThatThrownBy(() -> http.response("GET")).isInstanceOf(EOFException.class);
                }
            }
            Site.await("its room is given back", () -> site.figure("anteroom_listing_entries") == 0);
            site.archive().listBy((asked, after, limit) -> {
                throw new IOException("broken");
            });
            RawHttp.Response answer = RawHttp.get(site.uri(), "/files/d/");
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.text()).doesNotContain("broken");
        }
    }

    @Test
    void anArchiveThatCannotListSaysSo() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            byte[] bytes = site.put("a.txt", 10);
            site.archive().listBy((asked, after, limit) -> {
                throw new FailureException(FailureReason.NOT_LISTED, "This archive lists no folders.");
            });
            assertThat(RawHttp.get(site.uri(), "/files/d/").text()).contains("\"status\":404", "lists no folders");
            RawHttp.Response missing = site.get("none");
            assertThat(missing.status()).isEqualTo(404);
            assertThat(missing.text()).contains("The archive has no such file.");
            assertThat(site.get("a.txt").body()).isEqualTo(bytes);
        }
    }
}
