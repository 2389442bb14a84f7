package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.RawHttp2;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Delivery over TLS and HTTP/2, on Tomcat with the connector of the operators' server.xml. */
@Timeout(120)
class Http2IT {
    private static final int SIZE = 8 << 20;
    private static final int WINDOW = 65_535;

    /**
     * More than a segment of the loopback interface (64 KiB). With less the kernel tells the server of room only when most
     * of the buffer is free, and once that is lost the server asks again at intervals that double, up to two minutes.
     */
    private static final int RECEIVE_BUFFER = 128 * 1024;

    /** More than volumes permit. */
    private static final int READERS = 140;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Site site;
    private boolean stopped;

    @BeforeEach
    void start() throws IOException {
        site = Site.startWithTls(folder, "shutdown.grace", "1s");
    }

    @AfterEach
    void stop() throws IOException {
        threads.shutdownNow();
        if (!stopped) {
            site.close();
        }
    }

    private HttpClient client() throws IOException {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .sslContext(site.trusting())
                .build();
    }

    private HttpResponse<byte[]> ask(HttpClient client, String method, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(site.tls() + Site.target(path).substring(1)))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<byte[]> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
        return answer;
    }

    @Test
    void theAnswersAreThoseOfHttp1() throws Exception {
        byte[] bytes = site.put("f", SIZE);
        HttpClient client = client();

        HttpResponse<byte[]> cold = ask(client, "GET", "f");
        assertThat(cold.statusCode()).isEqualTo(200);
        assertThat(cold.body()).isEqualTo(bytes);
        RawHttp.Response http1 = site.getHit("f");
        HttpResponse<byte[]> hit = ask(client, "GET", "f");
        assertThat(hit.body()).isEqualTo(bytes);
        assertThat(hit.headers().firstValue("cache-status")).contains("anteroom; hit");
        for (String name : List.of("ETag", "Last-Modified", "Content-Length", "Content-Type", "Content-Disposition")) {
            assertThat(hit.headers().firstValue(name)).as(name).isEqualTo(http1.header(name));
            assertThat(cold.headers().firstValue(name)).as(name).isEqualTo(http1.header(name));
        }

        HttpResponse<byte[]> range = ask(client, "GET", "f", "Range", "bytes=1000000-1999999");
        assertThat(range.statusCode()).isEqualTo(206);
        assertThat(range.body()).isEqualTo(Arrays.copyOfRange(bytes, 1_000_000, 2_000_000));
        assertThat(range.headers().firstValue("content-range")).contains("bytes 1000000-1999999/" + SIZE);
        HttpResponse<byte[]> head = ask(client, "HEAD", "f");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValueAsLong("content-length")).hasValue(SIZE);
        assertThat(ask(
                                client,
                                "GET",
                                "f",
                                "If-None-Match",
                                hit.headers().firstValue("etag").orElseThrow())
                        .statusCode())
                .isEqualTo(304);
        assertThat(ask(client, "GET", "f", "Range", "bytes=" + SIZE + "-").statusCode())
                .isEqualTo(416);
        HttpResponse<byte[]> none = ask(client, "GET", "none");
        assertThat(none.statusCode()).isEqualTo(404);
        assertThat(none.headers().firstValue("content-type").orElse("")).startsWith("application/problem+json");
    }

    /** With nothing cached, the answers are given asynchronously. */
    @Test
    void answersWithoutABodyHaveTheirHead() throws Exception {
        site.put("f", 1000);
        site.put("empty", 0);
        HttpClient client = client();
        HttpResponse<byte[]> head = ask(client, "HEAD", "f");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValueAsLong("content-length")).hasValue(1000);
        String etag = head.headers().firstValue("etag").orElseThrow();
        assertThat(ask(client, "GET", "f", "If-None-Match", etag).statusCode()).isEqualTo(304);
        assertThat(ask(client, "GET", "f", "If-Match", "\"x\"").statusCode()).isEqualTo(412);
        assertThat(ask(client, "GET", "f", "Range", "bytes=1000-").statusCode()).isEqualTo(416);
        assertThat(ask(client, "HEAD", "none").statusCode()).isEqualTo(404);
        HttpResponse<byte[]> empty = ask(client, "GET", "empty");
        assertThat(empty.statusCode()).isEqualTo(200);
        assertThat(empty.headers().firstValueAsLong("content-length")).hasValue(0);
        HttpResponse<Void> listing = client.send(
                HttpRequest.newBuilder(URI.create(site.tls() + "files/d/"))
                        .method("HEAD", HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        assertThat(listing.statusCode()).isEqualTo(200);
        HttpResponse<Void> folder = client.send(
                HttpRequest.newBuilder(URI.create(site.tls() + "files/d"))
                        .method("HEAD", HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        assertThat(folder.statusCode()).isEqualTo(308);
        assertThat(site.copyFiles()).hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void manyStreamsOfOneConnectionGetTheirOwnBytes() throws Exception {
        List<byte[]> files = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            files.add(site.put("f" + i, (i + 1) * 700_001));
            site.getHit("f" + i);
        }
        try (RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), RECEIVE_BUFFER, WINDOW)) {
            List<RawHttp2.Stream> streams = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                streams.add(http.get(Site.target("f" + i % 8)));
            }
            int[] granted = new int[streams.size()];
            while (!streams.stream().allMatch(RawHttp2.Stream::ended)) {
                http.read();
                for (int i = 0; i < granted.length; i++) {
                    RawHttp2.Stream stream = streams.get(i);
                    assertThat(stream.broken()).isFalse();
                    int came = stream.received() - granted[i];
                    // odd pieces, so that writes are left over in the server's buffers
                    if (came >= 9_001 && !stream.ended()) {
                        http.grant(stream, came);
                        granted[i] += came;
                    }
                }
            }
            for (int i = 0; i < granted.length; i++) {
                assertThat(streams.get(i).body()).isEqualTo(files.get(i % 8));
            }
        }
    }

    @Test
    void aFailureInMidBodyResetsTheStreamAndNotTheConnection() throws Exception {
        byte[] other = site.put("other", SIZE);
        site.getHit("other");
        site.put("f", SIZE);
        SteeredArchive.Hold half = site.archive().hold("f", SIZE / 2);
        try (RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), 0, WINDOW)) {
            RawHttp2.Stream beside = http.get(Site.target("other"));
            http.readUntil(beside, 10_000);
            RawHttp2.Stream failing = http.get(Site.target("f"));
            http.grant(failing, SIZE);
            half.awaitReached();
            // what is read on would be another file's bytes
            Files.write(site.archiveFolder().resolve(Site.DATASET).resolve("f"), new byte[SIZE / 2]);
            half.release();

            while (!failing.broken()) {
                assertThat(failing.ended()).isFalse();
                http.read();
            }
            assertThat(failing.status()).isEqualTo(200);
            assertThat(failing.received()).isBetween(1, SIZE - 1);
            // the one beside it is stopped for want of a window, and goes on
            http.grant(beside, SIZE);
            assertThat(http.readToEnd(beside).body()).isEqualTo(other);
            RawHttp2.Stream next = http.get(Site.target("other"), "range", "bytes=0-9");
            assertThat(http.readToEnd(next).body()).isEqualTo(Arrays.copyOf(other, 10));
        }
    }

    @Test
    void aFailureInTheContainersCallbackResetsTheStreamAndNotTheConnection() throws Exception {
        byte[] other = site.put("other", SIZE);
        site.getHit("other");
        site.put("f", SIZE);
        site.getHit("f");
        try (RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), 0, WINDOW)) {
            RawHttp2.Stream failing = http.get(Site.target("f"));
            http.readUntil(failing, WINDOW);
            // neither the copy nor the archive has it any more
            Files.delete(site.archiveFolder().resolve(Site.DATASET).resolve("f"));
            site.volume().unreadable(true);
            http.grant(failing, SIZE);
            http.readToEnd(failing);
            assertThat(failing.broken()).isTrue();
            assertThat(failing.ended()).isFalse();
            site.volume().unreadable(false);
            RawHttp2.Stream next = http.get(Site.target("other"), "range", "bytes=0-9");
            assertThat(http.readToEnd(next).body()).isEqualTo(Arrays.copyOf(other, 10));
        }
    }

    @Test
    void aCopyThatIsLostInMidBodyIsGoneOnFromInTheArchive() throws Exception {
        byte[] bytes = site.put("f", SIZE);
        site.getHit("f");
        try (RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), 0, WINDOW)) {
            RawHttp2.Stream stream = http.get(Site.target("f"));
            http.readUntil(stream, 60_000);
            site.volume().unreadable(true);
            http.grant(stream, SIZE);
            assertThat(http.readToEnd(stream).body()).isEqualTo(bytes);
            assertThat(site.figure("anteroom_fallbacks_total")).isEqualTo(1);
        }
    }

    @Test
    void aStreamThatStallsIsDroppedAndOneThatIsSlowIsNot() throws Exception {
        site.close();
        site = Site.startWithTls(folder, "delivery.stall-timeout", "3s");
        byte[] bytes = site.put("f", SIZE);
        site.getHit("f");
        try (ContainerLog container = ContainerLog.open();
                RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), 0, WINDOW)) {
            RawHttp2.Stream stalled = http.get(Site.target("f"));
            http.readUntil(stalled, WINDOW);
            RawHttp2.Stream slow = http.get(Site.target("f"));
            while (!stalled.broken()) {
                http.grant(slow, 20_000);
                http.readUntil(slow, slow.received() + 20_000);
                // slow: this is the pace, and nothing is waited for
                Thread.sleep(500);
            }
            assertThat(slow.broken()).isFalse();
            http.grant(slow, SIZE);
            assertThat(http.readToEnd(slow).body()).isEqualTo(bytes);
            assertThat(container.warnings()).isEmpty();
        }
        assertThat(site.figure("anteroom_transfers_total", "end=\"stalled\"")).isEqualTo(1);
    }

    @Test
    void aStreamThatWaitsForItsTurnIsNotStalled() throws Exception {
        site.close();
        site = Site.startWithTls(folder, "delivery.stall-timeout", "3s");
        byte[] bytes = site.put("f", SIZE);
        site.getHit("f");
        site.put("cold", SIZE);
        try (RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), 0, WINDOW);
                RawHttp2 other = RawHttp2.connect(site.tls(), site.trusting(), 0, WINDOW)) {
            RawHttp2.Stream waiting = http.get(Site.target("f"));
            http.readUntil(waiting, WINDOW);
            // one beside it has its turn, and does not end it
            SteeredVolume.Hang hang = site.volume().hangReads();
            http.get(Site.target("f"));
            hang.awaitEntered();
            http.grant(waiting, SIZE);

            // one that begins to wait later is dropped
            RawHttp2.Stream stalled = other.get(Site.target("cold"));
            assertThat(other.readUntil(stalled, SIZE).broken()).isTrue();
            hang.release();
            assertThat(http.readToEnd(waiting).body()).isEqualTo(bytes);
            assertThat(site.figure("anteroom_transfers_total", "end=\"stalled\""))
                    .isEqualTo(1);
        }
    }

    /** The container's limit is for writes that wait on a thread. */
    @Test
    void windowsMayStayShutForLongerThanAWriteMayWait() throws Exception {
        site.streamWriteTimeout(Duration.ofMillis(1));
        byte[] bytes = site.put("f", SIZE);
        site.getHit("f");
        byte[] cold = site.put("cold", SIZE);
        try (RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), 0, 0)) {
            List<RawHttp2.Stream> streams = new ArrayList<>();
            for (String target :
                    List.of(Site.target("f"), Site.target("cold"), "/files/d/", Site.target("none"), "/health/live")) {
                RawHttp2.Stream stream = http.get(target);
                http.readHead(stream);
                streams.add(stream);
            }
            Site.await("all wait", () -> site.tlsThreadsBusy() == 0 && site.figure("anteroom_transfers_active") == 5);
            for (RawHttp2.Stream stream : streams) {
                http.grant(stream, WINDOW);
                assertThat(http.readToEnd(stream).ended()).isTrue();
            }
            assertThat(streams.get(0).body()).isEqualTo(bytes);
            assertThat(streams.get(1).body()).isEqualTo(cold);
            assertThat(new String(streams.get(2).body(), StandardCharsets.UTF_8))
                    .contains("cold");
            assertThat(new String(streams.get(3).body(), StandardCharsets.UTF_8))
                    .contains("Not Found");
            assertThat(new String(streams.get(4).body(), StandardCharsets.UTF_8))
                    .contains("live");
        }
    }

    @Test
    void aVolumeThatHangsDoesNotTakeAllThreads() throws Exception {
        byte[] bytes = site.put("f", 1000);
        site.getHit("f");
        Site.await("that is over", () -> site.figure("anteroom_transfers_active") == 0);
        double before = site.figure("anteroom_transfers_total");
        List<RawHttp2> clients = new ArrayList<>();
        SteeredVolume.Hang hang = site.volume().hangReads();
        try {
            for (int i = 0; i < READERS; i++) {
                clients.add(RawHttp2.connect(site.tls(), site.trusting(), 0, WINDOW));
            }
            List<RawHttp2.Stream> streams = new ArrayList<>();
            for (RawHttp2 client : clients) {
                streams.add(client.get(Site.target("f")));
            }
            hang.awaitEntered();
            // the others are served from the archive
            Site.await("none waits for a thread", () -> {
                double hanging = site.figure("anteroom_pool_threads_busy", "pool=\"shared\"");
                double served = site.figure("anteroom_transfers_total") - before;
                return hanging >= 1 && hanging <= 128 && hanging + served == READERS;
            });
            hang.release();
            for (int i = 0; i < READERS; i++) {
                assertThat(clients.get(i).readToEnd(streams.get(i)).body()).isEqualTo(bytes);
            }
        } finally {
            hang.release();
            for (RawHttp2 client : clients) {
                client.close();
            }
        }
    }

    @Test
    void clientsThatLeaveAreAborted() throws Exception {
        byte[] bytes = site.put("f", 4 * SIZE);
        site.getHit("f");
        try (LogLines lines = LogLines.open();
                ContainerLog container = ContainerLog.open()) {
            try (RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), 0, WINDOW)) {
                RawHttp2.Stream left = http.get(Site.target("f"));
                http.readUntil(left, 10_000);
                http.cancel(left);
                aborted(1);
                RawHttp2.Stream next = http.get(Site.target("f"), "range", "bytes=5-9");
                assertThat(http.readToEnd(next).body()).isEqualTo(Arrays.copyOfRange(bytes, 5, 10));

                RawHttp2.Stream closed = http.get(Site.target("f"));
                http.readUntil(closed, 10_000);
            }
            aborted(2);
            try (RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), 8192, 4 * SIZE)) {
                RawHttp2.Stream killed = http.get(Site.target("f"));
                http.readUntil(killed, 10_000);
                http.hangUp();
            }
            aborted(3);
            for (boolean hard : new boolean[] {false, true}) {
                try (RawHttp http = RawHttp.connect(site.tls(), 8192, site.trusting())) {
                    http.request("GET", Site.target("f"));
                    http.head();
                    http.body(10_000);
                    if (hard) {
                        http.reset();
                    }
                }
            }
            aborted(5);
            assertThat(lines.warnings()).isEmpty();
            assertThat(lines.anyStackTrace()).isFalse();
            assertThat(container.warnings()).isEmpty();
        }
    }

    private void aborted(int times) {
        Site.await(times + " are aborted", () -> site.figure("anteroom_transfers_total", "end=\"aborted\"") == times);
        Site.await("none is left", () -> site.figure("anteroom_transfers_active") == 0);
    }

    @Test
    void aStopBreaksOffWhatDoesNotEnd() throws Exception {
        site.put("f", SIZE);
        site.getHit("f");
        site.tomcatWaits(Duration.ofSeconds(1));
        try (RawHttp2 http = RawHttp2.connect(site.tls(), site.trusting(), 0, WINDOW)) {
            http.patience(60_000);
            RawHttp2.Stream stream = http.get(Site.target("f"));
            http.readUntil(stream, 10_000);
            stopped = true;
            Future<?> stop = threads.submit(() -> {
                site.close();
                return null;
            });
            boolean open = true;
            while (open && !stream.broken()) {
                try {
                    http.read();
                } catch (IOException e) {
                    // that it goes away is said before what is under way is broken off: by a reset, or with the
                    // connection
                    assertThat(e).isNotInstanceOf(SocketTimeoutException.class);
                    open = String.valueOf(e.getMessage()).startsWith("GOAWAY");
                }
            }
            assertThat(stream.ended()).isFalse();
            stop.get();
        }
    }
}
