package org.anteroom.archive.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.OpenedFile;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.FaultServer;
import org.anteroom.testing.Origin;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the archive makes of servers that do more or less than they should. */
@Timeout(60)
class HttpArchiveFaultsTest {
    private static final FileKey KEY = FileKey.of("d", "a.bin");
    private static final String TARGET = "/d/a.bin";
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final Tasks tasks = new Tasks(new Metrics());
    private final Origin origin = new Origin();
    private final List<HttpArchive> archives = new ArrayList<>();
    private final byte[] bytes = new byte[300_000];
    private FaultServer server;
    private HttpArchive archive;

    @BeforeEach
    void start() throws IOException {
        new Random(1).nextBytes(bytes);
        origin.put(TARGET, bytes);
        server = FaultServer.start(origin);
        archive = archive(server.uri(), null, LONG, LONG);
    }

    @AfterEach
    void stop() throws IOException {
        for (HttpArchive each : archives) {
            assertThat(each.connectionsInUse()).as("connections in use").isZero();
            each.close();
        }
        assertThat(tasks.stop(Duration.ofSeconds(10))).isEmpty();
        server.close();
    }

    private HttpArchive archive(
            URI location, @Nullable HttpCredentials credentials, Duration firstByte, Duration stall) {
        HttpArchive made = new HttpArchive(
                new HttpArchiveSettings(location, credentials, 2, Duration.ofSeconds(5), firstByte, stall),
                tasks,
                Ticker.systemTicker());
        archives.add(made);
        return made;
    }

    private FileFacts facts() {
        return new FileFacts(bytes.length, null, Origin.tag(bytes), null, null);
    }

    private static FailureException fails(FailureReason reason, ThrowingCallable call) {
        FailureException[] thrown = new FailureException[1];
        assertThatThrownBy(call).isInstanceOfSatisfying(FailureException.class, failure -> {
            assertThat(failure.reason()).as(failure.toString()).isEqualTo(reason);
            thrown[0] = failure;
        });
        return thrown[0];
    }

    private byte[] read(FileFacts facts, long offset) throws IOException {
        try (ArchiveStream stream = archive.open(KEY, facts, offset)) {
            return readAll(stream);
        }
    }

