package org.anteroom.archive.bagit;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveContract;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.anteroom.testing.OpenFiles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds of bags in every form. */
abstract class BagitContract extends ArchiveContract {
    @TempDir
    Path folder;

    Path root;
    private final Map<String, TestBag> bags = new HashMap<>();
    private BagitArchive archive;

    /** The form of the bags. */
    abstract BagName.Form form();

    @BeforeEach
    void makeRoot() throws IOException {
        root = Files.createDirectory(folder.resolve("archive"));
        archive = new BagitArchive(
                root,
                new BagitSettings(folder.resolve("index"), 1 << 30),
                InstantSource.system(),
                Ticker.systemTicker());
    }

    @AfterEach
    void noFileStaysOpen() throws IOException {
        assertThat(OpenFiles.under(folder)).isEmpty();
    }

    @Override
    protected Archive archive() {
        return archive;
    }

    @Override
    protected void put(FileKey key, byte[] bytes) throws IOException {
        bags.computeIfAbsent(FileKey.encode(key.dataset()), TestBag::new)
                .payload(key.path(), bytes)
                .manifest(Algorithm.SHA256)
                .write(root, form());
    }

    void write(TestBag bag) throws IOException {
        bag.write(root, form());
    }

    @Override
    protected boolean holdsFilesAndFoldersOfOneName() {
        return form() != BagName.Form.FOLDER;
    }

    private static final FileKey KEY = FileKey.of("tides-2024", "data/a.csv");

