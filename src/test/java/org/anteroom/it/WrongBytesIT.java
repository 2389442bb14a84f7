package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.anteroom.model.Sha256;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.RawHttp2;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files whose bytes in the archive do not match its checksum: nobody gets the whole of one, however it is asked for. */
class WrongBytesIT {
    private static final int SIZE = 24 << 20;
    private static final int HELD_BACK = 64 * 1024;

    @TempDir
    Path folder;

    private @Nullable Site running;

    private Site site() {
        return Objects.requireNonNull(running);
    }

    @AfterEach
    void stop() throws IOException {
        site().close();
    }

    private byte[] wrong(String path, int size) throws IOException {
        byte[] bytes = site().put(path, size);
        site().archive().tellDigests(Map.of(path, Sha256.of(new byte[] {1})));
        return bytes;
    }

    /** How many bytes of a file come until its transfer ends or breaks. */
    static int received(Site site, String path, byte[] bytes, String... headers) throws IOException {
        try (RawHttp http = RawHttp.connect(site.uri())) {
            http.request("GET", Site.target(path), headers);
            RawHttp.Response head = http.head();
            if (head.status() >= 400) {
                assertThat(head.status()).isEqualTo(502);
                return 0;
            }
            int first = head.status() == 206
                    ? Integer.parseInt(
                            head.header("Content-Range").orElseThrow().split("[ -]", 3)[1])
                    : 0;
            long promised = Long.parseLong(head.header("Content-Length").orElseThrow());
            byte[] chunk = new byte[128 * 1024];
            int count = 0;
            while (count < promised) {
                int n = readOrEnd(http, chunk);
                if (n < 0) {
                    break;
                }
                assertThat(Arrays.equals(chunk, 0, n, bytes, first + count, first + count + n))
                        .as("bytes from %s on", first + count)
                        .isTrue();
                count += n;
            }
            return count;
        }
    }

    private static int readOrEnd(RawHttp http, byte[] chunk) {
        try {
            return http.read(chunk);
        } catch (IOException e) {
            // a connection that is reset has been broken off
            return -1;
        }
    }

    /** What everybody gets who asks for a file that is known to be wrong. */
    private void refused(String path) throws IOException {
        for (List<String> headers :
                List.of(List.<String>of(), List.of("Range: bytes=0-9"), List.of("Range: bytes=-9"))) {
            RawHttp.Response answer = site().get(path, headers.toArray(String[]::new));
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.text()).contains("do not match its checksum");
        }
        assertThat(RawHttp.exchange(site().uri(), "HEAD", Site.target(path)).status())
                .isEqualTo(502);
        assertThat(site().rows(path, "cached")).isZero();
    }

    /** When the archive says something else, the file is asked for again, and is right. */
    private void mended(String path, byte[] bytes) throws IOException {
        site().archive().tellDigests(Map.of(path, Sha256.of(bytes)));
        Site.await("it is believed", () -> site().get(path).status() == 200);
        assertThat(site().get(path).body()).isEqualTo(bytes);
    }

    @Test
    void asAWholeWhileItIsFilled() throws Exception {
        running = Site.start(Site.Server.TOMCAT, folder);
        byte[] bytes = wrong("f", SIZE);
        assertThat(received(site(), "f", bytes)).isBetween(0, SIZE - HELD_BACK);
        refused("f");
        // the reader is broken off first, and the fill told of after that
        Site.await("the fill is counted", () -> site().figure("anteroom_fills_total", "result=\"wrong-bytes\"") == 1);
        assertThat(site().figure("anteroom_wrong_files")).isEqualTo(1);
        assertThat(site().archive().opens("f")).as("it is not read again").isEqualTo(1);
        mended("f", bytes);
        assertThat(site().getHit("f").body()).isEqualTo(bytes);
        assertThat(site().figure("anteroom_wrong_files")).isZero();
    }

    @Test
    void asAWholeThatIsPassedThroughOnHttp1And2() throws Exception {
        running = Site.startWithTls(folder, "volume.cache.max-object-size", "1MiB");
        byte[] bytes = wrong("f", SIZE);
        byte[] other = wrong("other", SIZE);
        assertThat(received(site(), "f", bytes)).isBetween(1, SIZE - HELD_BACK);
        refused("f");
        try (RawHttp2 http = RawHttp2.connect(site().tls(), site().trusting(), 0, SIZE)) {
            RawHttp2.Stream stream = http.get(Site.target("other"));
            http.grant(stream, SIZE);
            http.readToEnd(stream);
            assertThat(stream.broken()).isTrue();
            assertThat(stream.received()).isBetween(1, SIZE - HELD_BACK);
            assertThat(Arrays.equals(stream.body(), 0, stream.received(), other, 0, stream.received()))
                    .isTrue();
            RawHttp2.Stream next = http.readToEnd(http.get(Site.target("other")));
            assertThat(new String(next.body(), StandardCharsets.UTF_8))
                    .contains("\"status\":502", "do not match its checksum");
        }
        mended("f", bytes);
    }

    @Test
    void inPiecesWhileItIsFilled() throws Exception {
        running = Site.start(Site.Server.TOMCAT, folder);
        byte[] bytes = wrong("f", SIZE);
        SteeredArchive.Hold start = site().archive().hold("f", 1 << 20);
        // begins the fill, which stands still
        assertThat(received(site(), "f", bytes, "Range: bytes=0-99999")).isEqualTo(100_000);
        start.awaitReached();
        int far = 20 << 20;
        assertThat(received(site(), "f", bytes, "Range: bytes=" + far + "-" + (SIZE - HELD_BACK - 1)))
                .as("what lies far ahead is read from the archive")
                .isEqualTo(SIZE - HELD_BACK - far);
        assertThat(site().archive().opens("f")).isEqualTo(2);
        try (RawHttp tail = RawHttp.connect(site().uri())) {
            tail.request("GET", Site.target("f"), "Range: bytes=-100");
            try (RawHttp piece = RawHttp.connect(site().uri())) {
                piece.request("GET", Site.target("f"), "Range: bytes=" + far + "-");
                assertThat(piece.head().status()).isEqualTo(206);
                assertThat(piece.body(1000)).isEqualTo(Arrays.copyOfRange(bytes, far, far + 1000));
                start.release();
                int count = 1000;
                byte[] chunk = new byte[128 * 1024];
                for (int n = readOrEnd(piece, chunk); n >= 0; n = readOrEnd(piece, chunk)) {
                    count += n;
                }
                assertThat(count).as("all but the last bytes").isEqualTo(SIZE - HELD_BACK - far);
            }
            assertThat(tail.head().status()).as("the last bytes").isEqualTo(502);
        }
        refused("f");
    }

    @Test
    void inPiecesThatArePassedThrough() throws Exception {
        running = Site.start(Site.Server.TOMCAT, folder, "volume.cache.max-object-size", "1MiB");
        byte[] bytes = wrong("f", 10 << 20);
        int half = bytes.length / 2;
        assertThat(received(site(), "f", bytes, "Range: bytes=0-" + (half - 1))).isEqualTo(half);
        assertThat(received(site(), "f", bytes, "Range: bytes=" + half + "-")).isBetween(0, half - HELD_BACK);
        refused("f");
        byte[] other = wrong("other", 10 << 20);
        assertThat(received(site(), "other", other, "Range: bytes=-5")).isZero();
        refused("other");
    }
}
