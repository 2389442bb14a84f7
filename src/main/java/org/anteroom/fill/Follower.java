package org.anteroom.fill;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** One reader's place at a running fill. */
public final class Follower implements Closeable {
    private final Fill fill;
    private final AtomicBoolean closed = new AtomicBoolean();

    Follower(Fill fill) {
        this.fill = fill;
    }

    /** The fill that is followed. */
    public Fill fill() {
        return fill;
    }

    /**
     * Reads bytes that are there.
     *
     * @return how many; 0 when none are there yet; -1 at the end
     * @throws FillAbandonedException if the reader should go on elsewhere at the same position
     * @throws org.anteroom.model.FailureException if the archive failed or its bytes are wrong
     */
    public int read(ByteBuffer target, long position) throws IOException {
        return fill.read(target, position);
    }

    /**
     * Asks to be told once when {@link #read} at this position no longer returns 0.
     *
     * @param wake runs on the filling thread: it only hands work to another one
     * @return false if there is no need to wait; then it is not called
     */
    public boolean await(long position, Runnable wake) {
        return fill.await(position, wake);
    }

    /** Leaves; more than once does no harm. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            fill.release();
        }
    }
}
