package org.anteroom.volume.s3;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.metrics.Metrics;
import org.anteroom.s3.S3Clients;
import org.anteroom.s3.S3Location;
import org.anteroom.testing.FakeTicker;
import org.anteroom.testing.S3Forwarder;
import org.anteroom.testing.TestS3;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.CopyWriter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Followers of a copy, when it is in the store. */
@Timeout(60)
class FollowingReaderTest {
    private static final String COPY = "0123456789abcdef".repeat(2);
    private static final Pattern RANGE = Pattern.compile("(?im)^range: *bytes=([0-9]+)-([0-9]+)");
    private static TestS3 server;

    @TempDir
    Path folder;

    private final FakeTicker ticker = new FakeTicker();
    private S3Forwarder way;
    private S3Clients clients;
    private Spool spool;
    private S3Volume volume;

    @BeforeAll
    static void startServer() throws Exception {
        server = TestS3.start();
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.close();
    }

    @BeforeEach
    void connect() throws IOException {
        server.store().clearContainer(TestS3.BUCKET);
        way = S3Forwarder.before(server.port());
        clients = new S3Clients(new Metrics(), Ticker.systemTicker());
        spool = new Spool(new SpoolSettings(folder.resolve("spool"), 100 << 20));
        volume = new S3Volume(
                "bulk",
                clients.bucket(new S3Location(TestS3.BUCKET, ""), TestS3.settings(way.port())),
                "",
                1L << 30,
                spool,
                work -> {
                    throw new RejectedExecutionException("all is sent in the end");
                },
                ticker);
    }

    @AfterEach
    void disconnect() throws IOException {
        assertThat(spool.used()).isZero();
        spool.close();
        clients.close();
        way.close();
    }

    /** A reader that was opened while the copy was made, which is in the store by now. */
    private CopyReader follow(byte[] bytes) throws IOException {
        try (CopyWriter writer = volume.create("5.6", COPY)) {
            writer.write(ByteBuffer.wrap(bytes));
            CopyReader reader = writer.openWritten();
            writer.commit();
            return reader;
        }
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] read(CopyReader reader, long from, int length) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(length);
        while (all.hasRemaining()) {
            assertThat(reader.read(all, from + all.position())).isPositive();
        }
        return all.array();
    }

    @Test
    void storeThatFailsIsNotAskedAtEachRead() throws IOException {
        byte[] bytes = bytes(300_000);
        try (CopyReader reader = follow(bytes)) {
            way.requests().clear();
            way.rule(request -> S3Forwarder.error(503, "SlowDown"));
            for (int from = 0; from < 300_000; from += 1000) {
                assertThat(read(reader, from, 1000)).isEqualTo(Arrays.copyOfRange(bytes, from, from + 1000));
            }
            assertThat(way.requests()).as("attempts at one request").hasSizeLessThan(4);
            assertThat(spool.used()).isEqualTo(300_000);
            way.rule(request -> new S3Forwarder.Pass());
            ticker.advance(Duration.ofSeconds(6));
            assertThat(read(reader, 0, 300_000)).isEqualTo(bytes);
            assertThat(spool.used()).isZero();
        }
    }

    @Test
    void oneOfThemOpensTheCopyAndTheOthersReadOnFromTheSpool() throws Exception {
        byte[] bytes = bytes(300_000);
        try (CopyReader reader = follow(bytes)) {
            CountDownLatch goOn = new CountDownLatch(1);
            CountDownLatch asked = new CountDownLatch(1);
            way.rule(request -> {
                asked.countDown();
                return new S3Forwarder.Late(goOn);
            });
            CompletableFuture<byte[]> first = CompletableFuture.supplyAsync(() -> {
                try {
                    return read(reader, 200_000, 10);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            asked.await();
            int before = way.requests().size();
            assertThat(read(reader, 0, 300_000)).isEqualTo(bytes);
            assertThat(way.requests()).hasSize(before);
            goOn.countDown();
            assertThat(first.get()).isEqualTo(Arrays.copyOfRange(bytes, 200_000, 200_010));
        }
    }

    @Test
    void thoseWhoReadElsewhereDoNotThrowAwayEachOthersBytes() throws IOException {
        int size = 4_000_000;
        int step = 20_000;
        byte[] bytes = bytes(size);
        try (CopyReader reader = follow(bytes)) {
            way.requests().clear();
            int readers = 8;
            ByteBuffer one = ByteBuffer.allocate(step);
            for (int from = 0; from < size / 2; from += step) {
                for (int i = 0; i < readers; i++) {
                    int position = from + i * size / 2 / readers;
                    one.clear();
                    while (one.hasRemaining()) {
                        assertThat(reader.read(one, position + one.position())).isPositive();
                    }
                    assertThat(one.array()).isEqualTo(Arrays.copyOfRange(bytes, position, position + step));
                }
            }
            long asked = way.requests().stream()
                    .mapToLong(FollowingReaderTest::asked)
                    .sum();
            // what is asked for ahead and never read comes on top
            assertThat(asked).isLessThan(2L * readers * size);
        }
    }

    private static long asked(S3Forwarder.Request request) {
        Matcher range = RANGE.matcher(request.head());
        return range.find() ? Long.parseLong(range.group(2)) - Long.parseLong(range.group(1)) + 1 : 0;
    }
}