    @Test
    void manifestGivesChecksumAndTag() throws IOException {
        put(KEY, bytes(100_000));
        FileFacts facts = archive.head(KEY);
        Sha256 digest = Sha256.of(bytes(100_000));
        assertThat(facts.sha256()).isEqualTo(digest);
        assertThat(facts.etag()).isEqualTo("\"sha256-" + digest.hex() + '"');
        assertThat(facts.lastModified()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void wrongBytesAreNotReadToTheirEnd(Algorithm algorithm) throws IOException {
        TestBag bag = new TestBag("b")
                .payload("a", bytes(100_000))
                .payload("empty", "")
                .manifest(algorithm);
        write(bag);
        FileKey key = FileKey.of("b", "a");
        FileFacts facts = archive.head(key);
        assertThat(facts.etag())
                .isEqualTo('"' + algorithm.label() + '-' + TestBag.hex(algorithm, bytes(100_000)) + '"');
        assertThat(read(key, facts, 0)).isEqualTo(bytes(100_000));
        assertThat(read(FileKey.of("b", "empty"), archive.head(FileKey.of("b", "empty")), 0))
                .isEmpty();

        byte[] wrong = bytes(100_000);
        wrong[50_000]++;
        write(bag.payload("a", wrong)
                .payload("empty", "")
                .tag(
                        "manifest-" + algorithm.label() + ".txt",
                        TestBag.hex(algorithm, bytes(100_000)) + " data/a\n" + TestBag.hex(algorithm, bytes(1))
                                + " data/empty\n"));
        FileFacts told = archive.head(key);
        if (algorithm == Algorithm.SHA256) {
            // who reads goes by that, and holds the last bytes back
            assertThat(told.sha256()).isEqualTo(Sha256.of(bytes(100_000)));
        } else {
            assertFails(FailureReason.WRONG_BYTES, () -> read(key, told, 0));
            FileKey empty = FileKey.of("b", "empty");
            assertFails(FailureReason.WRONG_BYTES, () -> read(empty, archive.head(empty), 0));
        }
    }

    @Test
    void betterChecksumIsGoneBy() throws IOException {
        write(new TestBag("b")
                .payload("a", "text")
                .manifest(Algorithm.MD5)
                .manifest(Algorithm.SHA512)
                .manifest(Algorithm.SHA1));
        assertThat(archive.head(FileKey.of("b", "a")).etag()).startsWith("\"sha512-");
    }

    @Test
    void fileWithoutChecksumHasATagAllTheSame() throws IOException {
        write(new TestBag("b").payload("a", "text"));
        FileFacts facts = archive.head(FileKey.of("b", "a"));
        assertThat(facts.etag()).matches("\"4-[0-9a-f-]+\"");
        assertThat(facts.sha256()).isNull();
        assertThat(read(FileKey.of("b", "a"), facts, 0)).asString().isEqualTo("text");
    }

    @Test
    void twentyFilesOfWhichOneHasAnApostrophe() throws IOException {
        TestBag bag = new TestBag("b");
        IntStream.range(0, 19).forEach(i -> bag.payload("file " + i, "text " + i));
        write(bag.payload("it's here", "apostrophe").manifest(Algorithm.MD5));
        List<ArchiveEntry> all =
                archive.list(new FolderKey("b", "", null), "", 100).entries();
        assertThat(all).hasSize(20);
        for (ArchiveEntry entry : all) {
            FileKey key = FileKey.of("b", entry.name());
            assertThat(read(key, archive.head(key), 0)).isEqualTo(bag.files.get("data/" + entry.name()));
        }
    }

    @Test
    void whatOnlyFetchOrAManifestNamesIsNotFound() throws IOException {
        TestBag bag =
                new TestBag("b").payload("a", "here").payload("far", "away").manifest(Algorithm.SHA256);
        bag.files.remove("data/far");
        write(bag.tag("fetch.txt", "http://127.0.0.1:1/far 4 data/far\nhttp://127.0.0.1:1/a 4 data/a\n"));
        assertFails(FailureReason.NOT_FOUND, () -> archive.head(FileKey.of("b", "far")));
        assertThat(archive.head(FileKey.of("b", "a")).size()).isEqualTo(4);
        assertThat(archive.list(new FolderKey("b", "", null), "", 10).entries()).hasSize(1);
    }

    @Test
    void onlyThePayloadIsServed() throws IOException {
        write(new TestBag("b").payload("a", "here").tag("metadata/pod.json", "{}"));
        for (String path : List.of("bagit.txt", "metadata/pod.json", "data/a", "manifest-md5.txt")) {
            assertFails(FailureReason.NOT_FOUND, () -> archive.head(FileKey.of("b", path)));
        }
    }

    @Test
    void whatHasNoDeclarationIsNoBag() throws IOException {
        TestBag bag = new TestBag("b").payload("a", "here");
        bag.files.remove("bagit.txt");
        write(bag);
        assertFails(
                form() == BagName.Form.FOLDER ? FailureReason.NOT_FOUND : FailureReason.ARCHIVE_FAILED,
                () -> archive.head(FileKey.of("b", "a")));
    }

    @Test
    void emptyRootAndNoRootAreFailures() throws IOException {
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.probe());
        Files.delete(root);
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(KEY));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.probe());
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.newest("tides-2024"));
    }

    @Test
    void singleBagHasNoVersions() throws IOException {
        put(KEY, bytes(10));
        assertThat(archive.newest("tides-2024")).isEmpty();
        assertFails(FailureReason.NOT_FOUND, () -> archive.newest("none"));
        for (String version : new String[] {"1", "1.0", "2", "one"}) {
            assertFails(FailureReason.NOT_FOUND, () -> archive.head(new FileKey("tides-2024", "data/a.csv", version)));
        }
    }

    @Test
    void fileThatChangesWhileItIsReadIsNotReadToItsEnd() throws IOException {
        put(KEY, bytes(10));
        try (var stream = archive.open(KEY, archive.head(KEY), 0)) {
            put(KEY, bytes(11));
            assertFails(FailureReason.FILE_CHANGED, () -> readAll(stream));
        }
    }

    /** Written over in its place, so that what is read is the old one's beginning and the new one's end. */
    @Test
    void bytesOfTwoBagsAreAChangeAndNoDamage() throws IOException {
        byte[] old = bytes(1_000_000);
        byte[] fresh = new byte[old.length];
        new java.util.Random(2).nextBytes(fresh);
        Path drafts = Files.createDirectory(folder.resolve("drafts"));
        TestBag bag = new TestBag("b").payload("a", old).manifest(Algorithm.MD5);
        write(bag);
        FileKey key = FileKey.of("b", "a");
        FileFacts facts = archive.head(key);
        Path written = bag.payload("a", fresh).manifest(Algorithm.MD5).write(drafts, form());
        try (var stream = archive.open(key, facts, 0)) {
            assertThat(stream.read(java.nio.ByteBuffer.allocate(100_000))).isPositive();
            boolean isFolder = form() == BagName.Form.FOLDER;
            Files.write(
                    isFolder ? root.resolve("b/data/a") : root.resolve(written.getFileName()),
                    isFolder ? fresh : Files.readAllBytes(written));
            assertFails(FailureReason.FILE_CHANGED, () -> readAll(stream));
        }
    }

    @Test
    void nothingIsReadBeyondTheBuffersLimit() throws IOException {
        put(KEY, bytes(10));
        try (var stream = archive.open(KEY, archive.head(KEY), 0)) {
            java.nio.ByteBuffer buffer =
                    java.nio.ByteBuffer.allocate(100).position(20).limit(24);
            assertThat(stream.read(buffer)).isEqualTo(4);
            assertThat(buffer.position()).isEqualTo(24);
            assertThat(buffer.limit()).isEqualTo(24);
        }
    }
}
