package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.bagit.RawZip.Item;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.anteroom.testing.OpenFiles;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Zip files as other programs write them, and as nobody should. */
class ZipBagTest {
    private static final String DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
    private static final byte[] BYTES = new byte[300_000];

    static {
        new Random(1).nextBytes(BYTES);
        // half of it can be deflated
        Arrays.fill(BYTES, 0, 150_000, (byte) 7);
    }

    @TempDir
    Path folder;

    private Path zip;
    private BagitArchive archive;

    @BeforeEach
    void makeArchive() throws IOException {
        Path root = Files.createDirectory(folder.resolve("archive"));
        zip = root.resolve("b.zip");
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

    private void write(Item... items) throws IOException {
        try (RawZip out = new RawZip(zip)) {
            out.add(Item.stored("b/bagit.txt", DECLARATION.getBytes(UTF_8)));
            for (Item item : items) {
                out.add(item);
            }
        }
    }

    private static Item with(Item item, Consumer<Item> change) {
        change.accept(item);
        return item;
    }

    private byte[] read(String path) throws IOException {
        FileKey key = FileKey.of("b", path);
        return read(path, archive.head(key), 0);
    }

    private byte[] read(String path, FileFacts facts, long offset) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(10_000);
        try (ArchiveStream stream = archive.open(FileKey.of("b", path), facts, offset)) {
            while (stream.read(buffer.clear()) >= 0) {
                all.write(buffer.array(), 0, buffer.position());
                assertThat(all.size()).as("no more than was told").isLessThanOrEqualTo((int) facts.size());
            }
        }
        return all.toByteArray();
    }

