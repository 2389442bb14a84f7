package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes that lie in a file as they are. */
final class PlainContent implements Content {
    private final ByteSource file;
    private final boolean whole;
    private long position;
    private final long end;

    /**
     * A part of a file, or all of it.
     *
     * @param whole whether the file ends where they do
     */
    PlainContent(ByteSource file, long position, long end, boolean whole) {
        this.file = file;
        this.position = position;
        this.end = end;
        this.whole = whole;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int limit = target.limit();
        target.limit((int) Math.min(limit, target.position() + (end - position)));
        int count;
        try {
            count = file.read(target, position);
        } finally {
            target.limit(limit);
        }
        if (count < 0) {
            // it was all there when it was opened
            throw Damage.changed();
        }
        position += count;
        return count;
    }

    @Override
    public void finish() throws IOException {
        if (whole && file.size() != end) {
            throw Damage.changed();
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
