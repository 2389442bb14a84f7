package org.anteroom.volume;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A copy while it is being made. One thread writes; readers may follow through {@link #openWritten()}.
 *
 * <p>{@link #close()} without {@link #commit()} removes what was written. After a commit it only closes.
 */
public interface CopyWriter extends Closeable {

    /** Appends all remaining bytes. */
    void write(ByteBuffer source) throws IOException;

    /** Has the volume store what is written, as far as it can before the commit, so that the commit has less to do. */
    void sync() throws IOException;

    /**
     * Does what may take long of the commit that follows: waits until what is stored in the background is stored. Each step
     * bounds its own time, so that how long all of it takes says nothing of the volume's health.
     */
    default void settle() throws IOException {}

    /** Bytes written so far. */
    long written();

    /**
     * Opens what is written, for reading while more is added; also good after the commit, until it is closed itself.
     * Its size is the length at the time of the call; reads see what has been written since.
     */
    CopyReader openWritten() throws IOException;

    /**
     * Makes the copy exist under its name, durably: the data is synced, renamed, and the folder (and its new parents) is
     * synced before this returns.
     */
    void commit() throws IOException;
}
