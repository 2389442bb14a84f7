package org.anteroom.archive;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a file from some position on. Used by one thread at a time. */
public interface ArchiveStream extends Closeable {

    /**
     * Reads the next bytes.
     *
     * @return how many, at least 1; or -1 at the end. A file that ends early, goes on past its size, or has changed
     *     since it was opened is a failure (WRONG_BYTES or ARCHIVE_FAILED), never a quiet end
     */
    int read(ByteBuffer target) throws IOException;
}
