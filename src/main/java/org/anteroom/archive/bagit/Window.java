package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The part of a file that is in memory: parts near each other take one read. Little-endian, as zip files are. */
final class Window {
    private final ByteSource file;
    private final long size;
    private final int least;
    private ByteBuffer buffer = ByteBuffer.allocate(0);
    private long start;

    /**
     * A window on a file.
     *
     * @param least how many bytes a read takes, unless more are asked for
     */
    Window(ByteSource file, int least) throws IOException {
        this.file = file;
        this.size = file.size();
        this.least = least;
    }

    /** The file's size. */
    long size() {
        return size;
    }

    /**
     * The bytes from a position on; good until the next call.
     *
     * @throws org.anteroom.model.FailureException if the file ends before
     */
    ByteBuffer at(long position, int length) throws IOException {
        if (position < 0 || length > size - position) {
            throw Damage.bag("ends at " + size + " where " + length + " bytes should be at " + position);
        }
        if (position < start || position + length > start + buffer.limit()) {
            load(position, length);
        }
        return buffer.slice((int) (position - start), length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void load(long position, int length) throws IOException {
        int count = (int) Math.min(Math.max(least, length), size - position);
        buffer = buffer.capacity() >= count ? buffer.clear().limit(count) : ByteBuffer.allocate(count);
        start = position;
        file.readFully(buffer, position);
        buffer.flip();
    }
}
