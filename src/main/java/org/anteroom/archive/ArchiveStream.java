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
     *     since it was opened is a failure (FILE_CHANGED or ARCHIVE_FAILED), never a quiet end; one that does not match what
     *     the archive has to compare it with is WRONG_BYTES
     */
    int read(ByteBuffer target) throws IOException;
}
