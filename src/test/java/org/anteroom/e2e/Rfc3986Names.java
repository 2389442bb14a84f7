package org.anteroom.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * RFC 3986, 6266 and 8187: every name that a file system can hold reaches its file, comes back in one well-formed header,
 * and is found in the listing; what is no name is refused. Each file's content is its own path.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Rfc3986Names {
    private static final Pattern DISPOSITION = Pattern.compile("(attachment|inline); filename=\"([ !#-\\[\\]-~]*)\""
            + "(?:; filename\\*=UTF-8''((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-F]{2})+))?");
    private static final Pattern HREF = Pattern.compile("<a href=\"([^\"]*)\">");

    private AutoCloseable server = () -> {};
    private URI uri = URI.create("http://127.0.0.1/");

    /** A running server. */
    record Running(AutoCloseable server, URI uri) {}

    /**
     * Starts a server.
     *
     * @param archive the folder of its archive
     */
    abstract Running start(Path base, Path archive) throws Exception;

    /** Whether the server takes request lines that break the grammar; then for what they say, and for nothing else. */
    boolean isLenient() {
        return false;
    }

    @BeforeAll
    void layOut(@TempDir Path folder) throws Exception {
        Path archive = folder.resolve("archive");
        for (String name : Names.files().toList()) {
            put(archive, Names.DATASET, name);
        }
        for (Names.Id id : Names.ids()) {
            put(archive, id.dataset(), "data/a b.txt");
        }
        Running running = start(Files.createDirectory(folder.resolve("base")), archive);
        server = running.server();
        uri = running.uri();
    }

    @AfterAll
    void stop() throws Exception {
        server.close();
    }

    private static void put(Path archive, String dataset, String path) throws IOException {
        String folder = dataset.replace("%", "%25").replace("/", "%2F").replace("@", "%40");
        Path file = archive.resolve(folder).resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, path);
    }

    private RawHttp.Response get(String target, String... headers) throws IOException {
        return RawHttp.get(uri, "/files/" + target, headers);
    }

    /** Every byte but those of unreserved characters and slashes, encoded. */
    private static String encode(String path) {
        StringBuilder out = new StringBuilder();
        for (byte b : path.getBytes(UTF_8)) {
            char c = (char) (b & 0xff);
            if (c < 0x80 && (Character.isLetterOrDigit(c) || "-._~/".indexOf(c) >= 0)) {
                out.append(c);
            } else {
                out.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
            }
        }
        return out.toString();
    }

    private static String lastName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The name that a client saves the file under (RFC 6266, section 4.3): the extended one goes first. */
    private static String savedName(RawHttp.Response answer) {
        Matcher field = DISPOSITION.matcher(answer.header("Content-Disposition").orElseThrow());
        assertThat(field.matches()).as(field.toString()).isTrue();
        return field.group(3) == null
                ? field.group(2)
                : URLDecoder.decode(field.group(3).replace("+", "%2B"), UTF_8);
    }

    // ---- RFC 3986, section 2: characters

    static Stream<String> files() {
        return Names.files();
    }

    @ParameterizedTest
    @MethodSource("files")
    void rfc3986Section2EveryNameReachesItsFileAndRfc8187Section3ComesBack(String path) throws IOException {
        RawHttp.Response answer = get(Names.DATASET + "/" + encode(path));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo(path);
        assertThat(savedName(answer)).isEqualTo(lastName(path));
        assertThat(answer.header("Content-Disposition").orElseThrow()).startsWith("attachment; ");
    }

    static Stream<Names.Written> written() {
        return Names.written();
    }

    @ParameterizedTest
    @MethodSource("written")
    void rfc3986Section6SameNameWrittenInOtherWays(Names.Written written) throws IOException {
        RawHttp.Response answer = get(Names.DATASET + "/" + written.target());
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo(written.name());
    }

    static Stream<Names.Written> relaxed() {
        return Names.relaxed();
    }

    @ParameterizedTest
    @MethodSource("relaxed")
    void rfc3986Section22CharactersThatClientsForgetToEncode(Names.Written written) throws IOException {
        RawHttp.Response answer = get(Names.DATASET + "/" + written.target());
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo(written.name());
    }

    @Test
    void rfc9112Section322AbsoluteForm() throws IOException {
        assertThat(RawHttp.get(uri, "http://localhost/files/names/a%20b.txt").text())
                .isEqualTo("a b.txt");
    }

    // ---- RFC 3986, sections 2.1, 2.4 and 3.3: what is no name

    static Stream<String> malformed() {
        return Names.malformed();
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void rfc3986Section33WhatIsNoPathIsRefused(String target) throws IOException {
        RawHttp.Response answer = get(Names.DATASET + "/" + target);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.headers()).noneMatch(header -> header.startsWith("X-Evil"));
        assertThat(answer.text()).doesNotContain("Exception", "org.");
    }

    static Stream<String> unparsable() {
        return Names.unparsable();
    }

    @ParameterizedTest
    @MethodSource("unparsable")
    void rfc9112Section3WhatNoRequestLineHolds(String target) throws IOException {
        RawHttp.Response answer = get(Names.DATASET + "/" + target);
        if (answer.status() == 200 && isLenient()) {
            assertThat(answer.text()).isEqualTo(target);
        } else {
            assertThat(answer.status()).as(answer.text()).isIn(400, isLenient() ? 404 : 400);
            assertThat(answer.text()).doesNotContain("Exception", "org.", "Tomcat");
        }
    }

    @ParameterizedTest
    @MethodSource("absent")
    void whatTheArchiveLacksIsNotFound(String target) throws IOException {
        RawHttp.Response answer = get(Names.DATASET + "/" + target);
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.header("Content-Type")).hasValue("application/problem+json");
    }

    static Stream<String> absent() {
        return Stream.of(
                "none",
                "A%20B.txt",
                "a%20b.tx",
                "a%20b.txt.",
                "a%20b.txt%20",
                "%C3%A9",
                "%E2%80%8B%E2%80%8B",
                "%EF%BC%8Fa",
                "%E2%80%A5/x",
                "x".repeat(256),
                "%E6%BD%AE".repeat(86),
                "%2520",
                "none/none",
                "a%20b.txt/x");
    }

    // ---- RFC 6266

    @ParameterizedTest
    @MethodSource("files")
    void rfc6266Section42InlineIsSandboxed(String path) throws IOException {
        RawHttp.Response answer = get(Names.DATASET + "/" + encode(path) + "?disposition=inline");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Disposition").orElseThrow()).startsWith("inline; ");
        assertThat(savedName(answer)).isEqualTo(lastName(path));
        assertThat(answer.header("Content-Security-Policy").orElse("")).contains("sandbox", "default-src 'none'");
        assertThat(answer.header("X-Content-Type-Options")).hasValue("nosniff");
    }

    // ---- listings

    @Test
    void everyNameIsFoundByFollowingTheLinks() throws IOException {
        Map<String, String> found = new TreeMap<>();
        walk("names/", found);
        Map<String, String> expected = new TreeMap<>();
        Names.files().forEach(path -> expected.put(path, path));
        assertThat(found).isEqualTo(expected);
    }

    private void walk(String target, Map<String, String> found) throws IOException {
        RawHttp.Response page = get(target);
        assertThat(page.status()).isEqualTo(200);
        Matcher links = HREF.matcher(page.text());
        while (links.find()) {
            String link = links.group(1);
            if (link.equals("../")) {
                continue;
            }
            assertThat(link).matches("[A-Za-z0-9%._~-]+/?");
            if (link.endsWith("/")) {
                walk(target + link, found);
            } else {
                String path = decode((target + link).substring("names/".length()));
                found.put(path, get(target + link).text());
            }
        }
    }

    private static String decode(String path) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < path.length(); i++) {
            if (path.charAt(i) == '%') {
                bytes.write(Integer.parseInt(path.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                bytes.writeBytes(path.substring(i, i + 1).getBytes(US_ASCII));
            }
        }
        return bytes.toString(UTF_8);
    }

    // ---- persistent identifiers

    static Stream<Names.Id> ids() {
        return Names.ids().stream();
    }

    @ParameterizedTest
    @MethodSource("ids")
    void idsInTheirWrittenFormReachListingsAndFiles(Names.Id id) throws IOException {
        RawHttp.Response page = get(id.target());
        assertThat(page.status()).as(page.text()).isEqualTo(200);
        assertThat(HREF.matcher(page.text()).results().map(match -> match.group(1)))
                .containsExactly("data/");
        JsonNode json = Requests.json(get(id.target() + "data/", "Accept: application/json"));
        assertThat(json.path("items").path(0).path("href").asText()).isEqualTo("a%20b.txt");
        assertThat(get(id.target() + "data/a%20b.txt").text()).isEqualTo("data/a b.txt");

        // without its slash an id is sent on, by a reference that is relative to it
        String bare = id.target().substring(0, id.target().length() - 1);
        RawHttp.Response redirect = get(bare);
        assertThat(redirect.status()).isEqualTo(308);
        String location = redirect.header("Location").orElseThrow();
        URI resolved = uri.resolve("/files/" + bare.replaceAll("[<>]", "_")).resolve(location);
        assertThat(resolved.getRawPath()).isEqualTo("/files/" + id.target());
    }
}
