package org.anteroom.archive.bagit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes an index: a header, then blocks of entries in the order of their keys, none of which lies in two blocks. The header
 * is written last, so that a file that was cut off has none.
 */
final class IndexWriter implements Closeable {
    private final FileChannel file;
    private final ByteBuffer block = ByteBuffer.allocate(Block.SIZE);
    private long entries;
    private int blocks;

    /** A writer of a new file. */
    IndexWriter(Path path) throws IOException {
        this.file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        this.file.position(Block.SIZE);
        startBlock();
    }

    /** Adds an entry, whose key comes after those that were added. */
    void add(byte[] key, byte[] value) throws IOException {
        int length = 2 * Short.BYTES + key.length + value.length;
        if (length > Block.ROOM - Short.BYTES) {
            throw new IllegalArgumentException("an entry of " + length + " bytes");
        }
        if (length > Block.ROOM - block.position()) {
            writeBlock();
        }
        block.putShort((short) key.length)
                .putShort((short) value.length)
                .put(key)
                .put(value);
        block.putShort(0, (short) (block.getShort(0) + 1));
        entries++;
    }

    private void startBlock() {
        block.clear();
        block.putShort((short) 0);
    }

    private void writeBlock() throws IOException {
        while (block.position() < Block.SIZE) {
            block.put((byte) 0);
        }
        write(Block.seal(block), file.position());
        file.position(file.position() + Block.SIZE);
        blocks++;
        startBlock();
    }

    private void write(ByteBuffer whole, long at) throws IOException {
        long position = at;
        while (whole.hasRemaining()) {
            position += file.write(whole, position);
        }
    }

    /** Completes the file. */
    IndexHeader finish(String bag, boolean lookup) throws IOException {
        if (block.getShort(0) > 0) {
            writeBlock();
        }
        IndexHeader header = new IndexHeader(bag, lookup, entries, blocks);
        write(header.encode(), 0);
        return header;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
