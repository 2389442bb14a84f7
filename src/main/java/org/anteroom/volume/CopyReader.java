package org.anteroom.volume;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open copy. Reads are positional, so that several threads may share one. */
public interface CopyReader extends Closeable {

    /** Length in bytes, as found when it was opened. */
    long size();

    /**
     * Reads some bytes.
     *
     * @param target where to put them; at least one byte of room
     * @param position where to begin, from 0
     * @return how many, at least 1; or -1 at or after the end
     */
    int read(ByteBuffer target, long position) throws IOException;
}
