package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tar files as other programs write them, and as nobody should. */
class TarBagTest {
    private static final byte[] TEXT = "some text".getBytes(UTF_8);

    @TempDir
    Path folder;

    private Path tar;
    private BagitArchive archive;

    @BeforeEach
    void makeArchive() throws IOException {
        Path root = Files.createDirectory(folder.resolve("archive"));
        tar = root.resolve("b.tar");
        archive = new BagitArchive(
                root,
                new BagitSettings(folder.resolve("index"), 1 << 30),
                InstantSource.system(),
                Ticker.systemTicker());
    }

    private static RawTar bag() {
        return new RawTar()
                .file("b/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".getBytes(UTF_8));
    }

    private void write(byte[] bytes) throws IOException {
        Files.write(tar, bytes);
    }

    private byte[] read(String path) throws IOException {
        FileKey key = FileKey.of("b", path);
        FileFacts facts = archive.head(key);
        ByteBuffer buffer = ByteBuffer.allocate((int) facts.size() + 1);
        try (ArchiveStream stream = archive.open(key, facts, 0)) {
            while (stream.read(buffer) >= 0) {
                assertThat(buffer.hasRemaining()).isTrue();
            }
        }
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    private List<String> names() throws IOException {
        return archive.list(new FolderKey("b", "", null), "", 100).entries().stream()
                .map(ArchiveEntry::key)
                .toList();
    }

    private static void assertFails(FailureReason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    @Test
    void namesInEveryWayOfWritingThem() throws IOException {
        String longName = "n".repeat(200);
        byte[] prefixed = RawTar.header('0', "prefixed", "", TEXT.length);
        System.arraycopy("b/data/in".getBytes(UTF_8), 0, prefixed, 345, 9);
        byte[] old = RawTar.header('\0', "b/data/old", "", TEXT.length);
        Arrays.fill(old, 257, 512, (byte) 0);
        write(bag().file("b/data/short", TEXT)
                .file("./b/data/dotted", TEXT)
                .raw(RawTar.sealed(prefixed), TEXT)
                .raw(RawTar.sealed(old), TEXT)
                .pax("path", "b/data/潮位", "mtime", "1715000001.25")
                .file("b/data/x", TEXT)
                .entry('L', "././@LongLink", "", ("b/data/" + longName + "\0").getBytes(UTF_8))
                .file("b/data/" + longName.substring(0, 90), TEXT)
                .pax("path", "b/data/../evil")
                .file("b/data/evil", TEXT)
                .closed());
        assertThat(names()).containsExactly("dotted", "in/", longName, "old", "short", "潮位");
        for (String name : List.of("dotted", "in/prefixed", longName, "old", "short", "潮位")) {
            assertThat(read(name)).as(name).isEqualTo(TEXT);
        }
        assertThat(archive.head(FileKey.of("b", "short")).lastModified())
                .isEqualTo(Instant.ofEpochSecond(1_715_000_000));
        assertThat(archive.head(FileKey.of("b", "潮位")).lastModified())
                .isEqualTo(Instant.ofEpochSecond(1_715_000_001, 250_000_000));
    }

    @Test
    void lastOfSeveralIsTheFile() throws IOException {
        write(bag().file("b/data/a", "old".getBytes(UTF_8))
                .file("b/data/a", TEXT)
                .closed());
        assertThat(read("a")).isEqualTo(TEXT);
        assertThat(names()).containsExactly("a");
    }

    @Test
    void hardLinksAreTheFilesThatTheyLinkTo() throws IOException {
        write(bag().file("b/data/a", TEXT)
                .entry('1', "b/data/link", "b/data/a", new byte[0])
                .entry('1', "b/data/again", "./b/data/link", new byte[0])
                .entry('1', "b/data/self", "b/data/self", new byte[0])
                .entry('1', "b/data/out", "/etc/passwd", new byte[0])
                .entry('1', "b/data/tag", "b/bagit.txt", new byte[0])
                .entry('2', "b/data/soft", "a", new byte[0])
                .closed());
        assertThat(read("link")).isEqualTo(TEXT);
        assertThat(read("again")).isEqualTo(TEXT);
        for (String name : List.of("self", "out", "tag", "soft")) {
            assertFails(FailureReason.NOT_FOUND, () -> read(name));
        }
    }

    @Test
    void sizesInBinaryAndInExtendedHeaders() throws IOException {
        byte[] binary = RawTar.header('0', "b/data/binary", "", 0);
        Arrays.fill(binary, 124, 136, (byte) 0);
        binary[124] = (byte) 0x80;
        binary[135] = (byte) TEXT.length;
        write(bag().raw(RawTar.sealed(binary), TEXT)
                .pax("size", "" + TEXT.length)
                .raw(RawTar.header('0', "b/data/extended", "", 0), TEXT)
                .closed());
        assertThat(read("binary")).isEqualTo(TEXT);
        assertThat(read("extended")).isEqualTo(TEXT);
    }

    @Test
    void sparseFilesAreRefused() throws IOException {
        write(bag().entry('S', "b/data/old", "", TEXT)
                .pax("GNU.sparse.major", "1")
                .file("b/data/new", TEXT)
                .file("b/data/good", TEXT)
                .closed());
        assertFails(FailureReason.ARCHIVE_FAILED, () -> read("old"));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> read("new"));
        assertThat(read("good")).isEqualTo(TEXT);
    }

    @Test
    void whatIsCutOffOrNoTarFileIsRefused() throws IOException {
        byte[] open = bag().file("b/data/a", TEXT).open();
        for (byte[] bytes : List.of(
                open,
                Arrays.copyOf(open, open.length - 512),
                Arrays.copyOf(open, 100),
                new byte[0],
                "no tar file ".repeat(100).getBytes(UTF_8),
                bag().raw(RawTar.header('0', "b/data/a", "", 1L << 32), TEXT).closed(),
                bag().raw(RawTar.header('x', "b/data/a", "", 5), "9999 ".getBytes(UTF_8))
                        .closed(),
                bag().raw(RawTar.header('L', "b/data/a", "", 1L << 20), new byte[1 << 20])
                        .closed())) {
            TestBag.replace(tar, out -> out.write(bytes));
            assertFails(FailureReason.ARCHIVE_FAILED, () -> read("a"));
        }
    }
}