    private static byte[] readAll(ArchiveStream stream) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(50_000);
        for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer.clear())) {
            all.write(buffer.array(), 0, count);
        }
        return all.toByteArray();
    }

    private void answer(String... head) {
        server.behave(exchange -> {
            exchange.send("HTTP/1.1 " + String.join("\r\n", head) + "\r\n\r\n");
            exchange.end();
        });
    }

    // ---- what it asks

    @Test
    void strongTagIsTakenAndAskedFor() throws IOException {
        FileFacts facts = archive.head(KEY);
        assertThat(facts).isEqualTo(facts());
        assertThat(read(facts, 0)).isEqualTo(bytes);
        assertThat(read(facts, 299_990)).isEqualTo(Arrays.copyOfRange(bytes, 299_990, 300_000));
        List<FaultServer.Request> requests = server.requests();
        assertThat(requests).extracting(FaultServer.Request::method).containsExactly("HEAD", "GET", "GET");
        assertThat(requests.get(1).fields()).containsEntry("if-match", Origin.tag(bytes));
        assertThat(requests.get(1).fields()).doesNotContainKeys("range", "if-range", "upgrade", "cookie");
        assertThat(requests.get(2).fields()).containsEntry("range", "bytes=299990-");
        assertThat(requests)
                .allSatisfy(request -> assertThat(request.fields())
                        .containsEntry("accept-encoding", "identity")
                        .containsEntry("user-agent", "Anteroom")
                        .doesNotContainKey("authorization"));
        assertThat(server.connections()).as("kept and used again").isEqualTo(1);
    }

    @Test
    void eachSegmentIsEncodedOnceAndTheIdIsOneOfThem() throws IOException {
        archive = archive(server.uri().resolve("base/files/"), null, LONG, LONG);
        FileKey key = FileKey.of("doi:10.5072/a+b@c%", "x y/潮;=&?#[]\\'\"..z~");
        fails(FailureReason.NOT_FOUND, () -> archive.head(key));
        assertThat(server.requests().get(0).target())
                .isEqualTo(
                        "/base/files/doi%3A10.5072%2Fa%2Bb%40c%25/x%20y/%E6%BD%AE%3B%3D%26%3F%23%5B%5D%5C%27%22..z~");
    }

    @Test
    void credentialsGoToTheServerAndNowhereElse() throws IOException {
        HttpCredentials credentials = new HttpCredentials("reader", "pässword");
        assertThat(credentials.toString()).contains("reader").doesNotContain("ssword");
        archive = archive(server.uri(), credentials, LONG, LONG);
        archive.head(KEY);
        String login = "reader:pässword";
        assertThat(server.requests().get(0).fields())
                .containsEntry("authorization", "Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8)));
    }

    @Test
    void requestOverAConnectionThatWasClosedMeanwhileIsMadeOnceMore() throws IOException {
        archive.head(KEY);
        AtomicInteger asked = new AtomicInteger();
        server.behave(exchange -> {
            if (asked.incrementAndGet() == 1) {
                exchange.end();
            } else {
                origin.answer(exchange);
            }
        });
        assertThat(archive.head(KEY)).isEqualTo(facts());
        server.behave(FaultServer.Exchange::end);
        server.forgetRequests();
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        assertThat(server.requests()).hasSize(2);
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        assertThat(server.requests()).as("over a new one it is not").hasSize(3);
    }

    // ---- what it is told

    @Test
    void weakTagSaysNothingAndTheTimeOfChangeCounts() throws IOException {
        answer(
                "200 OK",
                "Content-Length: 10",
                "ETag: W/\"1\"",
                "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
                "Content-Type: text/plain; charset=utf-8");
        FileFacts facts = archive.head(KEY);
        assertThat(facts)
                .isEqualTo(new FileFacts(
                        10,
                        Instant.parse("1994-11-06T08:49:37Z"),
                        "\"a-2ebc98a1-0\"",
                        null,
                        "text/plain; charset=utf-8"));
        server.forgetRequests();
        fails(FailureReason.ARCHIVE_FAILED, () -> read(facts, 0));
        assertThat(server.requests().get(0).fields())
                .containsEntry("if-unmodified-since", "Sun, 06 Nov 1994 08:49:37 GMT")
                .doesNotContainKey("if-match");
    }

    @Test
    void nothingIsMadeUpWhereNothingIsTold() throws IOException {
        answer("200 OK", "Content-Length: 10", "ETag: unquoted", "Content-Type: application/octet-stream");
        assertThat(archive.head(KEY)).isEqualTo(new FileFacts(10, null, null, null, null));
        answer("200 OK", "ETag: \"t\"", "Content-Type: no type");
        assertThat(archive.head(KEY)).isEqualTo(new FileFacts(FileFacts.UNKNOWN_SIZE, null, "\"t\"", null, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Repr-Digest: sha-256=:%s:",
                "Repr-Digest: md5=:AAAA:, sha-256=:%s:",
                "Digest: SHA-256=%s",
                "Digest: md5=AAAA,sha-256=%s"
            })
    void checksumIsTaken(String field) throws IOException {
        Sha256 digest = Sha256.of(bytes);
        answer("200 OK", "Content-Length: 300000", field.formatted(digest.base64()));
        assertThat(archive.head(KEY).sha256()).isEqualTo(digest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Repr-Digest: sha-256=:AAAA:", "Digest: sha-256=!", "Content-Digest: sha-256=:%s:"})
    void whatIsNoChecksumOfTheFileIsNone(String field) throws IOException {
        answer(
                "200 OK",
                "Content-Length: 300000",
                field.formatted(Sha256.of(bytes).base64()));
        assertThat(archive.head(KEY).sha256()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {405, 501})
    void whereHeadIsNotKnownTheFirstByteIsAskedFor(int status) throws IOException {
        server.behave(exchange -> {
            if (exchange.request().method().equals("HEAD")) {
                exchange.send("HTTP/1.1 " + status + " No\r\nContent-Length: 0\r\n\r\n");
            } else {
                origin.answer(exchange);
            }
        });
        assertThat(archive.head(KEY)).isEqualTo(facts());
        assertThat(server.requests().get(1).fields()).containsEntry("range", "bytes=0-0");
    }

    @Test
    void emptyFileHasNoFirstByte() throws IOException {
        server.behave(exchange -> {
            boolean head = exchange.request().method().equals("HEAD");
            exchange.send(
                    head
                            ? "HTTP/1.1 501 No\r\nContent-Length: 0\r\n\r\n"
                            : "HTTP/1.1 416 No\r\nETag: \"e\"\r\nContent-Range: bytes */0\r\nContent-Length: 0\r\n\r\n");
        });
        FileFacts facts = archive.head(KEY);
        assertThat(facts).isEqualTo(new FileFacts(0, null, "\"e\"", null, null));
        assertThat(read(facts, 0)).isEmpty();
    }

    @Test
    void fileOfUnknownLengthIsReadInChunksToItsEnd() throws IOException {
        server.behave(exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"c\"\r\n\r\n");
            if (exchange.request().method().equals("GET")) {
                exchange.send("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
            }
        });
        FileFacts facts = archive.head(KEY);
        assertThat(facts.hasSize()).isFalse();
        assertThat(read(facts, 0)).asString().isEqualTo("hello world");
        assertThat(archive.canSeek(KEY, facts)).isFalse();
    }

    // ---- what it does not take

    @ParameterizedTest
    @CsvSource({
        "404, NOT_FOUND",
        "410, NOT_FOUND",
        "400, ARCHIVE_REFUSED",
        "401, ARCHIVE_REFUSED",
        "403, ARCHIVE_REFUSED",
        "451, ARCHIVE_REFUSED",
        "408, ARCHIVE_TIMEOUT",
        "429, OVERLOADED",
        "500, ARCHIVE_FAILED",
        "502, ARCHIVE_FAILED",
        "503, ARCHIVE_FAILED",
        "504, ARCHIVE_TIMEOUT",
        "204, ARCHIVE_FAILED",
        "206, ARCHIVE_FAILED",
        "304, ARCHIVE_FAILED",
        "300, ARCHIVE_FAILED"
    })
    void statusesHaveTheirReasons(int status, FailureReason reason) {
        answer(status + " Whatever", "Content-Length: 0");
        fails(reason, () -> archive.head(KEY));
        fails(reason, () -> archive.openNew(KEY));
        fails(reason, () -> archive.open(KEY, facts(), 0));
    }

    @Test
    void serverThatAsksForRestGetsIt() {
        answer("503 Busy", "Retry-After: 7", "Content-Length: 0");
        assertThat(fails(FailureReason.OVERLOADED, () -> archive.head(KEY)).retryAfter())
                .contains(Duration.ofSeconds(7));
        answer(
                "429 Busy",
                "Date: Sun, 06 Nov 1994 08:49:37 GMT",
                "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT",
                "Content-Length: 0");
        assertThat(fails(FailureReason.OVERLOADED, () -> archive.head(KEY)).retryAfter())
                .contains(Duration.ofMinutes(1));
        answer("429 Busy", "Retry-After: 999999", "Content-Length: 0");
        assertThat(fails(FailureReason.OVERLOADED, () -> archive.head(KEY)).retryAfter())
                .contains(Duration.ofMinutes(5));
        answer("429 Busy", "Retry-After: soon", "Content-Length: 0");
        assertThat(fails(FailureReason.OVERLOADED, () -> archive.head(KEY)).retryAfter())
                .isEmpty();
    }

    @Test
    void encodedBodiesAreRefused() {
        answer("200 OK", "Content-Length: 10", "Content-Encoding: gzip");
        fails(FailureReason.ARCHIVE_REFUSED, () -> archive.head(KEY));
        fails(FailureReason.ARCHIVE_REFUSED, () -> archive.open(KEY, facts(), 0));
        answer("206 Partial", "Content-Length: 10", "Content-Encoding: gzip", "Content-Range: bytes 5-14/300000");
        fails(FailureReason.ARCHIVE_REFUSED, () -> archive.open(KEY, facts(), 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: ten",
                "Content-Length: -1",
                "Content-Length: 10\r\nContent-Length: 11",
                "Content-Length: 99999999999999999999999"
            })
    void senselessLengthsAreFailures(String field) {
        answer("200 OK", field);
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.openNew(KEY));
    }

    @ParameterizedTest
    @CsvSource({
        "'', ARCHIVE_FAILED",
        "bytes 0-299999/300000, ARCHIVE_FAILED",
        "bytes 6-299999/300000, ARCHIVE_FAILED",
        "bytes 5-4/300000, ARCHIVE_FAILED",
        "bytes 5-300000/300000, ARCHIVE_FAILED",
        "lines 5-299999/300000, ARCHIVE_FAILED",
        "bytes 5-299998/299999, FILE_CHANGED"
    })
    void wrongRangesAreNotTaken(String range, FailureReason reason) {
        answer(
                "206 Partial",
                "ETag: " + Origin.tag(bytes),
                "Content-Length: 299995",
                range.isEmpty() ? "X: y" : "Content-Range: " + range);
        fails(reason, () -> archive.open(KEY, facts(), 5));
    }

    @Test
    void shorterRangeThanAskedForIsABreak() throws IOException {
        server.behave(exchange -> {
            exchange.send("HTTP/1.1 206 Partial\r\nETag: " + Origin.tag(bytes)
                    + "\r\nContent-Range: bytes 5-14/300000\r\nContent-Length: 10\r\n\r\n0123456789");
        });
        try (ArchiveStream stream = archive.open(KEY, facts(), 5)) {
            assertThat(stream.read(ByteBuffer.allocate(100))).isEqualTo(10);
            fails(FailureReason.ARCHIVE_FAILED, () -> stream.read(ByteBuffer.allocate(100)));
        }
    }

    @Test
    void anotherFileIsNotReadAsTheOldOneWhateverTheServerHeeds() throws IOException {
        FileFacts old = facts();
        origin.put(TARGET, new byte[300_000]);
        fails(FailureReason.FILE_CHANGED, () -> archive.open(KEY, old, 0));
        answer("200 OK", "ETag: \"other\"", "Content-Length: 300000");
        fails(FailureReason.FILE_CHANGED, () -> archive.open(KEY, old, 0));
        answer("206 Partial", "ETag: \"other\"", "Content-Length: 299995", "Content-Range: bytes 5-299999/300000");
        fails(FailureReason.FILE_CHANGED, () -> archive.open(KEY, old, 5));
        answer("206 Partial", "Content-Length: 299995", "Content-Range: bytes 5-299999/300000");
        fails(FailureReason.FILE_CHANGED, () -> archive.open(KEY, old, 5));
        answer("416 No", "Content-Range: bytes */5", "Content-Length: 0");
        fails(FailureReason.FILE_CHANGED, () -> archive.open(KEY, old, 5));
    }

    // ---- servers without ranges

    @Test
    void serverWithoutRangesIsReadOverAndRemembered() throws IOException {
        server.behave(exchange -> exchange.send("HTTP/1.1 200 OK\r\nETag: " + Origin.tag(bytes)
                + "\r\nContent-Length: 300000\r\n\r\n" + new String(bytes, ISO_8859_1)));
        assertThat(archive.canSeek(KEY, facts())).isTrue();
        assertThat(read(facts(), 299_990)).isEqualTo(Arrays.copyOfRange(bytes, 299_990, 300_000));
        assertThat(archive.canSeek(KEY, facts())).isFalse();
        assertThat(archive.canSeek(FileKey.of("d", "b.bin"), facts())).isTrue();
    }

    @Test
    void farOffsetIsRefusedThere() {
        long size = 2 * HttpArchive.MOST_SKIPPED;
        answer("200 OK", "ETag: \"t\"", "Content-Length: " + size);
        FileFacts facts = new FileFacts(size, null, "\"t\"", null, null);
        fails(FailureReason.ARCHIVE_REFUSED, () -> archive.open(KEY, facts, size - 1));
    }

    @Test
    void serverThatSaysSoIsNotAskedForRanges() throws IOException {
        answer("200 OK", "ETag: \"t\"", "Content-Length: 10", "Accept-Ranges: none");
        FileFacts facts = archive.head(KEY);
        assertThat(archive.canSeek(KEY, facts)).isFalse();
    }

    // ---- redirects

    @Test
    void redirectsAreFollowedBelowTheBase() throws IOException {
        server.behave(exchange -> {
            if (exchange.request().target().equals("/base/d/a.bin")) {
                exchange.send("HTTP/1.1 302 Found\r\nLocation: ../there?key=1\r\nContent-Length: 3\r\n\r\n"
                        + (exchange.request().method().equals("GET") ? "abc" : ""));
            } else {
                exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nETag: \"t\"\r\n\r\n"
                        + (exchange.request().method().equals("GET") ? "x" : ""));
            }
        });
        archive = archive(server.uri().resolve("base"), null, LONG, LONG);
        FileFacts facts = archive.head(KEY);
        assertThat(read(facts, 0)).asString().isEqualTo("x");
        assertThat(server.requests())
                .extracting(FaultServer.Request::target)
                .containsExactly("/base/d/a.bin", "/base/there?key=1", "/base/d/a.bin", "/base/there?key=1");
        assertThat(server.connections()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.2:%d/base/d/x",
                "http://127.0.0.1:1/base/d/x",
                "https://127.0.0.1:%d/base/d/x",
                "http://user@127.0.0.1:%d/base/d/x",
                "//example.org/base/d/x",
                "/elsewhere/d/x",
                "/based",
                "../../up",
                "/base/%%2e%%2e/up",
                "/base/a%%2F..%%2F..%%2Fup",
                "/base/..%%5Cup",
                "file:///etc/passwd",
                "ht!tp:// nonsense"
            })
    void redirectsBeyondTheBaseAreRefused(String location) {
        answer("302 Found", "Location: " + location.formatted(server.uri().getPort()), "Content-Length: 0");
        archive = archive(server.uri().resolve("base"), null, LONG, LONG);
        fails(FailureReason.ARCHIVE_REFUSED, () -> archive.head(KEY));
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void redirectsWithoutEndAreEnded() {
        answer("302 Found", "Location: /d/a.bin", "Content-Length: 0");
        fails(FailureReason.ARCHIVE_REFUSED, () -> archive.head(KEY));
        assertThat(server.requests()).hasSize(1 + Upstream.MOST_REDIRECTS);
    }

    @Test
    void folderIsNoFile() {
        answer("301 Moved", "Location: /d/a.bin/", "Content-Length: 0");
        fails(FailureReason.NOT_FOUND, () -> archive.head(KEY));
        answer("301 Moved", "Location: /d/%61.bin/?x", "Content-Length: 0");
        fails(FailureReason.NOT_FOUND, () -> archive.head(KEY));
    }

    @Test
    void redirectToWhatEndsInASlashIsNoFolderUnlessThatIsAllItAdds() throws IOException {
        server.behave(exchange -> {
            boolean asked = exchange.request().target().equals(TARGET);
            exchange.send(
                    asked
                            ? "HTTP/1.1 302 Found\r\nLocation: /store/17/\r\nContent-Length: 0\r\n\r\n"
                            : "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nETag: \"t\"\r\n\r\n"
                                    + (exchange.request().method().equals("GET") ? "x" : ""));
        });
        assertThat(read(archive.head(KEY), 0)).asString().isEqualTo("x");
        server.behave(exchange -> exchange.send(
                exchange.request().target().equals(TARGET)
                        ? "HTTP/1.1 302 Found\r\nLocation: /login/\r\nContent-Length: 0\r\n\r\n"
                        : "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"));
        fails(FailureReason.ARCHIVE_REFUSED, () -> archive.head(KEY));
    }

    // ---- times of change

    private static String times(String change, String now) {
        return "Last-Modified: Tue, 01 Dec 2026 00:00:" + change + " GMT\r\nDate: Tue, 01 Dec 2026 00:00:" + now
                + " GMT\r\n";
    }

    @Test
    void timeOfChangeIsNoValidatorBeforeItsSecondIsOver() throws IOException {
        String[] fields = {times("07", "07")};
        server.behave(exchange -> exchange.send("HTTP/1.1 200 OK\r\n" + fields[0] + "Content-Length: 5\r\n\r\n"
                + (exchange.request().method().equals("GET") ? "hello" : "")));
        FileFacts fresh = archive.head(KEY);
        assertThat(fresh.etag()).isNull();
        assertThat(fresh.lastModified()).isNotNull();
        fields[0] = times("08", "07");
        assertThat(archive.head(KEY).etag()).as("a time to come").isNull();

        fields[0] = times("07", "08");
        FileFacts settled = archive.head(KEY);
        assertThat(settled.etag()).isNotNull();
        assertThat(read(settled, 0)).asString().isEqualTo("hello");
        assertThat(read(fresh, 0))
                .as("nothing says that it is another one")
                .asString()
                .isEqualTo("hello");
        fields[0] = times("08", "09");
        fails(FailureReason.FILE_CHANGED, () -> read(fresh, 0));
        fields[0] = times("07", "07");
        fails(FailureReason.FILE_CHANGED, () -> read(settled, 0));
    }

    // ---- breaking off, silence, nonsense

    @Test
    void serverThatIsNotThereIsAFailure() throws IOException {
        server.leave();
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        fails(FailureReason.ARCHIVE_FAILED, archive::probe);
        server.comeBack();
        assertThat(archive.head(KEY)).isEqualTo(facts());
        archive.probe();
    }

    @Test
    void nameThatDoesNotExistIsAFailure() {
        archive = archive(URI.create("http://no-such-host.invalid/"), null, LONG, LONG);
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
    }

    @Test
    void breakInMidBodyIsAFailureAndNeverAnEnd() throws IOException {
        FileFacts facts = archive.head(KEY);
        for (boolean reset : new boolean[] {false, true}) {
            server.behave(exchange -> {
                Origin.Answer answer = origin.decide(exchange);
                exchange.send(answer.head());
                answer.sendBody(exchange, 0, 180_000);
                if (reset) {
                    exchange.reset();
                }
                exchange.end();
            });
            fails(FailureReason.ARCHIVE_FAILED, () -> read(facts, 0));
        }
        server.behave(exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nETag: \"c\"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
            exchange.end();
        });
        FileFacts chunked = new FileFacts(FileFacts.UNKNOWN_SIZE, null, "\"c\"", null, null);
        fails(FailureReason.ARCHIVE_FAILED, () -> read(chunked, 0));
    }

    @Test
    void bodyThatEndsWithItsConnectionIsTakenOnlyWhereItsLengthIsKnown() throws IOException {
        server.behave(exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nETag: \"c\"\r\n\r\nhello");
            exchange.end();
        });
        assertThat(read(new FileFacts(5, null, "\"c\"", null, null), 0))
                .asString()
                .isEqualTo("hello");
        fails(FailureReason.ARCHIVE_FAILED, () -> read(new FileFacts(6, null, "\"c\"", null, null), 0));
        fails(FailureReason.FILE_CHANGED, () -> read(new FileFacts(4, null, "\"c\"", null, null), 0));
        FileFacts unknown = new FileFacts(FileFacts.UNKNOWN_SIZE, null, "\"c\"", null, null);
        fails(FailureReason.ARCHIVE_REFUSED, () -> read(unknown, 0));
        fails(FailureReason.ARCHIVE_REFUSED, () -> archive.openNew(KEY));
    }

    @Test
    void moreThanWasSaidIsWrong() {
        server.behave(exchange -> exchange.send("HTTP/1.1 200 OK\r\nETag: " + Origin.tag(bytes)
                + "\r\nTransfer-Encoding: chunked\r\n\r\n493e1\r\n" + "x".repeat(300_001) + "\r\n0\r\n\r\n"));
        fails(FailureReason.FILE_CHANGED, () -> read(facts(), 0));
    }

    @Test
    void silenceEndsInTime() throws IOException {
        archive = archive(server.uri(), null, SHORT, SHORT);
        FileFacts facts = archive.head(KEY);
        server.behave(FaultServer.Exchange::hang);
        fails(FailureReason.ARCHIVE_TIMEOUT, () -> archive.head(KEY));
        fails(FailureReason.ARCHIVE_TIMEOUT, archive::probe);
        server.behave(exchange -> {
            Origin.Answer answer = origin.decide(exchange);
            exchange.send(answer.head());
            answer.sendBody(exchange, 0, 1000);
            exchange.hang();
        });
        try (ArchiveStream stream = archive.open(KEY, facts, 0)) {
            fails(FailureReason.ARCHIVE_TIMEOUT, () -> readAll(stream));
        }
    }

    @Test
    void headersThatComeByAndByEndInTime() {
        archive = archive(server.uri(), null, SHORT, LONG);
        server.behave(exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\n");
            while (true) {
                // each read of the client is a short one, and there is no end to them
                exchange.send("X: y\r\n");
                java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);
            }
        });
        fails(FailureReason.ARCHIVE_TIMEOUT, () -> archive.head(KEY));
    }

    @Test
    void headersWithoutBoundsAreAFailure() {
        answer("200 OK", "X: " + "y".repeat(100_000));
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        answer("200 OK", "X: y\r\n".repeat(1000));
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
    }

    @Test
    void nonsenseIsAFailure() {
        server.behave(exchange -> {
            exchange.send("SSH-2.0-OpenSSH_9.2\r\n".repeat(20) + "\r\n\r\n");
            exchange.end();
        });
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        answer("200 OK", "Transfer-Encoding: gzip, chunked");
        fails(FailureReason.ARCHIVE_FAILED, () -> archive.open(KEY, facts(), 0));
    }

    // ---- connections

    @Test
    void closingInMidBodyReadsNoMore() throws IOException {
        long size = 1L << 40;
        server.behave(exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nETag: \"t\"\r\nContent-Length: " + size + "\r\n\r\n");
            while (true) {
                exchange.send(bytes, 0, bytes.length);
            }
        });
        FileFacts facts = new FileFacts(size, null, "\"t\"", null, null);
        ArchiveStream stream = archive.open(KEY, facts, 0);
        stream.read(ByteBuffer.allocate(1024));
        stream.close();
        stream.close();
        assertThat(archive.connectionsInUse()).isZero();
    }

    @Test
    void slowReadersGiveTheirConnectionsUpAndGoOnAtTheirOffset() throws IOException {
        FileFacts facts = archive.head(KEY);
        List<ArchiveStream> streams = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            ArchiveStream stream = archive.open(KEY, facts, i);
            streams.add(stream);
            assertThat(stream.read(ByteBuffer.allocate(100))).isEqualTo(100);
            assertThat(archive.connectionsInUse()).isLessThanOrEqualTo(12);
        }
        for (int i = 0; i < 50; i++) {
            assertThat(readAll(streams.get(i))).isEqualTo(Arrays.copyOfRange(bytes, i + 100, bytes.length));
            streams.get(i).close();
        }
        assertThat(archive.connectionsInUse()).isZero();
    }

    @Test
    void readersThatCannotGoOnElsewhereAreLimited() throws IOException {
        server.behave(exchange -> {
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"c\"\r\n\r\n5\r\nhello\r\n");
            exchange.hang();
        });
        FileFacts facts = new FileFacts(FileFacts.UNKNOWN_SIZE, null, "\"c\"", null, null);
        List<ArchiveStream> streams = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            streams.add(archive.open(KEY, facts, 0));
        }
        fails(FailureReason.OVERLOADED, () -> archive.open(KEY, facts, 0));
        for (ArchiveStream stream : streams) {
            stream.close();
        }
        archive.open(KEY, facts, 0).close();
    }

    @Test
    void fileThatWasOpenedToLearnOfItIsReadOn() throws IOException {
        OpenedFile file = archive.openNew(KEY);
        assertThat(file).isNotNull();
        try (ArchiveStream stream = file.stream()) {
            assertThat(file.facts()).isEqualTo(facts());
            assertThat(readAll(stream)).isEqualTo(bytes);
        }
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void anyAnswerButAnErrorOfTheServerIsALifeSign() throws IOException {
        for (String status : List.of("200", "301", "403", "404")) {
            answer(status + " Alive", "Content-Length: 0");
            archive.probe();
        }
        answer("500 Not so well", "Content-Length: 0");
        fails(FailureReason.ARCHIVE_FAILED, archive::probe);
    }
}
