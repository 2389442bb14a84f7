package org.anteroom.http;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where the bytes of one response come from: an open copy, a running fill, or the archive.
 *
 * <p>Reads are positional, so that a reader that loses one body goes on from another at the same offset. Used by one
 * thread at a time.
 */
interface Body extends Closeable {

    /**
     * Reads bytes that are there.
     *
     * @param target at least one byte of room
     * @param position where in the file; a body that cannot seek is asked for ascending positions without gaps
     * @return how many, at least 1; 0 when none are there yet; -1 at the end of the file
     * @throws org.anteroom.model.FailureException if the archive is to blame: no other body can help
     * @throws IOException if another body should be tried
     */
    int read(ByteBuffer target, long position) throws IOException;

    /**
     * Asks to be told once when {@link #read} at this position no longer returns 0.
     *
     * @param wake short and non-blocking
     * @return false if there is no need to wait; then it is not called
     */
    boolean await(long position, Runnable wake);

    @Override
    void close();
}
