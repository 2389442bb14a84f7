package org.anteroom.archive.bagit;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a file, to be read anywhere. */
interface ByteSource extends Closeable {

    /** Reads some bytes from a position on; -1 at the end. */
    int read(ByteBuffer target, long position) throws IOException;

    long size() throws IOException;

    /** Fills the buffer from a position on. */
    default void readFully(ByteBuffer target, long position) throws IOException {
        long at = position;
        while (target.hasRemaining()) {
            int count = read(target, at);
            if (count < 0) {
                throw new EOFException("the file ends at " + at);
            }
            at += count;
        }
    }
}
