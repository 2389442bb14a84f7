package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.anteroom.testing.RawHttp;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** RFC 9112: messages that are malformed, or well-formed but rare, and the state of the connection after them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Rfc9112IT {
    private static final String FILE = "/files/d/f";
    private static final String GET = "GET " + FILE + " HTTP/1.1\r\n";
    private static final String HOST = "Host: localhost\r\n";

    private Site site;
    private byte[] bytes = {};

    /** Bytes that are sent, and the statuses that are right. */
    record Vector(String what, String request, List<Integer> statuses) {
        @Override
        public String toString() {
            return what;
        }
    }

    private static Vector of(String what, String request, Integer... statuses) {
        return new Vector(what, request, Arrays.asList(statuses));
    }

    static Stream<Vector> vectors() {
        return Stream.of(requestLines(), targets(), fields(), bodies(), sizes()).flatMap(vectors -> vectors);
    }

    /** Section 3. */
    private static Stream<Vector> requestLines() {
        return Stream.of(
                of("a method alone", "GET\r\n" + HOST + "\r\n", 400),
                of("a space before the method", " " + GET + HOST + "\r\n", 400),
                of("a method that is no token", "G@T " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 400, 501),
                of("a control character in the method", "GE\u0001T " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("a method in lower case", "get " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 405, 501),
                of("an unknown method", "BREW " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 405, 501),
                of("TRACE", "TRACE " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 405),
                of("HTTP/9.9", "GET " + FILE + " HTTP/9.9\r\n" + HOST + "\r\n", 505),
                of("no version of HTTP", "GET " + FILE + " FTP/1.1\r\n" + HOST + "\r\n", 400, 505),
                of("a word too many", "GET " + FILE + " x HTTP/1.1\r\n" + HOST + "\r\n", 400, 505),
                of("empty lines before it", "\r\n\r\n" + GET + HOST + "\r\n", 200),
                of("HTTP/1.0", "GET " + FILE + " HTTP/1.0\r\n\r\n", 200));
    }

    /** Section 3.2. */
    private static Stream<Vector> targets() {
        return Stream.of(
                of("absolute form", "GET http://localhost" + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 200),
                of("absolute form of another host", "GET http://other" + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("authority form", "GET localhost:80 HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("asterisk form", "GET * HTTP/1.1\r\n" + HOST + "\r\n", 400, 404),
                of("no slash", "GET files/d/f HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("a double quote", "GET " + FILE + "\" HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("an angle bracket", "GET " + FILE + "< HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("a fragment", "GET " + FILE + "#x HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("a backslash", "GET /files\\d\\f HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("a raw byte past ASCII", "GET " + FILE + "\u00e9 HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("a raw NUL", "GET " + FILE + "\u0000 HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("an encoded NUL", "GET " + FILE + "%00 HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("an encoded line end", "GET " + FILE + "%0d%0aX: y HTTP/1.1\r\n" + HOST + "\r\n", 400, 505),
                of("a broken escape", "GET " + FILE + "%zz HTTP/1.1\r\n" + HOST + "\r\n", 400),
                of("bytes that are no UTF-8", "GET " + FILE + "%ff HTTP/1.1\r\n" + HOST + "\r\n", 400));
    }

    /** Section 3.2, 5. */
    private static Stream<Vector> fields() {
        return Stream.of(
                of("no Host", GET + "\r\n", 400),
                of("two Hosts", GET + HOST + HOST + "\r\n", 400),
                of("a Host with a space", GET + "Host: a b\r\n\r\n", 400),
                of("a Host with a slash", GET + "Host: a/b\r\n\r\n", 400),
                of("a Host with a port that is none", GET + "Host: a:b\r\n\r\n", 400),
                of("a line without a colon", GET + HOST + "Range\r\n\r\n", 400),
                of("a name with a space", GET + HOST + "Ran ge: bytes=0-0\r\n\r\n", 400),
                of("a space before the colon", GET + HOST + "Range : bytes=0-0\r\n\r\n", 400),
                of("no name", GET + HOST + ": x\r\n\r\n", 400),
                of("a NUL in a value", GET + HOST + "Range: bytes=0\u0000-0\r\n\r\n", 400),
                of("a control character in a value", GET + HOST + "Range: bytes=\u00010-0\r\n\r\n", 400),
                of("a bare CR in a value", GET + HOST + "Range: bytes=0-0\rX: y\r\n\r\n", 400),
                of("a folded line", GET + HOST + "Range: bytes=0-0,\r\n 5-5\r\n\r\n", 400, 200, 206),
                of("bytes past ASCII in a value", GET + HOST + "Range: bytes=\u00e9\r\n\r\n", 200),
                of("an expectation that is unknown", GET + HOST + "Expect: miracles\r\n\r\n", 417),
                of("an upgrade to what is unknown", GET + HOST + "Connection: Upgrade\r\nUpgrade: x/1\r\n\r\n", 200));
    }

    /** Section 6. */
    private static Stream<Vector> bodies() {
        return Stream.of(
                of("a length that is no number", GET + HOST + "Content-Length: abc\r\n\r\n", 400),
                of("a negative length", GET + HOST + "Content-Length: -1\r\n\r\n", 400),
                of("a signed length", GET + HOST + "Content-Length: +0\r\n\r\n", 400),
                of("a length past all numbers", GET + HOST + "Content-Length: 99999999999999999999\r\n\r\n", 400),
                of("two lengths", GET + HOST + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n", 400),
                of("a list of lengths", GET + HOST + "Content-Length: 0, 5\r\n\r\n", 400),
                of("an unknown coding", GET + HOST + "Transfer-Encoding: xchunked\r\n\r\n", 400, 501),
                of("chunked twice", GET + HOST + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400, 501),
                of("chunked not last", GET + HOST + "Transfer-Encoding: chunked, gzip\r\n\r\n", 400, 501),
                of(
                        "a length and chunks",
                        GET + HOST + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        400,
                        200),
                of("chunks of a size that is none", GET + HOST + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, 200),
                of("a body that nobody asked for", GET + HOST + "Content-Length: 5\r\n\r\nhello", 200),
                of(
                        "chunks that nobody asked for",
                        GET + HOST + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                        200));
    }

    private static Stream<Vector> sizes() {
        return Stream.of(
                of("a header of 100 KB", GET + HOST + "X: " + "x".repeat(100_000) + "\r\n\r\n", 400, 431),
                of("a Range of 100 KB", GET + HOST + "Range: bytes=0-0" + ",0-0".repeat(25_000) + "\r\n\r\n", 400, 431),
                of("a target of 100 KB", "GET " + FILE + "x".repeat(100_000) + " HTTP/1.1\r\n" + HOST, 400, 414),
                of("a thousand header lines", GET + HOST + "X: y\r\n".repeat(1000) + "\r\n", 400, 431));
    }

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        site = Site.start(Site.Server.TOMCAT, folder);
        bytes = site.put("f", 20_000);
        site.getHit("f");
    }

    @AfterAll
    void stop() throws IOException {
        site.close();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void isAnsweredWithTheRightStatusAndLeavesTheConnectionSane(Vector vector) throws IOException {
        try (RawHttp http = RawHttp.connect(site.uri())) {
            send(http, vector.request());
            RawHttp.Response answer = answer(http, vector);
            if (answer == null) {
                return;
            }
            assertThat(answer.status()).as(answer.text()).isIn(vector.statuses());
            if (answer.status() == 200) {
                assertThat(answer.body()).isEqualTo(bytes);
            } else {
                assertThat(answer.text()).doesNotContain("Exception", "org.apache", "Tomcat", "\tat ");
            }
            assertThat(answer.headers()).noneMatch(header -> header.startsWith("X:"));
            RawHttp.Response next = next(http);
            if (next != null) {
                assertThat(next.status()).isEqualTo(200);
                assertThat(next.body()).isEqualTo(bytes);
            }
        }
    }

    private static void send(RawHttp http, String request) throws IOException {
        try {
            http.send(request);
        } catch (IOException e) {
            // refused before it was all there, which the answer tells
        }
    }

    /** Null if the connection was reset, which may overtake the answer where not all was read. */
    private static RawHttp.@Nullable Response answer(RawHttp http, Vector vector) throws IOException {
        try {
            return http.response("GET");
        } catch (java.net.SocketException e) {
            assertThat(vector.request().length()).as(e.getMessage()).isGreaterThan(8192);
            return null;
        }
    }

    private static RawHttp.@Nullable Response next(RawHttp http) {
        try {
            http.request("GET", FILE);
            return http.response("GET");
        } catch (IOException e) {
            return null;
        }
    }
}
