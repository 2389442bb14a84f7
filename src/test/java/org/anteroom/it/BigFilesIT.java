package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files whose lengths need more than 31 and 32 bits, on HTTP/1.1 and HTTP/2, passed through and cached. */
class BigFilesIT {
    private static final long GIB = 1L << 30;
    private static final int MARK = 1 << 16;

    @TempDir
    Path folder;

    private @Nullable Site running;

    private void start(String... settings) throws IOException {
        running = Site.startWithTls(folder, settings);
    }

    private Site site() {
        return Objects.requireNonNull(running);
    }

    @AfterEach
    void stop() throws IOException {
        site().close();
        // the disk of the machine is for the next test
        Files.deleteIfExists(file());
        for (Path copy : site().copyFiles()) {
            Files.delete(copy);
        }
    }

    private Path file() {
        return site().archiveFolder().resolve(Site.DATASET).resolve("big");
    }

    /** A sparse file with random bytes at its ends and wherever a length of 31 or 32 bits ends. */
    private void makeFile(long size) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
            file.setLength(size);
            Random random = new Random(size);
            for (long place : new long[] {0, 2 * GIB - MARK / 2, 4 * GIB - MARK / 2, size - MARK}) {
                if (place <= size - MARK) {
                    byte[] mark = new byte[MARK];
                    random.nextBytes(mark);
                    file.seek(place);
                    file.write(mark);
                }
            }
        }
    }

    private byte[] bytes(long from, int length) throws IOException {
        byte[] bytes = new byte[length];
        try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "r")) {
            file.seek(from);
            file.readFully(bytes);
        }
        return bytes;
    }

    private HttpClient client() throws IOException {
        return HttpClient.newBuilder().sslContext(site().trusting()).build();
    }

    private HttpRequest.Builder request(HttpClient.Version version) {
        URI base = version == HttpClient.Version.HTTP_2 ? site().tls() : site().uri();
        return HttpRequest.newBuilder(URI.create(base + "files/d/big")).version(version);
    }

    @ParameterizedTest
    @CsvSource({"2147483649, HTTP_1_1", "2147483649, HTTP_2", "5368709120, HTTP_1_1", "5368709120, HTTP_2"})
    void rangesAndLengthsOfAFileThatIsLargerThanTheVolumeTakes(long size, HttpClient.Version version) throws Exception {
        start("volume.cache.max-object-size", "1GiB");
        makeFile(size);
        String etag = lengthsAndRanges(size, version);

        // a file that has changed since is sent whole, from its beginning
        HttpResponse<InputStream> whole = client().send(
                        request(version)
                                .header("Range", "bytes=" + (size - 10) + "-")
                                .header("If-Range", "\"" + etag.hashCode() + "\"")
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = whole.body()) {
            assertThat(whole.statusCode()).isEqualTo(200);
            assertThat(whole.headers().firstValueAsLong("content-length")).hasValue(size);
            assertThat(body.readNBytes(MARK)).isEqualTo(bytes(0, MARK));
        }
        assertThat(site().copyFiles()).isEmpty();
    }

    /** Asks for the length and for parts all over the file; its tag. */
    private String lengthsAndRanges(long size, HttpClient.Version version) throws Exception {
        HttpClient client = client();
        HttpResponse<Void> head = client.send(
                request(version)
                        .method("HEAD", HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        assertThat(head.version()).isEqualTo(version);
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValueAsLong("content-length")).hasValue(size);
        String etag = head.headers().firstValue("etag").orElseThrow();

        part(client, version, size, "bytes=0-0", etag, 0, 1);
        for (long edge : new long[] {2 * GIB - 1, 2 * GIB, 4 * GIB - 1, 4 * GIB}) {
            if (edge < size) {
                long from = edge - 1000;
                int length = (int) Math.min(2000, size - from);
                part(client, version, size, "bytes=" + from + "-" + (from + length - 1), etag, from, length);
            }
        }
        part(client, version, size, "bytes=" + (size - 70_000) + "-", etag, size - 70_000, 70_000);
        part(client, version, size, "bytes=-500", etag, size - 500, 500);
        part(client, version, size, "bytes=" + (size - 1) + "-99999999999999", etag, size - 1, 1);
        HttpResponse<byte[]> beyond = client.send(
                request(version).header("Range", "bytes=" + size + "-").build(),
                HttpResponse.BodyHandlers.ofByteArray());
        assertThat(beyond.statusCode()).isEqualTo(416);
        assertThat(beyond.headers().firstValue("content-range")).contains("bytes */" + size);
        return etag;
    }

    private void part(
            HttpClient client, HttpClient.Version version, long size, String range, String etag, long from, int length)
            throws Exception {
        HttpResponse<byte[]> part = client.send(
                request(version).headers("Range", range, "If-Range", etag).build(),
                HttpResponse.BodyHandlers.ofByteArray());
        assertThat(part.statusCode()).as(range).isEqualTo(206);
        assertThat(part.headers().firstValue("content-range"))
                .contains("bytes " + from + "-" + (from + length - 1) + "/" + size);
        assertThat(part.body()).as(range).isEqualTo(bytes(from, length));
    }

    @Test
    @Tag("full")
    void wholeFilesAreExactPassedThroughAndCached() throws Exception {
        long size = 5 * GIB;
        start("volume.cache.capacity", "12GiB", "volume.cache.max-object-size", "4GiB");
        makeFile(size);
        String sum = sum(Files.newInputStream(file()));
        for (HttpClient.Version version : HttpClient.Version.values()) {
            assertThat(whole(version, 0)).as("passed through on %s", version).isEqualTo(sum);
        }
        assertThat(site().copyFiles()).isEmpty();
        site().close();

        start("volume.cache.capacity", "12GiB");
        assertThat(whole(HttpClient.Version.HTTP_1_1, 0)).as("filling").isEqualTo(sum);
        Site.await("it is cached", () -> site().rows("big", "cached") == 1);
        for (HttpClient.Version version : HttpClient.Version.values()) {
            assertThat(whole(version, 0)).as("cached on %s", version).isEqualTo(sum);
            lengthsAndRanges(size, version);
            // broken off behind 4 GiB, and resumed there
            assertThat(whole(version, 4 * GIB + 12_345))
                    .as("resumed on %s", version)
                    .isEqualTo(sum);
        }
    }

    /** The sum of the whole file, got in two parts unless the second begins at 0. */
    private String whole(HttpClient.Version version, long second) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        HttpClient client = client();
        String etag = "";
        if (second > 0) {
            HttpResponse<InputStream> first =
                    client.send(request(version).build(), HttpResponse.BodyHandlers.ofInputStream());
            etag = first.headers().firstValue("etag").orElseThrow();
            try (InputStream body = first.body()) {
                digest(body, digest, second);
            }
        }
        HttpRequest.Builder request = request(version);
        if (second > 0) {
            request.headers("Range", "bytes=" + second + "-", "If-Range", etag);
        }
        HttpResponse<InputStream> rest = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(rest.statusCode()).isEqualTo(second > 0 ? 206 : 200);
        assertThat(rest.version()).isEqualTo(version);
        try (InputStream body = rest.body()) {
            digest(body, digest, Long.MAX_VALUE);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void digest(InputStream body, MessageDigest digest, long length) throws IOException {
        byte[] buffer = new byte[1 << 20];
        long left = length;
        while (left > 0) {
            int n = body.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (n < 0) {
                return;
            }
            digest.update(buffer, 0, n);
            left -= n;
        }
    }

    private static String sum(InputStream stream) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (InputStream in = new DigestInputStream(stream, digest)) {
            in.transferTo(java.io.OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
