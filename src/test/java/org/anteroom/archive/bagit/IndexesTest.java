package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.anteroom.testing.FakeTicker;
import org.anteroom.testing.OpenFiles;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The indexes of bags: kept, found again, and made again where they are lost. */
class IndexesTest {
    private static final FileKey KEY = FileKey.of("b", "a");

    @TempDir
    Path folder;

    private Path root;
    private Path kept;
    private final CountingDisk disk = new CountingDisk();
    private final FakeTicker ticker = new FakeTicker();

    @BeforeEach
    void makeRoot() throws IOException {
        root = Files.createDirectory(folder.resolve("archive"));
        kept = folder.resolve("index");
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(OpenFiles.under(folder)).isEmpty();
        if (Files.exists(kept)) {
            try (var files = Files.list(kept)) {
                assertThat(files.map(Path::toString)).allMatch(name -> name.endsWith(".idx"));
            }
        }
    }

    /** An archive as after a start. */
    private BagitArchive archive() {
        return archive(1 << 30);
    }

    private BagitArchive archive(long mostBytes) {
        return new BagitArchive(root, new BagitSettings(kept, mostBytes), InstantSource.system(), ticker, disk);
    }

    private List<Path> indexes() throws IOException {
        try (var files = Files.list(kept)) {
            return files.toList();
        }
    }

    private static TestBag bag(String name) {
        return new TestBag(name).payload("a", "text").manifest(Algorithm.SHA256);
    }

