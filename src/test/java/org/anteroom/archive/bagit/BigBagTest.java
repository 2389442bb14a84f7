package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.bagit.RawZip.Item;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Big bags, and bags of many files: what is read and kept in memory does not grow with them. */
class BigBagTest {
    private static final byte[] SMALL = new byte[50_000];

    static {
        new Random(5).nextBytes(SMALL);
    }

    @TempDir
    Path folder;

    private Path root;
    private final CountingDisk disk = new CountingDisk();

    @BeforeEach
    void makeRoot() throws IOException {
        root = Files.createDirectory(folder.resolve("archive"));
    }

    private BagitArchive archive() {
        return new BagitArchive(
                root,
                new BagitSettings(folder.resolve("index"), 1 << 30),
                InstantSource.system(),
                Ticker.systemTicker(),
                disk);
    }

    private static Item declaration() {
        return Item.stored("b/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".getBytes(UTF_8));
    }

    @Test
    void smallFileInAZipBagOf5GiB() throws IOException {
        smallFileBehindAHoleOf(5L << 30);
    }

    @Test
    @Tag("full")
    void smallFileInAZipBagOf20GiB() throws IOException {
        smallFileBehindAHoleOf(20L << 30);
    }

    private void smallFileBehindAHoleOf(long hole) throws IOException {
        try (RawZip zip = new RawZip(root.resolve("b.zip"))) {
            zip.add(declaration());
            Item big = Item.stored("b/data/big", new byte[0]);
            big.size = hole;
            zip.add(big, hole, hole);
            zip.add(Item.deflated("b/data/small", SMALL));
        }
        archive().head(FileKey.of("b", "small"));
        assertThat(disk.bytes.get()).as("bytes read for indexing").isLessThan(200_000);

        disk.reset();
        BagitArchive archive = archive();
        FileKey key = FileKey.of("b", "small");
        FileFacts facts = archive.head(key);
        assertThat(read(archive, key, facts, 0)).isEqualTo(SMALL);
        assertThat(disk.opens.get()).isEqualTo(1);
        assertThat(disk.reads.get()).as("its header and its bytes").isLessThanOrEqualTo(3);
        assertThat(disk.bytes.get()).isLessThan(SMALL.length + 1000);

        // far into the big one, without what comes before
        disk.reset();
        FileKey big = FileKey.of("b", "big");
        FileFacts bigFacts = archive.head(big);
        assertThat(bigFacts.size()).isEqualTo(hole);
        assertThat(read(archive, big, bigFacts, hole - 10)).isEqualTo(new byte[10]);
        assertThat(disk.reads.get()).isLessThanOrEqualTo(3);
        assertThat(disk.bytes.get()).isLessThan(1000);
    }

    private static byte[] read(BagitArchive archive, FileKey key, FileFacts facts, long offset) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
        try (ArchiveStream stream = archive.open(key, facts, offset)) {
            while (stream.read(buffer) >= 0) {
                assertThat(buffer.hasRemaining()).isTrue();
            }
        }
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    @Test
    void tarBagIsIndexedByItsHeadersAlone() throws IOException {
        RawTar tar = new RawTar()
                .file("b/bagit.txt", "BagIt-Version: 1.0\n".getBytes(UTF_8))
                .file("b/data/a", SMALL);
        for (int i = 0; i < 100; i++) {
            tar.file("b/data/big" + i, new byte[200_000]);
        }
        Files.write(root.resolve("b.tar"), tar.closed());
        archive().head(FileKey.of("b", "a"));
        assertThat(disk.bytes.get()).isLessThan(102 * 4096 + 10_000);
        disk.reset();
        BagitArchive archive = archive();
        FileKey key = FileKey.of("b", "big50");
        assertThat(read(archive, key, archive.head(key), 199_000)).isEqualTo(new byte[1000]);
        assertThat(disk.bytes.get()).isEqualTo(1000);
    }

