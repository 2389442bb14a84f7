package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.RawHttp2;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of HTTP/2 that open no window are answered without a thread that waits for them. */
class Http2RefusalsIT {
    private static final int STREAMS = 99;

    @TempDir
    Path folder;

    private Site site;
    private final List<RawHttp2> clients = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        site = Site.startWithTls(folder, "shutdown.grace", "1s", "delivery.stall-timeout", "1h");
        // a thread that waits is to be seen
        site.streamWriteTimeout(Duration.ofHours(1));
        site.put("hot", 1000);
        site.getHit("hot");
    }

    @AfterEach
    void stop() throws Exception {
        for (RawHttp2 client : clients) {
            client.hangUp();
        }
        site.close();
    }

    @Test
    void missingFiles() throws Exception {
        assertThat(answerAll(1, i -> Site.target("none" + i), 404)).contains("\"status\":404");
    }

    @Test
    void malformedAddresses() throws Exception {
        assertThat(answerAll(3, i -> "/files/d/..%5Cx" + i, 400)).contains("\"status\":400");
    }

    @Test
    void rangesPastTheEndOfACopy() throws Exception {
        assertThat(answerAll(3, i -> Site.target("hot"), 416, "range", "bytes=1000-"))
                .contains("\"status\":416");
    }

    @Test
    void pagesOfOperators() throws Exception {
        assertThat(answerAll(3, i -> i % 2 == 0 ? "/health/live" : "/metrics", 200))
                .contains("\"live\"");
    }

    @Test
    void theContainersOwnErrors() throws Exception {
        assertThat(answerAll(3, i -> "/nothing" + i, 404)).isEmpty();
        assertThat(answerAll(3, i -> "/api/v1/volumes", 401)).isEmpty();
    }

    /** Tomcat writes a page of its own there, and waits; with the time of server.xml, not for long. */
    @Test
    void addressesThatDoNotComeToTheApplication() throws Exception {
        site.close();
        site = Site.startWithTls(folder, "shutdown.grace", "1s", "delivery.stall-timeout", "1h");
        try (RawHttp2 client = RawHttp2.connect(site.tls(), site.trusting(), 0, 0)) {
            List<RawHttp2.Stream> streams = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                streams.add(client.get("/files/d/%2e%2e/%2e%2e/%2e%2e/x"));
            }
            int reset = 0;
            try {
                for (RawHttp2.Stream stream : streams) {
                    client.readToEnd(stream);
                    assertThat(stream.broken()).isTrue();
                    reset++;
                }
            } catch (EOFException e) {
                // Tomcat ends a connection with too many of them
                assertThat(e).hasMessageStartingWith("GOAWAY");
            }
            assertThat(reset).isPositive();
            Site.await("no thread waits for them", () -> site.tlsThreadsBusy() == 0);
        }
    }

    /** Addresses that no dispatcher takes, too. */
    @Test
    void whoTakesNothingIsDropped() throws Exception {
        site.close();
        site = Site.startWithTls(folder, "shutdown.grace", "1s", "delivery.stall-timeout", "1s");
        try (RawHttp2 client = RawHttp2.connect(site.tls(), site.trusting(), 0, 0)) {
            List<RawHttp2.Stream> streams = new ArrayList<>();
            for (String target : List.of("/files/d/..%5Cx", "/files/d/%2e%2e/x", "/metrics", Site.target("none"))) {
                streams.add(client.get(target));
            }
            for (RawHttp2.Stream stream : streams) {
                client.readToEnd(stream);
                assertThat(stream.broken()).isTrue();
            }
        }
        Site.await("none is left", () -> site.figure("anteroom_transfers_active") == 0);
        assertThat(site.figure("anteroom_transfers_total", "end=\"stalled\"")).isEqualTo(4);
    }

    /** Each client with a shut window learns the status; then others are served as if it were not there. */
    private String answerAll(int connections, IntFunction<String> target, int status, String... fields)
            throws Exception {
        List<RawHttp2.Stream> streams = new ArrayList<>();
        for (int c = 0; c < connections; c++) {
            RawHttp2 client = RawHttp2.connect(site.tls(), site.trusting(), 0, 0);
            clients.add(client);
            for (int i = 0; i < STREAMS; i++) {
                streams.add(client.get(target.apply(i), fields));
            }
            for (RawHttp2.Stream stream : streams.subList(c * STREAMS, (c + 1) * STREAMS)) {
                client.readHead(stream);
                // of those that are not in HPACK's table the client of this test knows no more than that they came
                assertThat(stream.status()).isEqualTo(status == 416 || status == 401 ? -1 : status);
            }
        }
        Site.await(
                "no thread waits for them",
                () -> site.figure("anteroom_pool_threads_busy", "pool=\"miss\"") == 0
                        && site.figure("anteroom_pool_threads_busy", "pool=\"shared\"") == 0
                        && site.tlsThreadsBusy() == 0);

        site.put("cold", 1000);
        assertThat(site.get("cold").status()).isEqualTo(200);
        try (RawHttp2 other = RawHttp2.connect(site.tls(), site.trusting(), 0, 65_535)) {
            assertThat(other.readToEnd(other.get(Site.target("hot"))).received())
                    .isEqualTo(1000);
        }
        try (RawHttp other = RawHttp.connect(site.tls(), 0, site.trusting())) {
            other.request("GET", "/health/live", "Connection: close");
            assertThat(other.head().status()).isEqualTo(200);
        }
        // who opens the window gets the rest, too
        RawHttp2 first = clients.get(clients.size() - connections);
        RawHttp2.Stream stream = streams.get(0);
        if (!stream.ended()) {
            first.grant(stream, 65_535);
        }
        return new String(first.readToEnd(stream).body(), StandardCharsets.UTF_8);
    }
}
