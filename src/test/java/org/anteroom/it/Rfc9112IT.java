package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.anteroom.testing.RawHttp;
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

    /**
     * Bytes that are sent, and what is right then.
     *
     * @param stays whether the connection does
     */
    record Vector(String what, String request, List<Integer> statuses, boolean stays) {
        @Override
        public String toString() {
            return what;
        }
    }

    /** The answer is the last of the connection. */
    private static Vector ends(String what, String request, Integer... statuses) {
        return new Vector(what, request, Arrays.asList(statuses), false);
    }

    /** The connection goes on with the next request. */
    private static Vector stays(String what, String request, Integer... statuses) {
        return new Vector(what, request, Arrays.asList(statuses), true);
    }

    static Stream<Vector> vectors() {
        return Stream.of(requestLines(), targets(), fields(), bodies(), sizes()).flatMap(vectors -> vectors);
    }

    /** Section 3. */
    private static Stream<Vector> requestLines() {
        return Stream.of(
                ends("a method alone", "GET\r\n" + HOST + "\r\n", 400),
                ends("a space before the method", " " + GET + HOST + "\r\n", 400),
                ends("a method that is no token", "G@T " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 400, 501),
                ends("a control character in the method", "GE\u0001T " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 400),
                stays("a method in lower case", "get " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 405),
                stays("an unknown method", "BREW " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 405),
                stays("TRACE", "TRACE " + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 405),
                ends("HTTP/9.9", "GET " + FILE + " HTTP/9.9\r\n" + HOST + "\r\n", 505),
                ends("no version of HTTP", "GET " + FILE + " FTP/1.1\r\n" + HOST + "\r\n", 400, 505),
                ends("a word too many", "GET " + FILE + " x HTTP/1.1\r\n" + HOST + "\r\n", 400, 505),
                stays("empty lines before it", "\r\n\r\n" + GET + HOST + "\r\n", 200),
                ends("HTTP/1.0", "GET " + FILE + " HTTP/1.0\r\n\r\n", 200));
    }

    /** Section 3.2. */
    private static Stream<Vector> targets() {
        return Stream.of(
                stays("absolute form", "GET http://localhost" + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 200),
                ends("absolute form of another host", "GET http://other" + FILE + " HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("authority form", "GET localhost:80 HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("asterisk form", "GET * HTTP/1.1\r\n" + HOST + "\r\n", 400, 404),
                ends("no slash", "GET files/d/f HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("a double quote", "GET " + FILE + "\" HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("an angle bracket", "GET " + FILE + "< HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("a fragment", "GET " + FILE + "#x HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("a backslash", "GET /files\\d\\f HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("a raw byte past ASCII", "GET " + FILE + "\u00e9 HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("a raw NUL", "GET " + FILE + "\u0000 HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("an encoded NUL", "GET " + FILE + "%00 HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("an encoded line end", "GET " + FILE + "%0d%0aX: y HTTP/1.1\r\n" + HOST + "\r\n", 400, 505),
                ends("a broken escape", "GET " + FILE + "%zz HTTP/1.1\r\n" + HOST + "\r\n", 400),
                ends("bytes that are no UTF-8", "GET " + FILE + "%ff HTTP/1.1\r\n" + HOST + "\r\n", 400));
    }

    /** Section 3.2, 5. */
    private static Stream<Vector> fields() {
        return Stream.of(
                ends("no Host", GET + "\r\n", 400),
                ends("two Hosts", GET + HOST + HOST + "\r\n", 400),
                ends("a Host with a space", GET + "Host: a b\r\n\r\n", 400),
                ends("a Host with a slash", GET + "Host: a/b\r\n\r\n", 400),
                ends("a Host with a port that is none", GET + "Host: a:b\r\n\r\n", 400),
                ends("a line without a colon", GET + HOST + "Range\r\n\r\n", 400),
                ends("a name with a space", GET + HOST + "Ran ge: bytes=0-0\r\n\r\n", 400),
                ends("a space before the colon", GET + HOST + "Range : bytes=0-0\r\n\r\n", 400),
                ends("no name", GET + HOST + ": x\r\n\r\n", 400),
                ends("a NUL in a value", GET + HOST + "Range: bytes=0\u0000-0\r\n\r\n", 400),
                ends("a control character in a value", GET + HOST + "Range: bytes=\u00010-0\r\n\r\n", 400),
                ends("a bare CR in a value", GET + HOST + "Range: bytes=0-0\rX: y\r\n\r\n", 400),
                stays("a folded line", GET + HOST + "Range: bytes=0-0,\r\n 5-5\r\n\r\n", 206),
                stays("bytes past ASCII in a value", GET + HOST + "Range: bytes=\u00e9\r\n\r\n", 200),
                ends("an expectation that is unknown", GET + HOST + "Expect: miracles\r\n\r\n", 417),
                stays(
                        "an upgrade to what is unknown",
                        GET + HOST + "Connection: Upgrade\r\nUpgrade: x/1\r\n\r\n",
                        200));
    }

    /** Section 6. */
    private static Stream<Vector> bodies() {
        return Stream.of(
                ends("a length that is no number", GET + HOST + "Content-Length: abc\r\n\r\n", 400),
                ends("a negative length", GET + HOST + "Content-Length: -1\r\n\r\n", 400),
                ends("a signed length", GET + HOST + "Content-Length: +0\r\n\r\n", 400),
                ends("a length past all numbers", GET + HOST + "Content-Length: 99999999999999999999\r\n\r\n", 400),
                ends("two lengths", GET + HOST + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n", 400),
                ends("a list of lengths", GET + HOST + "Content-Length: 0, 5\r\n\r\n", 400),
                ends("an unknown coding", GET + HOST + "Transfer-Encoding: xchunked\r\n\r\n", 400, 501),
                ends("chunked twice", GET + HOST + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400, 501),
                ends("chunked not last", GET + HOST + "Transfer-Encoding: chunked, gzip\r\n\r\n", 400, 501),
                ends(
                        "a length and chunks",
                        GET + HOST + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        400,
                        200),
                ends(
                        "chunks of a size that is none",
                        GET + HOST + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                        400,
                        200),
                stays("a body that nobody asked for", GET + HOST + "Content-Length: 5\r\n\r\nhello", 200),
                stays(
                        "chunks that nobody asked for",
                        GET + HOST + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                        200));
    }

    private static Stream<Vector> sizes() {
        return Stream.of(
                ends("a header of 12 KB", GET + HOST + "X: " + "x".repeat(12_000) + "\r\n\r\n", 400, 431),
                ends("a Range of 12 KB", GET + HOST + "Range: bytes=0-0" + ",0-0".repeat(3_000) + "\r\n\r\n", 400, 431),
                ends("a target of 12 KB", "GET " + FILE + "x".repeat(12_000) + " HTTP/1.1\r\n" + HOST, 400, 414),
                ends("a thousand header lines", GET + HOST + "X: y\r\n".repeat(1000) + "\r\n", 400, 431));
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
    void isAnsweredWithTheRightStatusAndTheConnectionStaysOrEnds(Vector vector) throws IOException {
        try (RawHttp http = RawHttp.connect(site.uri())) {
            send(http, vector.request());
            RawHttp.Response answer = http.response("GET");
            assertThat(answer.status()).as(answer.text()).isIn(vector.statuses());
            if (answer.status() == 200) {
                assertThat(answer.body()).isEqualTo(bytes);
            } else {
                assertThat(answer.text()).doesNotContain("Exception", "org.apache", "Tomcat", "\tat ");
            }
            assertThat(answer.headers()).noneMatch(header -> header.startsWith("X:"));
            if (vector.stays()) {
                assertThat(answer.header("Connection").orElse("")).isNotEqualTo("close");
                http.request("GET", FILE);
                RawHttp.Response next = http.response("GET");
                assertThat(next.status()).isEqualTo(200);
                assertThat(next.body()).isEqualTo(bytes);
            } else {
                send(http, GET + HOST + "\r\n");
                assertThat(isOver(http)).isTrue();
            }
        }
    }

    private static void send(RawHttp http, String request) throws IOException {
        try {
            http.send(request);
        } catch (SocketException e) {
            // the other side has closed before it was all there, which the answer tells
        }
    }

    /** Whether nothing more comes. */
    private static boolean isOver(RawHttp http) throws IOException {
        try {
            return http.read(new byte[1]) < 0;
        } catch (SocketException e) {
            // what was sent came to a closed socket
            return true;
        }
    }
}