    /** In a JVM of its own, whose heap is smaller than the names of all files. */
    @Test
    @Tag("full")
    @Timeout(600)
    void bagOfAMillionFilesIsIndexedInASmallHeap() throws Exception {
        int count = 1_000_000;
        Path zip = root.resolve("b.zip");
        writeZipOf(count, zip);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx48m",
                        "-XX:MaxDirectMemorySize=8m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Indexing.class.getName(),
                        root.toString(),
                        folder.resolve("index").toString(),
                        String.valueOf(count))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile())
                .start();
        assertThat(process.waitFor(9, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readString(folder.resolve("out"))).contains("found and listed");
        assertThat(process.exitValue()).isZero();
    }

    /** A million entries that share their bytes; the directory is written as it grows. */
    private static void writeZipOf(int count, Path path) throws IOException {
        byte[] name = "b/data/".getBytes(UTF_8);
        try (var out = new java.io.DataOutputStream(new java.io.BufferedOutputStream(Files.newOutputStream(path)))) {
            byte[] declaration = "BagIt-Version: 1.0\n".getBytes(UTF_8);
            long first = local(out, "b/bagit.txt".getBytes(UTF_8), declaration);
            local(out, name, new byte[] {'x'});
            long start = out.size();
            central(out, "b/bagit.txt".getBytes(UTF_8), declaration, 0);
            for (int i = 0; i < count; i++) {
                central(out, Indexing.path(i).getBytes(UTF_8), new byte[] {'x'}, first);
            }
            long end = out.size();
            ByteBuffer tail = ByteBuffer.allocate(56 + 20 + 22).order(ByteOrder.LITTLE_ENDIAN);
            tail.putInt(0x06064b50)
                    .putLong(44)
                    .putShort((short) 45)
                    .putShort((short) 45)
                    .putLong(0);
            tail.putLong(count + 1L).putLong(count + 1L).putLong(end - start).putLong(start);
            tail.putInt(0x07064b50).putInt(0).putLong(end).putInt(1);
            tail.putInt(0x06054b50).putInt(0).putInt(-1).putInt(-1).putInt(-1).putShort((short) 0);
            out.write(tail.array());
        }
    }

    private static long local(java.io.DataOutputStream out, byte[] name, byte[] bytes) throws IOException {
        out.write(RawZip.little(30)
                .putInt(0x04034b50)
                .putInt(45)
                .putShort((short) 0)
                .putInt(0)
                .putInt((int) RawZip.crc(bytes))
                .putInt(bytes.length)
                .putInt(bytes.length)
                .putShort((short) name.length)
                .putShort((short) 0)
                .array());
        out.write(name);
        out.write(bytes);
        return out.size();
    }

    private static void central(java.io.DataOutputStream out, byte[] name, byte[] bytes, long offset)
            throws IOException {
        out.write(RawZip.little(46)
                .putInt(0x02014b50)
                .putShort((short) (3 << 8 | 45))
                .putInt(45)
                .putShort((short) 0)
                .putInt(0)
                .putInt((int) RawZip.crc(bytes))
                .putInt(bytes.length)
                .putInt(bytes.length)
                .putShort((short) name.length)
                .putShort((short) 0)
                .putShort((short) 0)
                .putInt(0)
                .putInt(0)
                .putInt((int) offset)
                .array());
        out.write(name);
    }

    /** What is run in the small heap. */
    static final class Indexing {
        private Indexing() {}

        /** In no order, and long. */
        static String path(int i) {
            return "b/data/" + "a long name of a folder, so that all of them take more than there is ".repeat(2)
                    + Integer.toHexString(Integer.reverse(i)) + "/" + i % 10;
        }

        /** Indexes a bag, looks for some of its files, and lists it. */
        public static void main(String[] args) throws IOException {
            int count = Integer.parseInt(args[2]);
            BagitArchive archive = new BagitArchive(
                    Path.of(args[0]),
                    new BagitSettings(Path.of(args[1]), 1L << 40),
                    InstantSource.system(),
                    Ticker.systemTicker());
            for (int i = 0; i < count; i += 997) {
                FileKey key = FileKey.of("b", path(i).substring("b/data/".length()));
                if (archive.head(key).size() != 1) {
                    throw new IllegalStateException(key.path());
                }
            }
            long folders = 0;
            String after = "";
            boolean more = true;
            while (more) {
                var page = archive.list(new FolderKey("b", "", null), after, 1000);
                folders += page.entries().size();
                after = page.entries().get(page.entries().size() - 1).key();
                more = page.more();
            }
            if (folders != count) {
                throw new IllegalStateException(folders + " folders");
            }
            System.out.println("found and listed");
        }
    }
}
