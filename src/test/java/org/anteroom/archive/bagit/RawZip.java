package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Writes zip files as they may be found, right and wrong: every field of an entry can be set. */
final class RawZip implements Closeable {
    private static final long BIG = 0xFFFFFFFFL;

    private final FileChannel file;
    private final ByteArrayOutputStream directory = new ByteArrayOutputStream();
    private long position;
    private long count;
    private boolean zip64;

    RawZip(Path path) throws IOException {
        this.file = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
    }

    /** An entry that can be altered before it is written. */
    static final class Item {
        byte[] name;
        byte[] stored;
        int madeBy = 3 << 8 | 45;
        int flags = 1 << 11;
        int method;
        int dosTime = (2024 - 1980) << 25 | 5 << 21 | 6 << 16 | 7 << 11 | 8 << 5 | 4;
        long crc;
        long storedSize;
        long size;
        int attributes;
        byte[] extra = new byte[0];
        /** Whether sizes and place are told in 64 bits though they are small. */
        boolean zip64;

        private Item(String name, byte[] stored, int method, long crc, long size) {
            this.name = name.getBytes(UTF_8);
            this.stored = stored;
            this.method = method;
            this.crc = crc;
            this.storedSize = stored.length;
            this.size = size;
        }

        static Item stored(String name, byte[] bytes) {
            return new Item(name, bytes, 0, crc(bytes), bytes.length);
        }

        static Item deflated(String name, byte[] bytes) {
            Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
            deflater.setInput(bytes);
            deflater.finish();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            while (!deflater.finished()) {
                out.write(buffer, 0, deflater.deflate(buffer));
            }
            deflater.end();
            return new Item(name, out.toByteArray(), 8, crc(bytes), bytes.length);
        }
    }

    static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    static byte[] field(int id, byte[] data) {
        return little(4 + data.length)
                .putShort((short) id)
                .putShort((short) data.length)
                .put(data)
                .array();
    }

    static ByteBuffer little(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    void add(Item item) throws IOException {
        add(item, item.storedSize, 0);
    }

    /**
     * Adds an entry.
     *
     * @param gap bytes of nothing, a hole in the file, that follow its data and belong to it
     */
    void add(Item item, long told, long gap) throws IOException {
        long offset = position;
        write(little(30)
                .putInt(0x04034b50)
                .putShort((short) 45)
                .putShort((short) item.flags)
                .putShort((short) item.method)
                .putInt(item.dosTime)
                .putInt((int) item.crc)
                .putInt((int) Math.min(BIG, told))
                .putInt((int) Math.min(BIG, item.size))
                .putShort((short) item.name.length)
                .putShort((short) 0)
                .flip());
        write(ByteBuffer.wrap(item.name));
        write(ByteBuffer.wrap(item.stored));
        position += gap;
        list(item, told, offset);
    }

    /** Tells in the central directory of an entry that lies there. */
    void list(Item item, long told, long offset) {
        boolean big = item.zip64 || item.size >= BIG || told >= BIG || offset >= BIG;
        byte[] sizes = big
                ? field(
                        1,
                        little(24)
                                .putLong(item.size)
                                .putLong(told)
                                .putLong(offset)
                                .array())
                : new byte[0];
        directory.writeBytes(little(46)
                .putInt(0x02014b50)
                .putShort((short) item.madeBy)
                .putShort((short) 45)
                .putShort((short) item.flags)
                .putShort((short) item.method)
                .putInt(item.dosTime)
                .putInt((int) item.crc)
                .putInt((int) (big ? BIG : told))
                .putInt((int) (big ? BIG : item.size))
                .putShort((short) item.name.length)
                .putShort((short) (sizes.length + item.extra.length))
                .putShort((short) 0)
                .putShort((short) 0)
                .putShort((short) 0)
                .putInt(item.attributes)
                .putInt((int) (big ? BIG : offset))
                .array());
        directory.writeBytes(item.name);
        directory.writeBytes(sizes);
        directory.writeBytes(item.extra);
        zip64 |= big;
        count++;
    }

    /** Where the next entry would be written. */
    long position() {
        return position;
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            position += file.write(bytes, position);
        }
    }

    /** Writes the central directory and the end. */
    @Override
    public void close() throws IOException {
        long start = position;
        write(ByteBuffer.wrap(directory.toByteArray()));
        long size = position - start;
        if (zip64 || count >= 0xFFFF) {
            long end = position;
            write(little(56)
                    .putInt(0x06064b50)
                    .putLong(44)
                    .putShort((short) 45)
                    .putShort((short) 45)
                    .putInt(0)
                    .putInt(0)
                    .putLong(count)
                    .putLong(count)
                    .putLong(size)
                    .putLong(start)
                    .flip());
            write(little(20).putInt(0x07064b50).putInt(0).putLong(end).putInt(1).flip());
            start = BIG;
            size = BIG;
        }
        write(little(22)
                .putInt(0x06054b50)
                .putInt(0)
                .putShort((short) Math.min(0xFFFF, count))
                .putShort((short) Math.min(0xFFFF, count))
                .putInt((int) size)
                .putInt((int) start)
                .putShort((short) 0)
                .flip());
        file.close();
    }
}