    private static void assertFails(FailureReason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    private List<String> names() throws IOException {
        return archive.list(new FolderKey("b", "", null), "", 100).entries().stream()
                .map(ArchiveEntry::key)
                .toList();
    }

    // ---- forms

    @Test
    void storedAndDeflatedFilesAreReadFromAnyOffset() throws IOException {
        write(
                Item.stored("b/data/stored", BYTES),
                Item.deflated("b/data/deflated", BYTES),
                with(Item.deflated("b/data/in 64 bits", BYTES), item -> item.zip64 = true),
                Item.deflated("b/data/empty", new byte[0]));
        for (String name : List.of("stored", "deflated", "in 64 bits")) {
            FileFacts facts = archive.head(FileKey.of("b", name));
            assertThat(facts.size()).isEqualTo(BYTES.length);
            for (int offset : new int[] {0, 1, 65_536, 149_999, 299_999, 300_000}) {
                assertThat(read(name, facts, offset)).isEqualTo(Arrays.copyOfRange(BYTES, offset, BYTES.length));
            }
        }
        assertThat(read("empty")).isEmpty();
        FileFacts facts = archive.head(FileKey.of("b", "stored"));
        assertThat(archive.canSeek(FileKey.of("b", "stored"), facts)).isTrue();
        assertThat(archive.canSeek(FileKey.of("b", "deflated"), facts)).isFalse();
    }

    @Test
    void bagMayLieInNoFolderOrInOneOfAnotherName() throws IOException {
        for (String top : List.of("", "./", "another/", "data/", "./b/")) {
            try (RawZip out = new RawZip(zip)) {
                out.add(Item.stored(top + "data/a", BYTES));
                out.add(Item.stored(top + "data/data/bagit.txt", BYTES));
                out.add(Item.stored(top + "data/manifest-md5.txt", BYTES));
                out.add(Item.stored(top + "bagit.txt", DECLARATION.getBytes(UTF_8)));
            }
            assertThat(read("a")).as(top).isEqualTo(BYTES);
            assertThat(names()).as(top).containsExactly("a", "data/", "manifest-md5.txt");
        }
    }

    @Test
    void severalBagsInOneFileAreRefused() throws IOException {
        write(Item.stored("b/data/a", BYTES), Item.stored("c/bagit.txt", BYTES), Item.stored("c/data/x", BYTES));
        assertThat(read("a")).isEqualTo(BYTES);
        assertThat(names()).containsExactly("a");
        try (RawZip out = new RawZip(zip)) {
            out.add(Item.stored("c/bagit.txt", DECLARATION.getBytes(UTF_8)));
            out.add(Item.stored("d/bagit.txt", DECLARATION.getBytes(UTF_8)));
            out.add(Item.stored("d/data/a", BYTES));
        }
        assertFails(FailureReason.ARCHIVE_FAILED, () -> read("a"));
    }

    @Test
    void timesAreTheSameOnEveryMachine() throws IOException {
        byte[] unix = RawZip.little(5).put((byte) 1).putInt(1_715_000_000).array();
        byte[] windows = RawZip.little(32)
                .putInt(0)
                .putShort((short) 1)
                .putShort((short) 24)
                .putLong(116_444_736_000_000_000L + 17_150_000_001_234_567L)
                .array();
        write(
                Item.stored("b/data/dos", BYTES),
                with(Item.stored("b/data/unix", BYTES), item -> item.extra = RawZip.field(0x5455, unix)),
                with(Item.stored("b/data/windows", BYTES), item -> item.extra = RawZip.field(0x000a, windows)),
                with(Item.stored("b/data/none", BYTES), item -> item.dosTime = 0));
        assertThat(archive.head(FileKey.of("b", "dos")).lastModified())
                .isEqualTo(Instant.parse("2024-05-06T07:08:08Z"));
        assertThat(archive.head(FileKey.of("b", "unix")).lastModified())
                .isEqualTo(Instant.ofEpochSecond(1_715_000_000));
        assertThat(archive.head(FileKey.of("b", "windows")).lastModified())
                .isEqualTo(Instant.ofEpochSecond(1_715_000_000, 123_456_700));
        FileFacts none = archive.head(FileKey.of("b", "none"));
        assertThat(none.lastModified()).isNull();
        assertThat(none.etag()).as("nothing identifies it").isNull();
    }

    // ---- names

    @Test
    void namesInUtf8AndCodePage437() throws IOException {
        byte[] japanese = "b/data/潮位.csv".getBytes(UTF_8);
        byte[] raw = "b/data/caf\u0082".getBytes(Charset.forName("ISO-8859-1"));
        java.util.zip.CRC32 crc = new java.util.zip.CRC32();
        crc.update(raw);
        byte[] path = RawZip.little(5 + 12)
                .put((byte) 1)
                .putInt((int) crc.getValue())
                .put("b/data/caf\u0101".getBytes(UTF_8))
                .array();
        write(
                Item.stored("b/data/naïve.txt", BYTES),
                with(Item.stored("x", BYTES), item -> {
                    item.name = japanese;
                    item.flags = 0;
                }),
                with(Item.stored("x", BYTES), item -> {
                    item.name = raw;
                    item.flags = 0;
                    item.madeBy = 20;
                }),
                with(Item.stored("x", BYTES), item -> {
                    item.name = raw;
                    item.flags = 0;
                    item.extra =
                            RawZip.field(0x7075, Arrays.copyOf(path, 5 + "b/data/caf\u0101".getBytes(UTF_8).length));
                }));
        assertThat(names()).containsExactly("café", "cafā", "naïve.txt", "潮位.csv");
        assertThat(read("潮位.csv")).isEqualTo(BYTES);
        assertThat(read("café")).isEqualTo(BYTES);
    }

    @Test
    void hostileNamesLeadNowhere() throws IOException {
        write(
                Item.stored("../../evil", BYTES),
                Item.stored("/etc/evil", BYTES),
                Item.stored("b/data/../../evil", BYTES),
                Item.stored("b/data/./evil", BYTES),
                Item.stored("b/data//evil", BYTES),
                Item.stored("b/data/evil\nline", BYTES),
                Item.stored("b/data/" + "n".repeat(60_000), BYTES),
                Item.stored("", BYTES),
                with(Item.stored("x", BYTES), item -> item.name = new byte[] {'b', '/', (byte) 0xFF}),
                Item.stored("b/data/..\\evil", BYTES),
                Item.stored("b/data/good", BYTES));
        assertThat(names()).containsExactly("..\\evil", "good");
        assertThat(read("good")).isEqualTo(BYTES);
    }

    @Test
    void linksInZipFilesAreNoFiles() throws IOException {
        write(
                with(
                        Item.stored("b/data/link", "../../../etc/passwd".getBytes(UTF_8)),
                        item -> item.attributes = 0xA1FF << 16),
                with(Item.stored("b/data/file", BYTES), item -> item.attributes = 0x81A4 << 16));
        assertThat(names()).containsExactly("file");
        assertFails(FailureReason.NOT_FOUND, () -> read("link"));
    }

    // ---- what is not as it says

    @Test
    void fileThatIsThereTwiceIsRefused() throws IOException {
        write(Item.stored("b/data/a", BYTES), Item.stored("b/data/b", BYTES), Item.stored("b/data/a", new byte[1]));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> read("a"));
        assertThat(read("b")).isEqualTo(BYTES);
    }

    @Test
    void encryptedAndStrangelyCompressedFilesAreRefused() throws IOException {
        write(
                with(Item.stored("b/data/encrypted", BYTES), item -> item.flags |= 1),
                with(Item.stored("b/data/strong", BYTES), item -> item.flags |= 1 << 6),
                with(Item.stored("b/data/bzip2", BYTES), item -> item.method = 12),
                Item.stored("b/data/good", BYTES));
        for (String name : List.of("encrypted", "strong", "bzip2")) {
            assertFails(FailureReason.ARCHIVE_FAILED, () -> read(name));
        }
        assertThat(read("good")).isEqualTo(BYTES);
    }

