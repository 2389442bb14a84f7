package org.anteroom.archive.directory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveContract;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.LeastEntries;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.testing.OpenFiles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryArchiveTest extends ArchiveContract {
    private static final FileKey KEY = FileKey.of("tides-2024", "data/a.csv");

    @TempDir
    Path folder;

    private Path root;

    @BeforeEach
    void makeRoot() throws IOException {
        root = Files.createDirectory(folder.resolve("archive"));
    }

    @AfterEach
    void noFileStaysOpen() throws IOException {
        assertThat(OpenFiles.under(folder)).isEmpty();
    }

    @Override
    protected Archive archive() {
        return new DirectoryArchive(root);
    }

    @Override
    protected void put(FileKey key, byte[] bytes) throws IOException {
        Path file = file(key);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
    }

    @Override
    protected boolean holdsFilesAndFoldersOfOneName() {
        return false;
    }

    private Path file(FileKey key) {
        return root.resolve(FileKey.encode(key.dataset())).resolve(key.path());
    }

    // ---- facts

    @Test
    void tagIsMadeOfSizeAndTimeToTheNanosecond() throws Exception {
        put(KEY, bytes(1000));
        // Java sets times to the microsecond only
        run("touch", "-d", "2024-05-06T07:08:09.123456789Z", file(KEY).toString());
        Instant time = Instant.parse("2024-05-06T07:08:09.123456789Z");
        FileFacts facts = archive().head(KEY);
        assertThat(facts).isEqualTo(new FileFacts(1000, time, "\"3e8-663881d9-75bcd15\"", null, null));
        run("touch", "-d", "2024-05-06T07:08:09.123456790Z", file(KEY).toString());
        assertThat(archive().head(KEY).etag()).isNotEqualTo(facts.etag());
    }

    @Test
    void tagOutlivesAMoveToAnotherDisk() throws Exception {
        put(KEY, bytes(1000));
        FileFacts facts = archive().head(KEY);
        run("cp", "-p", file(KEY).toString(), folder.resolve("copy").toString());
        Files.delete(file(KEY));
        Files.move(folder.resolve("copy"), file(KEY));
        assertThat(archive().head(KEY)).isEqualTo(facts);
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
    }

    @Test
    void thereAreNoVersions() throws IOException {
        put(KEY, bytes(10));
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(new FileKey(KEY.dataset(), KEY.path(), "2")));
    }

    // ---- what is no file

    @Test
    @Timeout(20)
    void pipeIsNotOpened() throws Exception {
        put(KEY, bytes(10));
        Path pipe = root.resolve("tides-2024/pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        FileKey key = FileKey.of("tides-2024", "pipe");
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(key));
        assertFails(FailureReason.NOT_FOUND, () -> archive().open(key, archive().head(KEY), 0));
    }

    @Test
    void namesThatNoFileSystemHolds() throws IOException {
        put(KEY, bytes(10));
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(FileKey.of("tides-2024", "n".repeat(256))));
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(FileKey.of("tides-2024", "潮".repeat(86))));
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(FileKey.of("d".repeat(256), "a")));
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(FileKey.of("tides-2024", "deep/".repeat(900) + "a")));
        FileKey longest = FileKey.of("tides-2024", "潮".repeat(85));
        put(longest, bytes(3));
        assertThat(archive().head(longest).size()).isEqualTo(3);
    }

    // ---- links

    @Test
    void linksInsideTheArchiveAreFollowed() throws IOException {
        put(KEY, bytes(10));
        Files.createSymbolicLink(root.resolve("latest"), Path.of("tides-2024"));
        Files.createSymbolicLink(root.resolve("tides-2024/b.csv"), Path.of("data/a.csv"));
        for (FileKey key : new FileKey[] {FileKey.of("latest", "data/a.csv"), FileKey.of("latest", "b.csv")}) {
            assertThat(read(key, archive().head(key), 0)).isEqualTo(bytes(10));
        }
    }

    @Test
    void rootItselfMayBeALink() throws IOException {
        put(KEY, bytes(10));
        Path link = Files.createSymbolicLink(folder.resolve("link"), root);
        assertThat(new DirectoryArchive(link).head(KEY).size()).isEqualTo(10);
    }

    @Test
    void linksOutOfTheArchiveAreNotFound() throws IOException {
        put(KEY, bytes(10));
        Path outside = Files.createDirectory(folder.resolve("archive-private"));
        Files.writeString(outside.resolve("secret"), "secret");
        Files.createSymbolicLink(root.resolve("tides-2024/link"), outside.resolve("secret"));
        Files.createSymbolicLink(root.resolve("tides-2024/up"), Path.of("../../archive-private"));
        Files.createSymbolicLink(root.resolve("other"), outside);
        for (FileKey key : new FileKey[] {
            FileKey.of("tides-2024", "link"), FileKey.of("tides-2024", "up/secret"), FileKey.of("other", "secret")
        }) {
            assertFails(FailureReason.NOT_FOUND, () -> archive().head(key));
            assertFails(
                    FailureReason.NOT_FOUND, () -> archive().open(key, archive().head(KEY), 0));
        }
    }

    @Test
    void linksThatLeadNowhereAreNotFound() throws IOException {
        put(KEY, bytes(10));
        Files.createSymbolicLink(root.resolve("tides-2024/dangling"), Path.of("none"));
        Files.createSymbolicLink(root.resolve("tides-2024/circle"), Path.of("circle"));
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(FileKey.of("tides-2024", "dangling")));
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(FileKey.of("tides-2024", "circle")));
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(FileKey.of("tides-2024", "circle/a")));
    }

    @Test
    void fileThatBecomesALinkOutOfTheArchiveIsNotReadToItsEnd() throws IOException {
        put(KEY, bytes(10));
        FileFacts facts = archive().head(KEY);
        Path outside = Files.createDirectory(folder.resolve("outside"));
        try (ArchiveStream stream = archive().open(KEY, facts, 0)) {
            Files.move(root.resolve("tides-2024/data"), outside.resolve("data"));
            Files.createSymbolicLink(root.resolve("tides-2024/data"), outside.resolve("data"));
            assertFails(FailureReason.FILE_CHANGED, () -> readAll(stream));
        }
    }

    // ---- folders

    private List<String> keys(String folder) throws IOException {
        return archive().list(new FolderKey("tides-2024", folder, null), "", 100).entries().stream()
                .map(ArchiveEntry::key)
                .toList();
    }

    @Test
    void whatCannotBeAskedForIsNotListed() throws Exception {
        put(KEY, bytes(10));
        String at = root.resolve("tides-2024/data").toString();
        run("mkfifo", at + "/pipe");
        run("sh", "-c", "touch \"$(printf '%s/latin-\\351' '" + at + "')\"");
        run("touch", at + "/new\nline", at + "/escape\u001b", at + "/c1-\u0085");
        run("touch", at + "/replacement-\uFFFD", at + "/..\\", at + "/...", at + "/.hidden");
        assertThat(keys("data")).containsExactly("...", "..\\", ".hidden", "a.csv", "replacement-\uFFFD");
    }

    @Test
    void linksAreListedAsFarAsTheyAreFollowed() throws IOException {
        put(KEY, bytes(10));
        put(FileKey.of("other", "deep/file"), bytes(1));
        Path outside = Files.createDirectory(folder.resolve("archive-private"));
        Path data = root.resolve("tides-2024/data");
        Files.createSymbolicLink(data.resolve("to-file"), Path.of("a.csv"));
        Files.createSymbolicLink(data.resolve("to-folder"), Path.of("../../other"));
        Files.createSymbolicLink(data.resolve("dangling"), Path.of("none"));
        Files.createSymbolicLink(data.resolve("circle"), Path.of("circle"));
        Files.createSymbolicLink(data.resolve("out"), outside);
        assertThat(keys("data")).containsExactly("a.csv", "to-file", "to-folder/");
        assertThat(keys("data/to-folder/deep")).containsExactly("file");
        assertFails(FailureReason.NOT_FOUND, () -> keys("data/out"));
        assertFails(FailureReason.NOT_FOUND, () -> keys("data/circle"));
        assertFails(FailureReason.NOT_FOUND, () -> keys("data/dangling"));
    }

    @Test
    void wayThroughAnArchiveThatIsALinkItselfEndsInTheSamePlaces() throws IOException {
        linksAreListedAsFarAsTheyAreFollowed();
        root = Files.createSymbolicLink(folder.resolve("link"), root);
        assertThat(keys("data")).containsExactly("a.csv", "to-file", "to-folder/");
        assertFails(FailureReason.NOT_FOUND, () -> keys("data/circle"));
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(FileKey.of("tides-2024", "data/circle")));
    }

    @Test
    void whatLiesBehindManyLinksOrALongNameIsNotThere() throws IOException {
        put(KEY, bytes(10));
        Path data = root.resolve("tides-2024/data");
        Path target = Path.of("a.csv");
        for (int i = 0; i < 60; i++) {
            target = Files.createSymbolicLink(data.resolve("l" + i), target).getFileName();
        }
        Files.createSymbolicLink(data.resolve("long"), Path.of("n".repeat(256)));
        Files.createSymbolicLink(data.resolve("through"), Path.of("a.csv/below"));
        assertThat(keys("data")).hasSize(1 + 40).doesNotContain("l40", "long", "through");
        for (String name : List.of("l40", "long", "through")) {
            assertFails(FailureReason.NOT_FOUND, () -> archive().head(FileKey.of("tides-2024", "data/" + name)));
        }
    }

    // ---- a disk that fails

    /** A disk on which some paths cannot be looked at. */
    private static final class FailingDisk extends Disk {
        private final Map<Path, String> failing = new HashMap<>();

        private void meet(Path path) throws IOException {
            String reason = failing.get(path);
            if (reason != null) {
                throw reason.equals("denied")
                        ? new AccessDeniedException(path.toString())
                        : new FileSystemException(path.toString(), null, reason);
            }
        }

        @Override
        Path real(Path path) throws IOException {
            Path real = super.real(path);
            meet(real);
            return real;
        }

        @Override
        BasicFileAttributes attributes(Path path) throws IOException {
            meet(path);
            return super.attributes(path);
        }

        @Override
        DirectoryStream<Path> entries(Path folder) throws IOException {
            meet(folder.resolve("."));
            return super.entries(folder);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Input/output error", "Stale file handle", "denied"})
    void whatCannotBeLookedAtFailsTheListingAndIsNotLeftOut(String reason) throws IOException {
        put(KEY, bytes(10));
        put(FileKey.of("other", "deep/file"), bytes(1));
        Path data = root.resolve("tides-2024/data");
        Files.createSymbolicLink(data.resolve("to-folder"), Path.of("../../other"));
        FailingDisk disk = new FailingDisk();
        DirectoryArchive archive = new DirectoryArchive(root, disk);
        FolderKey folder = new FolderKey("tides-2024", "data", null);
        List<ArchiveEntry> whole = archive.list(folder, "", 10).entries();
        assertThat(whole).hasSize(2);

        for (Path failing : List.of(root.resolve("other"), data.resolve("to-folder"), data.resolve("a.csv"), data)) {
            disk.failing.put(failing, reason);
            assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.list(folder, "", 10));
            disk.failing.clear();
        }
        disk.failing.put(root.resolve("other/deep"), reason);
        FolderKey behindALink = new FolderKey("tides-2024", "data/to-folder/deep", null);
        FileKey file = FileKey.of("tides-2024", "data/to-folder/deep/file");
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.list(behindALink, "", 10));
        disk.failing.put(root.resolve("other/deep/file"), reason);
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(file));
        disk.failing.clear();
        assertThat(archive.list(folder, "", 10).entries()).isEqualTo(whole);
        assertThat(archive.head(file).size()).isEqualTo(1);
    }

    @Test
    void folderThatCannotBeReadIsNotToldOfAsOneThatCan() throws IOException {
        put(KEY, bytes(10));
        FailingDisk disk = new FailingDisk();
        disk.failing.put(root.resolve("tides-2024/data/."), "denied");
        DirectoryArchive archive = new DirectoryArchive(root, disk);
        for (int limit : new int[] {0, 1, 100}) {
            assertFails(
                    FailureReason.ARCHIVE_FAILED,
                    () -> archive.list(new FolderKey("tides-2024", "data", null), "", limit));
        }
    }

    @Test
    void walkThroughLinksComesToAnEnd() throws IOException {
        put(KEY, bytes(10));
        put(FileKey.of("tides-2024", "other/file"), bytes(10));
        Path dataset = root.resolve("tides-2024");
        Files.createSymbolicLink(dataset.resolve("data/up"), Path.of(".."));
        Files.createSymbolicLink(dataset.resolve("data/self"), Path.of("."));
        Files.createSymbolicLink(dataset.resolve("data/x"), Path.of("../other"));
        Files.createSymbolicLink(dataset.resolve("other/y"), Path.of("../data"));
        assertThat(keys("data")).containsExactly("a.csv", "x/");
        assertThat(keys("data/x")).containsExactly("file");
        assertThat(keys("other/y")).containsExactly("a.csv");
    }

    @Test
    void folderOfAnEmptyRootIsAFailureAndNotMissing() {
        assertFails(FailureReason.ARCHIVE_FAILED, () -> keys(""));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> keys("data"));
    }

    @Test
    void foldersHaveNoVersions() throws IOException {
        put(KEY, bytes(10));
        assertFails(FailureReason.NOT_FOUND, () -> archive().list(new FolderKey(KEY.dataset(), "data", "1"), "", 10));
    }

    @Test
    void aPageOfAHundredThousandEntriesHoldsNoMoreThanThePage() {
        LeastEntries least = new LeastEntries(100);
        int most = 0;
        int bounded = 0;
        for (int i = 0; i < 100_000; i++) {
            // in an order that goes up and down
            String name = String.format("%06d", (i * 7919L) % 100_000);
            String bound = least.bound();
            if (bound == null || ArchiveEntry.compareKeys(name, bound) < 0) {
                least.add(new ArchiveEntry(name, null));
                bounded++;
            }
            most = Math.max(most, least.size());
        }
        assertThat(most).isEqualTo(101);
        assertThat(bounded).as("entries that were looked at").isLessThan(2000);
        assertThat(least.page().more()).isTrue();
        assertThat(least.page().entries())
                .extracting(ArchiveEntry::name)
                .isEqualTo(IntStream.range(0, 100)
                        .mapToObj(i -> String.format("%06d", i))
                        .toList());
    }

    // ---- the archive is away

    @Test
    void missingRootIsAFailureAndNotAMissingFile() throws IOException {
        put(KEY, bytes(10));
        FileFacts facts = archive().head(KEY);
        Files.move(root, folder.resolve("away"));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive().head(KEY));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive().open(KEY, facts, 0));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive().probe());
        Files.move(folder.resolve("away"), root);
        archive().probe();
        assertThat(archive().head(KEY)).isEqualTo(facts);
    }

    @Test
    void emptyRootIsTakenForADiskThatIsNotMounted() {
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive().probe());
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive().head(KEY));
    }

    @Test
    void rootThatIsNoFolderIsAFailure() throws IOException {
        Files.delete(root);
        Files.writeString(root, "a file");
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive().probe());
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive().head(KEY));
    }

    @Test
    void messagesNameNoPath() {
        assertThatThrownBy(() -> archive().head(KEY))
                .isInstanceOf(FailureException.class)
                .message()
                .doesNotContain(folder.toString());
    }

    // ---- the file changes while it is read

    @Test
    void fileThatGrowsIsNotReadToItsEnd() throws IOException {
        put(KEY, bytes(10));
        try (ArchiveStream stream = archive().open(KEY, archive().head(KEY), 0)) {
            Files.write(file(KEY), bytes(5), StandardOpenOption.APPEND);
            assertFails(FailureReason.FILE_CHANGED, () -> readAll(stream));
        }
    }

    @Test
    void fileThatShrinksIsNotReadToItsEnd() throws IOException {
        put(KEY, bytes(20_000));
        try (ArchiveStream stream = archive().open(KEY, archive().head(KEY), 0)) {
            assertThat(stream.read(ByteBuffer.allocate(100))).isEqualTo(100);
            Files.write(file(KEY), bytes(5000));
            assertFails(FailureReason.FILE_CHANGED, () -> readAll(stream));
        }
    }

    @Test
    void lastBytesAreHeldBackIfTheFileWasTouched() throws IOException {
        put(KEY, "old content".getBytes(UTF_8));
        FileFacts facts = archive().head(KEY);
        try (ArchiveStream stream = archive().open(KEY, facts, 0)) {
            assertThat(stream.read(ByteBuffer.allocate(4))).isEqualTo(4);
            Files.writeString(file(KEY), "new content");
            Files.setLastModifiedTime(file(KEY), FileTime.from(Instant.EPOCH.plusNanos(1)));
            assertFails(FailureReason.FILE_CHANGED, () -> stream.read(ByteBuffer.allocate(100)));
        }
    }

    @Test
    void fileThatIsReplacedIsNotReadToItsEnd() throws Exception {
        put(KEY, bytes(10));
        FileFacts facts = archive().head(KEY);
        Path other = Files.write(folder.resolve("other"), new byte[10]);
        run("touch", "-r", file(KEY).toString(), other.toString());
        try (ArchiveStream stream = archive().open(KEY, facts, 0)) {
            Files.move(other, file(KEY), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            assertFails(FailureReason.FILE_CHANGED, () -> readAll(stream));
        }
    }

    @Test
    void bufferKeepsItsLimit() throws IOException {
        put(KEY, bytes(10));
        try (ArchiveStream stream = archive().open(KEY, archive().head(KEY), 0)) {
            ByteBuffer buffer = ByteBuffer.allocate(100).position(20).limit(90);
            assertThat(stream.read(buffer)).isEqualTo(10);
            assertThat(buffer.position()).isEqualTo(30);
            assertThat(buffer.limit()).isEqualTo(90);
        }
    }
}
