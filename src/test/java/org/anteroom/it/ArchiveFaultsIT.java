package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.anteroom.model.Sha256;
import org.anteroom.testing.FaultServer;
import org.anteroom.testing.Origin;
import org.anteroom.testing.RawHttp;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What clients get when the archive, another server, fails: each line of the table in {@code docs/archives.md}. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(120)
class ArchiveFaultsIT {
    private static final int SIZE = 500_000;
    private static final int SMALL = 1000;

    private final Origin origin = new Origin();
    private final AtomicInteger files = new AtomicInteger();
    private FaultServer server;
    private Site site;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        server = FaultServer.start(origin);
        site = Site.start(
                Site.Server.TOMCAT,
                folder,
                "archive.kind",
                "http",
                "archive.location",
                server.uri().toString(),
                "archive.first-byte-timeout",
                "2s",
                "archive.stall-timeout",
                "2s");
    }

    @AfterAll
    void stop() throws IOException {
        site.close();
        server.close();
    }

    /**
     * What the server does, and what comes of it.
     *
     * @param behaviour null where it is not there at all
     */
    private record Fault(String name, int status, String outcome, FaultServer.@Nullable Behaviour behaviour) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Fault status(String line, int status, String outcome) {
        return new Fault(
                line.lines().findFirst().orElseThrow(),
                status,
                outcome,
                exchange -> exchange.send("HTTP/1.1 " + line + "\r\nContent-Length: 0\r\n\r\n"));
    }

    static Stream<Fault> faults() {
        return Stream.of(
                new Fault("refuses connections", 502, "archive_failed", null),
                new Fault("is silent", 504, "archive_timeout", FaultServer.Exchange::hang),
                new Fault("dies before the first byte", 502, "archive_failed", FaultServer.Exchange::reset),
                new Fault("dies before the body", 502, "archive_failed", exchange -> {
                    exchange.send("HTTP/1.1 200 OK\r\nETag: \"t\"\r\nContent-Length: 500000\r\n\r\n");
                    exchange.reset();
                }),
                status("400 Bad Request", 502, "archive_refused"),
                status("403 Forbidden", 502, "archive_refused"),
                status("404 Not Found", 404, "not_found"),
                status("429 Too Many Requests\r\nRetry-After: 7", 503, "overloaded"),
                status("500 Internal Server Error", 502, "archive_failed"),
                status("503 Service Unavailable\r\nRetry-After: 7", 503, "overloaded"),
                status("200 OK\r\nContent-Encoding: gzip", 502, "archive_refused"),
                status("302 Found\r\nLocation: http://127.0.0.2/", 502, "archive_refused"),
                new Fault("speaks another language", 502, "archive_failed", exchange -> {
                    exchange.send("220 ready for mail\r\n\r\n");
                    exchange.end();
                }));
    }

    private void begin(Fault fault) throws IOException {
        if (fault.behaviour == null) {
            server.leave();
        } else {
            server.behave(fault.behaviour);
        }
    }

    private void end(Fault fault) throws IOException {
        if (fault.behaviour == null) {
            server.comeBack();
        }
        server.behave(origin);
    }

    /** A file that nobody has asked for yet. */
    private String put(byte[] bytes) {
        String name = "f" + files.incrementAndGet();
        origin.put("/" + Site.DATASET + "/" + name, bytes);
        return name;
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private double outcomes(String outcome) throws IOException {
        return site.figure("anteroom_archive_calls_total", "outcome=\"" + outcome + "\"");
    }

    private void heals(String name, byte[] bytes) {
        Site.await("an answer again", () -> site.get(name).status() == 200);
        assertThat(site.getHit(name).body()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void faultHasItsStatusAndItsReasonAndHeals(Fault fault) throws IOException {
        byte[] bytes = bytes(SIZE);
        String name = put(bytes);
        double before = outcomes(fault.outcome);
        begin(fault);
        try {
            RawHttp.Response answer = site.get(name);
            assertThat(answer.status()).isEqualTo(fault.status);
            assertThat(answer.header("Content-Type")).contains("application/problem+json");
            assertThat(answer.header("Retry-After"))
                    .isEqualTo(fault.status == 503 ? Optional.of("7") : Optional.empty());
            assertThat(answer.text()).doesNotContain("127.0.0").doesNotContain("Exception");
        } finally {
            end(fault);
        }
        assertThat(outcomes(fault.outcome)).isGreaterThan(before);
        assertThat(site.rows(name, "cached")).isZero();
        heals(name, bytes);
    }

    @ParameterizedTest
    @EnumSource
    void breakInMidBodyIsGoneOnWith(Break way) throws IOException {
        byte[] bytes = bytes(SIZE);
        String name = put(bytes);
        double before = site.figure("anteroom_archive_resumed_total");
        AtomicInteger breaks = new AtomicInteger();
        server.behave(exchange -> {
            Origin.Answer answer = origin.decide(exchange);
            if (answer.length() < 100_000 || breaks.incrementAndGet() > way.times) {
                origin.answer(exchange);
                return;
            }
            exchange.send(answer.head());
            answer.sendBody(exchange, 0, 90_000);
            way.happen(exchange);
        });
        RawHttp.Response answer = site.get(name);
        server.behave(origin);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(bytes);
        assertThat(breaks.get()).isEqualTo(way.times + 1);
        assertThat(site.figure("anteroom_archive_resumed_total")).isEqualTo(before + way.times);
        assertThat(site.getHit(name).body()).isEqualTo(bytes);
    }

    /** How a connection breaks. */
    enum Break {
        END(2) {
            @Override
            void happen(FaultServer.Exchange exchange) {
                exchange.end();
            }
        },
        RESET(2) {
            @Override
            void happen(FaultServer.Exchange exchange) throws IOException {
                exchange.reset();
            }
        },
        STALL(1) {
            @Override
            void happen(FaultServer.Exchange exchange) throws IOException {
                exchange.hang();
            }
        };

        private final int times;

        Break(int times) {
            this.times = times;
        }

        abstract void happen(FaultServer.Exchange exchange) throws IOException;
    }

    @Test
    void fileThatEndsTooSoonAndCannotBeGoneOnWithIsABrokenTransferAndReadAnewByTheNext() throws IOException {
        byte[] bytes = bytes(SIZE);
        String name = put(bytes);
        server.behave(exchange -> {
            Origin.Answer answer = origin.decide(exchange);
            exchange.send(answer.head().replace("ETag: ", "Accept-Ranges: none\r\nETag: "));
            answer.sendBody(exchange, 0, answer.length() * 6 / 10);
            exchange.end();
        });
        assertBroken(name);
        assertThat(site.rows(name, "cached")).isZero();
        server.behave(origin);
        heals(name, bytes);
    }

    private void assertBroken(String name) {
        assertThatThrownBy(() -> site.get(name)).isInstanceOfAny(EOFException.class, SocketException.class);
    }

    @Test
    void fileOfAnotherLengthThanWasSaidIsWrong() throws IOException {
        byte[] bytes = bytes(SMALL);
        String name = put(bytes);
        // what the file is, is asked for together with its bytes: only a part of it is asked about before
        for (int length : new int[] {SMALL - 1, SMALL + 1}) {
            server.behave(exchange -> {
                boolean head = exchange.request().method().equals("HEAD");
                exchange.send(
                        "HTTP/1.1 200 OK\r\nETag: \"t\"\r\nContent-Length: " + (head ? SMALL : length) + "\r\n\r\n");
                exchange.send(new byte[SMALL + 1], 0, head ? 0 : length);
            });
            RawHttp.Response answer = site.get(name, "Range: bytes=0-9");
            assertThat(answer.status()).isEqualTo(502);
        }
        server.behave(origin);
        heals(name, bytes);
    }

    @Test
    void bytesThatDoNotMatchTheChecksumAreNeverDeliveredAsAWholeFile() throws IOException {
        byte[] bytes = bytes(SIZE);
        String name = put(bytes);
        String digest = "Repr-Digest: sha-256=:" + Sha256.of(bytes).base64() + ":\r\n";
        server.behave(exchange -> {
            Origin.Answer answer = origin.decide(exchange);
            exchange.send(answer.head().replace("ETag: ", digest + "ETag: "));
            exchange.send(new byte[answer.length()], 0, answer.length());
        });
        assertBroken(name);
        assertThat(site.rows(name, "cached")).isZero();
        // the reader is broken off first, and the fill told of after that
        Site.await("the fill is counted", () -> site.figure("anteroom_fills_total", "result=\"wrong-bytes\"") > 0);
        server.behave(origin);
        // it is refused as long as the archive says nothing else of it
        byte[] another = bytes(SIZE + 1);
        origin.put("/" + Site.DATASET + "/" + name, another);
        heals(name, another);
    }

    @Test
    void newFileCostsOneQuestion() throws IOException {
        byte[] bytes = bytes(SIZE);
        String name = put(bytes);
        server.forgetRequests();
        assertThat(site.get(name).body()).isEqualTo(bytes);
        assertThat(server.requests())
                .filteredOn(request -> request.target().endsWith("/" + name))
                .hasSize(1);
        assertThat(site.getHit(name).body()).isEqualTo(bytes);
    }

    @Test
    void archiveThatDoesNothingButFailIsLeftAloneAndAskedAgainWhenItAnswers() throws IOException {
        byte[] bytes = bytes(SIZE);
        String cached = put(bytes);
        heals(cached, bytes);
        server.leave();
        Site.await("the archive is not asked any more", () -> {
            RawHttp.Response answer = site.get(put(bytes));
            assertThat(answer.status()).isIn(502, 503);
            assertThat(answer.header("Retry-After").isPresent()).isEqualTo(answer.status() == 503);
            return answer.status() == 503;
        });
        assertThat(site.figure("anteroom_archive_suspended")).isEqualTo(1);
        assertThat(outcomes("archive_away")).isPositive();
        Site.await(
                "the health says so",
                () -> RawHttp.get(site.uri(), "/health/ready").text().contains("\"degraded\""));
        assertThat(site.getHit(cached).body()).isEqualTo(bytes);
        server.comeBack();
        heals(put(bytes), bytes);
        assertThat(site.figure("anteroom_archive_suspended")).isZero();
    }
}
