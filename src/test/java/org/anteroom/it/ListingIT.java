package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
            AtomicInteger pages = new AtomicInteger();
            site.archive().listBy((asked, after, limit) -> {
                pages.incrementAndGet();
                int from = after.isEmpty() ? 0 : Integer.parseInt(after.substring(1, after.length() - 1)) + 1;
                List<ArchiveEntry> entries = IntStream.range(from, Math.min(all, from + limit))
                        .mapToObj(i -> new ArchiveEntry(String.format("n%06d", i), null))
                        .toList();
                return new FolderPage(entries, from + limit < all);
            });
            try (RawHttp http = RawHttp.connect(site.uri(), 4096)) {
                http.request("GET", "/files/d/", "Connection: close");
                assertThat(http.head().status()).isEqualTo(200);
                // the client takes nothing more: what is not read waits in the archive
                Site.await("the listing waits for its client", () -> {
                    int before = pages.get();
                    double held = site.figure("anteroom_listing_entries");
                    return held == 2000 && before == pages.get() && before < all / 2000;
                });
            }
            Site.await("its room is given back", () -> site.figure("anteroom_listing_entries") == 0);
            List<String> links = links(RawHttp.get(site.uri(), "/files/d/"));
            assertThat(links).hasSize(all).doesNotHaveDuplicates().first().isEqualTo("n000000/");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aListingThatFailsInTheMiddleIsBrokenOff(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            site.archive().listBy((asked, after, limit) -> {
                if (!after.isEmpty()) {
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