    private static void assertFails(FailureReason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    @Test
    void bagThatWasIndexedOnceIsNotReadAgainToFindAFile() throws IOException {
        bag("b").write(root, BagName.Form.ZIP);
        archive().head(KEY);
        assertThat(disk.opens.get()).isPositive();
        disk.reset();
        BagitArchive again = archive();
        assertThat(again.head(KEY).size()).isEqualTo(4);
        assertThat(again.list(new FolderKey("b", "", null), "", 10).entries()).hasSize(1);
        assertFails(FailureReason.NOT_FOUND, () -> again.head(FileKey.of("b", "none")));
        assertThat(disk.opens.get()).isZero();
    }

    @Test
    void bagThatHasChangedIsIndexedAgain() throws IOException {
        bag("b").write(root, BagName.Form.ZIP);
        BagitArchive archive = archive();
        archive.head(KEY);
        bag("b").payload("more", "more").write(root, BagName.Form.ZIP);
        assertThat(archive.head(FileKey.of("b", "more")).size()).isEqualTo(4);
        Files.setLastModifiedTime(root.resolve("b.zip"), FileTime.from(Instant.EPOCH));
        disk.reset();
        archive.head(KEY);
        assertThat(disk.opens.get()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"deleted", "empty", "cut", "header", "block", "other"})
    void indexThatIsLostIsMadeAgain(String how) throws IOException {
        TestBag bag = bag("b");
        for (int i = 0; i < 1000; i++) {
            bag.payload("file" + i, "text");
        }
        bag.write(root, BagName.Form.ZIP);
        BagitArchive running = archive();
        running.head(KEY);
        for (BagitArchive archive : List.of(archive(), running)) {
            spoil(indexes().get(0), how);
            assertThat(archive.head(FileKey.of("b", "file500")).size()).isEqualTo(4);
            assertThat(archive.head(FileKey.of("b", "file999")).size()).isEqualTo(4);
            assertFails(FailureReason.NOT_FOUND, () -> archive.head(FileKey.of("b", "file1000")));
        }
    }

    private static void spoil(Path index, String how) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(index.toFile(), "rw")) {
            switch (how) {
                case "deleted" -> Files.delete(index);
                case "empty" -> file.setLength(0);
                case "cut" -> file.setLength(file.length() - Block.SIZE);
                case "header" -> flip(file, 20);
                case "block" -> {
                    for (long at = Block.SIZE + 100; at < file.length(); at += Block.SIZE) {
                        flip(file, at);
                    }
                }
                default -> {
                    file.setLength(0);
                    file.write("another program's".getBytes(UTF_8));
                }
            }
        }
    }

    private static void flip(RandomAccessFile file, long at) throws IOException {
        file.seek(at);
        int value = file.read();
        file.seek(at);
        file.write(value ^ 1);
    }

    @Test
    void bagThatIsDamagedIsNotReadAgainAtEachAsking() throws IOException {
        Files.write(root.resolve("b.zip"), new byte[100_000]);
        BagitArchive archive = archive();
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        disk.reset();
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        assertThat(disk.opens.get()).isZero();
        ticker.advance(Duration.ofMinutes(2));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        assertThat(disk.opens.get()).isPositive();
    }

    @Test
    void diskThatFailsIsAskedAgain() throws IOException {
        bag("b").write(root, BagName.Form.ZIP);
        BagitArchive archive = archive();
        disk.beforeOpen = path -> {
            throw new IOException("Input/output error");
        };
        assertThatThrownBy(() -> archive.head(KEY)).isInstanceOf(IOException.class);
        disk.beforeOpen = path -> {};
        assertThat(archive.head(KEY).size()).isEqualTo(4);
    }

    @Test
    @Timeout(60)
    void bagIsIndexedOnceHoweverManyAsk() throws Exception {
        bag("b").write(root, BagName.Form.ZIP);
        BagitArchive archive = archive();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        disk.beforeOpen = path -> {
            begun.countDown();
            await(go);
        };
        List<CompletableFuture<Long>> asked = new ArrayList<>();
        asked.add(ask(archive));
        begun.await();
        for (int i = 0; i < 5; i++) {
            asked.add(ask(archive));
        }
        // a big bag: it takes longer than anybody waits
        ticker.advance(Indexes.PATIENCE);
        assertFails(FailureReason.OVERLOADED, () -> archive.head(KEY));
        bag("other").write(root, BagName.Form.ZIP);
        go.countDown();
        disk.beforeOpen = path -> {};
        for (CompletableFuture<Long> answer : asked) {
            try {
                assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(4);
            } catch (java.util.concurrent.ExecutionException e) {
                // came after the time was put forward
                assertThat(e).hasCauseInstanceOf(FailureException.class);
            }
        }
        assertThat(asked.get(0).get()).isEqualTo(4);
        assertThat(archive.head(FileKey.of("other", "a")).size()).isEqualTo(4);
    }

    private static CompletableFuture<Long> ask(BagitArchive archive) {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                answer.complete(archive.head(KEY).size());
            } catch (IOException | RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return answer;
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void leastUsedIndexesGoWhenThereIsNoRoom() throws IOException {
        BagitArchive archive = archive(3 * 2 * Block.SIZE);
        for (int i = 0; i < 5; i++) {
            bag("b" + i).write(root, BagName.Form.ZIP);
            archive.head(FileKey.of("b" + i, "a"));
            assertThat(indexes()).hasSizeLessThanOrEqualTo(3);
        }
        assertThat(indexes()).hasSize(3);
        for (int i = 0; i < 5; i++) {
            assertThat(archive.head(FileKey.of("b" + i, "a")).size()).isEqualTo(4);
        }
    }

    @Test
    void whatAKilledProcessLeftIsRemovedWhenItIsOld() throws IOException {
        Files.createDirectories(kept);
        Path old = Files.write(kept.resolve("old.tmp"), new byte[10]);
        Path young = Files.write(kept.resolve("young.tmp"), new byte[10]);
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
        bag("b").write(root, BagName.Form.ZIP);
        archive().head(KEY);
        assertThat(old).doesNotExist();
        assertThat(young).exists();
        Files.delete(young);
    }

    @Test
    void indexCannotBeKept() throws IOException {
        Files.writeString(kept, "a file where the folder should be");
        bag("b").write(root, BagName.Form.ZIP);
        assertThatThrownBy(() -> archive().head(KEY)).isInstanceOf(IOException.class);
        Files.delete(kept);
        assertThat(archive().head(KEY).size()).isEqualTo(4);
    }

    // ---- sorting

    @Test
    void moreThanMemoryHoldsIsSortedInRuns() throws IOException {
        Random random = new Random(4);
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> found = new ArrayList<>();
        Files.createDirectories(kept);
        try (Sorter sorter = new Sorter(kept.resolve("sort"), 10_000)) {
            for (int i = 0; i < 5000; i++) {
                byte[] key = new byte[random.nextInt(60)];
                random.nextBytes(key);
                keys.add(key);
                sorter.add(key, ByteBuffer.allocate(4).putInt(0, i));
            }
            assertThat(sorter.runs()).isGreaterThan(20);
            sorter.drain((key, rest) -> {
                assertThat(keys.get(rest.getInt())).isEqualTo(key);
                found.add(key);
            });
        }
        keys.sort(Arrays::compareUnsigned);
        assertThat(found).hasSize(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            assertThat(found.get(i)).isEqualTo(keys.get(i));
        }
    }

    @Test
    void everyFileOfManyIsFoundAndListed() throws IOException {
        TestBag bag = new TestBag("b");
        for (int i = 0; i < 20_000; i++) {
            bag.payload(
                    "f" + i % 7 + "/"
                            + Sha256.of(new byte[] {(byte) i, (byte) (i >> 8)}).hex() + i,
                    "" + i);
        }
        bag.manifest(Algorithm.MD5).write(root, BagName.Form.TAR);
        Disk plain = new Disk();
        Catalogs catalogs = new Catalogs(root, plain, InstantSource.system());
        Bags bags = new Bags(catalogs, plain);
        IndexFolder indexFolder = new IndexFolder(kept, 1 << 30, InstantSource.system());
        // so little memory that there are hundreds of runs
        Indexes indexes = new Indexes(indexFolder, bags, plain, ticker, 20_000);
        Bag found = bags.look(catalogs.current(), "b").orElseThrow();
        assertThat(indexes.<Long>ask(found, index -> {
                    BagIndex.Cursor cursor = index.from("");
                    long count = 0;
                    String last = "";
                    while (cursor.next()) {
                        assertThat(ArchiveEntry.compareKeys(last, cursor.path()))
                                .isNegative();
                        last = cursor.path();
                        assertThat(cursor.entry().digests()).containsOnlyKeys(Algorithm.MD5);
                        count++;
                    }
                    return count;
                }))
                .isEqualTo(20_000);
        BagitArchive archive = archive();
        for (String path : bag.files.keySet()) {
            if (path.startsWith("data/f3/")) {
                assertThat(archive.head(FileKey.of("b", path.substring(5))).size())
                        .isEqualTo(bag.files.get(path).length);
            }
        }
        assertThat(disk.opens.get()).as("the index was made before").isZero();
    }
}
