package org.anteroom.volume.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.metrics.Metrics;
import org.anteroom.s3.Checksums;
import org.anteroom.s3.S3Bucket;
import org.anteroom.s3.S3Clients;
import org.anteroom.s3.S3Failure;
import org.anteroom.s3.S3Location;
import org.anteroom.s3.S3Settings;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.FakeTicker;
import org.anteroom.testing.OpenFiles;
import org.anteroom.testing.S3Forwarder;
import org.anteroom.testing.TestS3;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.NoSuchCopyException;
import org.anteroom.volume.VolumeBusyException;
import org.anteroom.volume.VolumeContract;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.domain.StorageMetadata;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class S3VolumeTest extends VolumeContract {
    private static final int MIB = 1 << 20;
    private static TestS3 server;

    @TempDir
    Path folder;

    private final Tasks tasks = new Tasks(new Metrics());
    private final ExecutorService uploads = tasks.pool("s3-upload", 2, 10);
    private final FakeTicker ticker = new FakeTicker();
    private final List<Spool> spools = new ArrayList<>();
    private S3Forwarder way;
    private S3Clients clients;

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
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        tasks.close();
        clients.close();
        way.close();
        for (Spool spool : spools) {
            assertThat(spool.used()).isZero();
            spool.close();
        }
        assertThat(OpenFiles.under(folder)).isEmpty();
        if (Files.exists(folder.resolve("spool"))) {
            assertThat(folder.resolve("spool")).isEmptyDirectory();
        }
    }

    private S3Volume boot(long spoolMax) {
        Spool spool = new Spool(new SpoolSettings(folder.resolve("spool"), spoolMax));
        spools.add(spool);
        return new S3Volume(
                "bulk",
                clients.bucket(new S3Location(TestS3.BUCKET, "cache/"), TestS3.settings(way.port(), 8, Checksums.MD5)),
                "cache/",
                1L << 30,
                spool,
                uploads,
                ticker);
    }

    @Override
    protected S3Volume unmarked() {
        return boot(100 * MIB);
    }

    @Override
    protected S3Volume volume() throws IOException {
        S3Volume volume = unmarked();
        volume.writeMarker(MARKER);
        return volume;
    }

    private List<String> keys() {
        Collection<? extends StorageMetadata> all = server.store()
                .list(TestS3.BUCKET, org.jclouds.blobstore.options.ListContainerOptions.Builder.recursive());
        return all.stream().map(StorageMetadata::getName).sorted().toList();
    }

    private int uploadsLeft() {
        return server.store().listMultipartUploads(TestS3.BUCKET).size();
    }

    @Test
    void layout() throws IOException {
        make(volume(), COPY, bytes(5));
        assertThat(keys()).containsExactly("cache/.anteroom-volume", "cache/copies/" + COPY);
    }

    @Test
    void bigCopiesAreSentInParts() throws IOException {
        S3Volume volume = volume();
        byte[] bytes = bytes(20 * MIB);
        try (CopyWriter writer = volume.create("5.6", COPY)) {
            for (int at = 0; at < bytes.length; at += MIB) {
                writer.write(ByteBuffer.wrap(bytes, at, MIB));
            }
            writer.settle();
            assertThat(volume.temporaries()).containsExactly("5.6");
            writer.commit();
            assertThat(volume.list("", 10)).containsExactly(COPY);
            try (CopyReader follower = writer.openWritten()) {
                assertThat(bytes(follower, 0, bytes.length)).isEqualTo(bytes);
            }
        }
        assertThat(read(volume, COPY)).isEqualTo(bytes);
        assertThat(keys()).containsExactly("cache/.anteroom-volume", "cache/copies/" + COPY);
        assertThat(way.requests())
                .filteredOn(request -> request.target().contains("partNumber"))
                .hasSize(3)
                .allSatisfy(request -> assertThat(request.head()).contains("Content-MD5"));
        assertThat(uploadsLeft()).isZero();
    }

    @Test
    void followersLeaveTheSpoolOnceTheCopyIsThere() throws IOException {
        S3Volume volume = volume();
        byte[] bytes = bytes(100_000);
        CopyWriter writer = volume.create("5.6", COPY);
        writer.write(ByteBuffer.wrap(bytes));
        try (CopyReader follower = writer.openWritten()) {
            assertThat(bytes(follower, 0, 10)).isEqualTo(java.util.Arrays.copyOf(bytes, 10));
            writer.commit();
            writer.close();
            assertThat(spools.get(0).used()).isEqualTo(100_000);
            assertThat(bytes(follower, 0, 100_000)).isEqualTo(bytes);
            assertThat(spools.get(0).used()).isZero();
            assertThat(bytes(follower, 99_999, 1)[0]).isEqualTo(bytes[99_999]);
        }
    }

    @Test
    void abandonedCopyLeavesNothing() throws Exception {
        S3Volume volume = volume();
        CopyWriter writer = volume.create("5.6", COPY);
        writer.write(ByteBuffer.wrap(bytes(20 * MIB)));
        writer.close();
        // whoever was sending a part cleans up when it is sent
        uploads.shutdown();
        assertThat(uploads.awaitTermination(30, java.util.concurrent.TimeUnit.SECONDS))
                .isTrue();
        assertThat(volume.temporaries()).isEmpty();
        assertThat(uploadsLeft()).isZero();
        assertThat(keys()).containsExactly("cache/.anteroom-volume");
    }

    @Test
    void uploadOfAKilledBootIsReclaimedByTheNext() throws Exception {
        S3Volume killed = volume();
        CopyWriter writer = killed.create("5.6", COPY);
        writer.write(ByteBuffer.wrap(bytes(20 * MIB)));
        uploads.shutdown();
        assertThat(uploads.awaitTermination(30, java.util.concurrent.TimeUnit.SECONDS))
                .isTrue();
        S3Volume next = unmarked();
        assertThat(uploadsLeft()).isEqualTo(1);
        assertThat(next.temporaries()).containsExactly("5.6");
        assertThat(next.deleteTemporary("5.6")).isTrue();
        assertThat(next.deleteTemporary("5.6")).isFalse();
        assertThat(uploadsLeft()).isZero();
        assertThat(keys()).containsExactly("cache/.anteroom-volume");
        // one that was not dead after all finds its upload gone
        assertThatThrownBy(writer::commit).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> next.open(COPY)).isInstanceOf(NoSuchCopyException.class);
        writer.close();
    }

    private static boolean isBeginning(S3Forwarder.Request request) {
        return request.method().equals("POST") && request.target().contains("?uploads");
    }

    @Test
    void uploadWhoseBeginningWasNotAnsweredIsReclaimed() throws Exception {
        S3Volume volume = volume();
        AtomicBoolean lost = new AtomicBoolean();
        way.rule(request ->
                isBeginning(request) && !lost.getAndSet(true) ? new S3Forwarder.LoseAnswer() : new S3Forwarder.Pass());
        make(volume, COPY, bytes(9 * MIB));
        assertThat(lost).isTrue();
        assertThat(uploadsLeft()).isZero();
        assertThat(keys()).containsExactly("cache/.anteroom-volume", "cache/copies/" + COPY);
        volume.delete(COPY);
        // and where nothing comes of any
        way.rule(request -> isBeginning(request) ? new S3Forwarder.LoseAnswer() : new S3Forwarder.Pass());
        try (CopyWriter writer = volume.create("5.7", COPY)) {
            writer.write(ByteBuffer.wrap(bytes(9 * MIB)));
            assertThatThrownBy(writer::settle).isInstanceOf(IOException.class);
        }
        assertThat(uploadsLeft()).isZero();
        assertThat(keys()).containsExactly("cache/.anteroom-volume");
    }

    @Test
    void spoolIsBounded() throws IOException {
        S3Volume volume = boot(1000);
        volume.writeMarker(MARKER);
        assertThat(volume.freeSpace()).isEqualTo(1000);
        try (CopyWriter writer = volume.create("5.6", COPY)) {
            writer.write(ByteBuffer.allocate(1000));
            assertThat(volume.freeSpace()).isZero();
            assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the spool is full");
            assertThatThrownBy(() -> volume.create("5.7", COPY)).hasMessage("the spool is full");
        }
        assertThat(volume.freeSpace()).isEqualTo(1000);
    }

    @Test
    void spoolOfADeadBootIsRemovedAndThatOfALivingOneIsNot() throws IOException {
        S3Volume living = volume();
        try (CopyWriter writer = living.create("5.6", COPY)) {
            writer.write(ByteBuffer.allocate(10));
            Path dead = Files.createDirectories(folder.resolve("spool/dead"));
            Files.createFile(dead.resolve("lock"));
            Files.write(dead.resolve("1"), new byte[10]);
            S3Volume next = unmarked();
            assertThat(next.freeSpace()).isPositive();
            assertThat(dead).doesNotExist();
            try (CopyReader reader = writer.openWritten()) {
                assertThat(bytes(reader, 0, 10)).containsOnly(0);
            }
        }
    }

    /** As when two spools find the same dead boot at the same time: this process has the lock already. */
    @Test
    void deadBootThatIsBeingRemovedIsLeftToWhoDoesThat() throws IOException {
        Path dead = Files.createDirectories(folder.resolve("spool/dead"));
        Files.createFile(dead.resolve("lock"));
        try (FileChannel channel = FileChannel.open(dead.resolve("lock"), StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            assertThat(lock).isNotNull();
            assertThat(unmarked().freeSpace()).isPositive();
            assertThat(dead).exists();
        }
        assertThat(unmarked().freeSpace()).isPositive();
        assertThat(dead).doesNotExist();
    }

    private S3Volume with(int connections) {
        S3Settings some = TestS3.settings(way.port());
        S3Settings few = new S3Settings(
                some.endpoint(),
                some.region(),
                true,
                some.credentials(),
                Checksums.MD5,
                connections,
                Duration.ofMillis(200),
                some.stallTimeout(),
                Duration.ofSeconds(30),
                1);
        Spool spool = new Spool(new SpoolSettings(folder.resolve("spool"), 100 * MIB));
        spools.add(spool);
        S3Bucket bucket = clients.bucket(new S3Location(TestS3.BUCKET, "cache/"), few);
        return new S3Volume("bulk", bucket, "cache/", 1L << 30, spool, uploads, ticker);
    }

    private static boolean isUpload(S3Forwarder.Request request) {
        return request.method().equals("PUT") && request.target().contains("/copies/");
    }

    private static CompletableFuture<Void> inBackground(S3Volume volume, String temporary, String copy) {
        return CompletableFuture.runAsync(() -> {
            try (CopyWriter writer = volume.create(temporary, copy)) {
                writer.write(ByteBuffer.wrap(bytes(10)));
                writer.commit();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void uploadsWaitForEachOtherAndTheProbeForNone() throws Exception {
        S3Volume volume = with(2);
        volume.writeMarker(MARKER);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        way.rule(request -> {
            if (!isUpload(request)) {
                return new S3Forwarder.Pass();
            }
            asked.countDown();
            return new S3Forwarder.Late(goOn);
        });
        CompletableFuture<Void> first = inBackground(volume, "5.6", COPY);
        asked.await();
        String other = "1".repeat(COPY.length());
        CompletableFuture<Void> second = inBackground(volume, "5.7", other);
        volume.tryWriting("0.1", COPY);
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        goOn.countDown();
        first.get();
        second.get();
        assertThat(volume.list("", 10)).containsExactlyInAnyOrder(COPY, other);
    }

    @Test
    void wantOfConnectionsIsNotTheVolumesFault() throws Exception {
        S3Volume volume = with(1);
        volume.writeMarker(MARKER);
        make(volume, "1".repeat(COPY.length()), bytes(300_000));
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        try (CopyReader reader = volume.open("1".repeat(COPY.length()))) {
            way.rule(request -> {
                asked.countDown();
                return isUpload(request) ? new S3Forwarder.Late(goOn) : new S3Forwarder.Pass();
            });
            CompletableFuture<Void> upload = inBackground(volume, "5.6", COPY);
            asked.await();
            // so that writing is tried, though it has just worked
            ticker.advance(Duration.ofMinutes(2));
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> volume.open(COPY),
                    () -> reader.read(ByteBuffer.allocate(1), 299_999),
                    volume::readMarker,
                    volume::temporaries,
                    () -> volume.list("", 10),
                    () -> volume.delete(COPY),
                    () -> volume.deleteTemporary("5.9"),
                    () -> volume.tryWriting("0.1", COPY))) {
                assertThatThrownBy(call).isInstanceOf(VolumeBusyException.class);
            }
            goOn.countDown();
            upload.get();
        }
    }

    @Test
    void onlyTheStoresOwnWordMakesACopyMissing() throws IOException {
        S3Volume volume = volume();
        make(volume, COPY, bytes(10));
        for (S3Forwarder.Action action : List.of(
                S3Forwarder.error(404, "NoSuchBucket"),
                S3Forwarder.error(403, "AccessDenied"),
                S3Forwarder.error(503, "SlowDown"),
                new S3Forwarder.Answer(404, "not here"),
                new S3Forwarder.Reset())) {
            way.rule(request -> action);
            assertThatThrownBy(() -> volume.open(COPY)).as("%s", action).isInstanceOf(S3Failure.class);
            assertThatThrownBy(() -> volume.delete(COPY)).as("%s", action).isInstanceOf(S3Failure.class);
            assertThatThrownBy(volume::readMarker).as("%s", action).isInstanceOf(S3Failure.class);
            assertThatThrownBy(() -> volume.list("", 10)).as("%s", action).isInstanceOf(S3Failure.class);
            assertThatThrownBy(volume::temporaries).as("%s", action).isInstanceOf(S3Failure.class);
        }
        way.rule(request -> S3Forwarder.error(404, "NoSuchKey"));
        assertThatThrownBy(() -> volume.open(COPY)).isInstanceOf(NoSuchCopyException.class);
    }

    @Test
    void copyOfAnotherSizeIsNoCopy() throws IOException {
        S3Volume volume = volume();
        try (CopyWriter writer = volume.create("5.6", COPY)) {
            writer.write(ByteBuffer.wrap(bytes(10)));
            writer.settle();
            server.store()
                    .putBlob(
                            TestS3.BUCKET,
                            server.store()
                                    .blobBuilder("cache/copies/" + COPY)
                                    .payload("short")
                                    .build());
            assertThatThrownBy(writer::commit).hasMessageContaining("5 of 10 bytes");
        }
        assertThatThrownBy(() -> volume.open(COPY)).isInstanceOf(NoSuchCopyException.class);
    }

    private static void put(String copy, byte[] bytes) {
        BlobStore store = server.store();
        store.putBlob(
                TestS3.BUCKET,
                store.blobBuilder("cache/copies/" + copy).payload(bytes).build());
    }

    @Test
    void readingFromAPositionOnIsOneRequest() throws IOException {
        S3Volume volume = volume();
        byte[] bytes = bytes(600_000);
        make(volume, COPY, bytes);
        way.requests().clear();
        try (CopyReader reader = volume.open(COPY, 500_000)) {
            assertThat(reader.size()).isEqualTo(600_000);
            assertThat(bytes(reader, 500_000, 100_000))
                    .isEqualTo(java.util.Arrays.copyOfRange(bytes, 500_000, 600_000));
            assertThat(way.requests()).hasSize(1);
            assertThat(bytes(reader, 0, 600_000)).isEqualTo(bytes);
        }
        // one that is too short is seen to be so
        try (CopyReader reader = volume.open(COPY, 700_000)) {
            assertThat(reader.size()).isEqualTo(600_000);
        }
    }

    /** Whatever has happened to one copy, the others are well, and the volume is. */
    @Test
    void copyThatIsNotWhatItWasEndsThere() throws IOException {
        S3Volume volume = volume();
        make(volume, COPY, bytes(600_000));
        try (CopyReader reader = volume.open(COPY)) {
            put(COPY, new byte[600_000]);
            assertThat(reader.read(ByteBuffer.allocate(10), 300_000)).isEqualTo(-1);
            put(COPY, bytes(10));
            assertThat(reader.read(ByteBuffer.allocate(10), 500_000)).isEqualTo(-1);
        }
    }

    @Test
    void writingIsTriedAgainWhenItHasFailed() throws IOException {
        S3Volume volume = volume();
        volume.tryWriting("0.1", COPY);
        int asked = way.requests().size();
        volume.tryWriting("0.2", COPY);
        assertThat(way.requests()).as("once a minute is enough").hasSize(asked);
        ticker.advance(java.time.Duration.ofMinutes(2));
        way.rule(request ->
                request.method().equals("PUT") ? S3Forwarder.error(403, "AccessDenied") : new S3Forwarder.Pass());
        assertThatThrownBy(() -> volume.tryWriting("0.3", COPY)).isInstanceOf(S3Failure.class);
        way.rule(request -> new S3Forwarder.Pass());
        volume.tryWriting("0.4", COPY);
        assertThat(volume.temporaries()).isEmpty();
        try (CopyWriter writer = volume.create("5.6", COPY)) {
            writer.write(ByteBuffer.wrap("x".getBytes(UTF_8)));
            way.rule(request -> S3Forwarder.error(503, "SlowDown"));
            assertThatThrownBy(writer::commit).isInstanceOf(IOException.class);
            // at once, though it has worked a moment ago
            assertThatThrownBy(() -> volume.tryWriting("0.5", COPY)).isInstanceOf(S3Failure.class);
            way.rule(request -> new S3Forwarder.Pass());
        }
    }

    @Test
    void partsFitIntoWhatAStoreTakes() {
        assertThat(S3Volume.partSize(50L << 30)).isEqualTo(8 * MIB);
        assertThat(S3Volume.partSize(Long.MAX_VALUE)).isEqualTo(525L * MIB);
        assertThat(S3Volume.partSize(100L << 30) * 10_000).isGreaterThanOrEqualTo(100L << 30);
    }
}
