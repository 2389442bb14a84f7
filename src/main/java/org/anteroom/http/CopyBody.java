package org.anteroom.http;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.inventory.CopyRow;
import org.anteroom.volume.CopyReader;

/** The bytes of an open copy. */
final class CopyBody implements Body {
    private final CopyRow copy;
    private final CopyReader reader;
    private boolean closed;

    CopyBody(CopyRow copy, CopyReader reader) {
        this.copy = copy;
        this.reader = reader;
    }

    CopyRow copy() {
        return copy;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int n = reader.read(target, position);
        if (n < 0) {
            throw new EOFException("the copy ends at byte " + position);
        }
        return n;
    }

    @Override
    public boolean await(long position, Runnable wake) {
        return false;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Bodies.close(reader);
        }
    }
}
