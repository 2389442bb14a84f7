package org.anteroom.archive;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** The bytes of a file from some position on, asked for chunk by chunk without a thread that waits. */
public interface AsyncArchiveStream extends Closeable {

    /**
     * Asks for the next bytes. The first call also opens the file.
     *
     * <p>The future completes with how many bytes were put into the target, at least 1, or -1 at the end; or with a
     * {@link org.anteroom.model.FailureException}, after which the stream fails for good. The target is touched only
     * just before the future completes with a number, never after it has failed. What is chained to the future runs on
     * a thread of the gate and must not block.
     *
     * @param target with at least one byte of room; the caller leaves it alone until the future is complete
     * @throws IllegalStateException if the last read is not complete
     */
    CompletableFuture<Integer> read(ByteBuffer target);

    /** Ends the stream. Never blocks and never fails; a read that is running ends by itself and is thrown away. */
    @Override
    void close();
}