    @Test
    void sizesThatLieAreFound() throws IOException {
        Item deflated = Item.deflated("b/data/x", BYTES);
        write(
                with(Item.deflated("b/data/longer", BYTES), item -> item.size--),
                with(Item.deflated("b/data/shorter", BYTES), item -> item.size++),
                with(Item.deflated("b/data/cut", BYTES), item -> item.storedSize = deflated.storedSize - 10),
                with(Item.deflated("b/data/padded", BYTES), item -> item.storedSize = deflated.storedSize + 10),
                with(Item.stored("b/data/unequal", BYTES), item -> item.size++),
                with(Item.deflated("b/data/bomb", BYTES), item -> {
                    item.zip64 = true;
                    item.size = Long.MAX_VALUE;
                }),
                with(Item.stored("b/data/outside", BYTES), item -> {
                    item.size = 1 << 30;
                    item.storedSize = 1 << 30;
                }),
                with(Item.deflated("b/data/crc", BYTES), item -> item.crc ^= 1),
                with(Item.stored("b/data/stored-crc", BYTES), item -> item.crc ^= 1),
                with(Item.deflated("b/data/noise", BYTES), item -> new Random(2).nextBytes(item.stored)));
        for (String name : List.of("longer", "shorter", "cut", "padded", "crc", "stored-crc", "noise")) {
            assertFails(FailureReason.WRONG_BYTES, () -> read(name));
        }
        for (String name : List.of("unequal", "bomb", "outside")) {
            assertFails(FailureReason.ARCHIVE_FAILED, () -> read(name));
        }
    }

    @Test
    void placeOutsideOfTheFileIsRefused() throws IOException {
        Item item = Item.stored("b/data/a", BYTES);
        for (long offset : new long[] {1, 1 << 30, Long.MAX_VALUE}) {
            try (RawZip out = new RawZip(zip)) {
                out.add(Item.stored("b/bagit.txt", DECLARATION.getBytes(UTF_8)));
                out.list(item, item.storedSize, offset);
            }
            assertFails(FailureReason.ARCHIVE_FAILED, () -> read("a"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 21, 22, 100, 1000})
    void fileThatIsCutOffIsRefused(int left) throws IOException {
        write(Item.stored("b/data/a", BYTES));
        byte[] whole = Files.readAllBytes(zip);
        Files.write(zip, Arrays.copyOf(whole, left));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> read("a"));
        Files.write(zip, Arrays.copyOf(whole, whole.length - 1));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> read("a"));
        Files.write(zip, Arrays.copyOfRange(whole, 10, whole.length));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> read("a"));
    }

    @Test
    void commentAtTheEndDoesNotMatter() throws IOException {
        write(Item.stored("b/data/a", BYTES));
        byte[] whole = Files.readAllBytes(zip);
        byte[] comment = "a comment with PK\5\6 in it, long enough to look like one more end".getBytes(UTF_8);
        byte[] with = Arrays.copyOf(whole, whole.length + comment.length);
        System.arraycopy(comment, 0, with, whole.length, comment.length);
        with[whole.length - 2] = (byte) comment.length;
        Files.write(zip, with);
        assertThat(read("a")).isEqualTo(BYTES);
    }

    /** Bytes of a good bag are altered: each file is right, or a failure that says why; seeds are fixed. */
    @Test
    void alteredBytesNeverBecomeAWholeFile() throws IOException {
        byte[] text = "text ".repeat(2000).getBytes(UTF_8);
        write(
                Item.deflated("b/data/deflated", text),
                Item.stored("b/data/stored", text),
                Item.stored(
                        "b/manifest-sha256.txt",
                        (Sha256.of(text).hex() + " data/stored\n"
                                        + Sha256.of(text).hex() + " data/deflated\n")
                                .getBytes(UTF_8)));
        byte[] whole = Files.readAllBytes(zip);
        Random random = new Random(3);
        int right = 0;
        for (int i = 0; i < 300; i++) {
            byte[] altered = whole.clone();
            // mostly where the structures are
            int at = random.nextInt(4) == 0 ? random.nextInt(whole.length) : whole.length - 1 - random.nextInt(500);
            altered[at] ^= (byte) (1 << random.nextInt(8));
            TestBag.replace(zip, out -> out.write(altered));
            for (String name : List.of("deflated", "stored")) {
                try {
                    FileFacts facts = archive.head(FileKey.of("b", name));
                    byte[] bytes = read(name, facts, 0);
                    Sha256 told = facts.sha256();
                    if (told == null || told.equals(Sha256.of(bytes))) {
                        assertThat(bytes).as("%s, byte %d", name, at).isEqualTo(text);
                        right++;
                    }
                } catch (FailureException e) {
                    assertThat(e.reason())
                            .isIn(FailureReason.NOT_FOUND, FailureReason.ARCHIVE_FAILED, FailureReason.WRONG_BYTES);
                }
            }
        }
        assertThat(right).as("flips that do not matter").isBetween(1, 599);
    }
}
