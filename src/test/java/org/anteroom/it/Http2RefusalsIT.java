package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.RawHttp2;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of HTTP/2 that open no window are refused without a thread that waits for them. */
class Http2RefusalsIT {
    private static final int STREAMS = 99;

    @TempDir
    Path folder;

    private Site site;
    private final List<RawHttp2> clients = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        site = Site.startWithTls(folder, "shutdown.grace", "1s");
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
        refuseAll(1, i -> Site.target("none" + i), 404);
    }

    @Test
    void malformedAddresses() throws Exception {
        refuseAll(3, i -> "/files/d/..%5Cx" + i, 400);
    }

    @Test
    void rangesPastTheEndOfACopy() throws Exception {
        refuseAll(3, i -> Site.target("hot"), 416, "range", "bytes=1000-");
    }

    /** Each client with a shut window learns the status; then others are served as if it were not there. */
    private void refuseAll(int connections, java.util.function.IntFunction<String> target, int status, String... fields)
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
                assertThat(stream.status()).isEqualTo(status == 416 ? -1 : status);
            }
        }
        Site.await(
                "no thread waits for them",
                () -> site.figure("anteroom_pool_threads_busy", "pool=\"miss\"") == 0
                        && site.figure("anteroom_pool_threads_busy", "pool=\"shared\"") == 0);

        site.put("cold", 1000);
        assertThat(site.get("cold").status()).isEqualTo(200);
        try (RawHttp other = RawHttp.connect(site.tls(), 0, site.trusting())) {
            other.request("GET", "/health/live", "Connection: close");
            assertThat(other.head().status()).isEqualTo(200);
        }
        // who opens the window gets the reason, too
        RawHttp2 first = clients.get(0);
        RawHttp2.Stream stream = streams.get(0);
        first.grant(stream, 65_535);
        first.readToEnd(stream);
        assertThat(new String(stream.body(), StandardCharsets.UTF_8)).contains("\"status\":" + status);
    }
}
