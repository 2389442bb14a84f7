package org.anteroom.archive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of the archive that is read on the gate's pool, one step at a time.
 *
 * <p>Each step reads into the stream's own buffer: one that hangs past its timeout may still write there long after the
 * reader has given its own buffer to somebody else.
 *
 * <p>The inner stream belongs to the step that is running; when none is, to whoever closes. The lock guards only the
 * handing over and is never held over I/O.
 */
final class GatedStream implements AsyncArchiveStream {
    private static final Logger log = LoggerFactory.getLogger(GatedStream.class);

    private final ArchiveGate gate;
    private final int mostStreams;
    private final Opener opener;
    private final ByteBuffer buffer;
    private final Object lock = new Object();
    private @Nullable ArchiveStream inner;
    private @Nullable CompletableFuture<Integer> last;
    private boolean stepRunning;
    /** Whether a step has returned bytes, or the end. */
    private boolean flowing;

    private boolean closed;

    /** Opens the inner stream, at the first step. */
    interface Opener {
        ArchiveStream open() throws IOException;
    }

    /**
     * A stream that is not opened yet.
     *
     * @param mostStreams as many there may be with this one; past that the first step is refused
     */
    GatedStream(ArchiveGate gate, int mostStreams, Opener opener, int chunk) {
        this.gate = gate;
        this.mostStreams = mostStreams;
        this.opener = opener;
        this.buffer = ByteBuffer.allocate(chunk);
    }

    @Override
    public CompletableFuture<Integer> read(ByteBuffer target) {
        return step(new ReadStep(target.remaining(), target));
    }

    /** Opens the file without reading; the future completes with 0. */
    CompletableFuture<Integer> open() {
        return step(new ReadStep(0, null));
    }

    /** Reads into the stream's buffer; {@link #take} hands it out when the future is complete. */
    CompletableFuture<Integer> fetch(int most) {
        return step(new ReadStep(most, null));
    }

    /** Appends what the last complete step has read. */
    void take(ByteBuffer target) {
        target.put(buffer);
    }

    private CompletableFuture<Integer> step(ReadStep step) {
        CompletableFuture<Integer> mine = new CompletableFuture<>();
        boolean first;
        synchronized (lock) {
            if (closed) {
                return CompletableFuture.failedFuture(new FailureException(
                        FailureReason.ARCHIVE_FAILED, "The transfer was ended.", new ClosedChannelException()));
            }
            if (last != null && !last.isDone()) {
                throw new IllegalStateException("the last read is not complete");
            }
            if (last != null && last.isCompletedExceptionally()) {
                return last;
            }
            if (last == null && !gate.admit(mostStreams)) {
                last = CompletableFuture.failedFuture(gate.refused());
                return last;
            }
            last = mine;
            first = !flowing;
            stepRunning = true;
        }
        gate.submitStep(first, mine, step);
        return mine;
    }

    @Override
    public void close() {
        ArchiveStream idle;
        synchronized (lock) {
            closed = true;
            idle = inner;
            if (stepRunning || idle == null) {
                return;
            }
            inner = null;
        }
        try {
            gate.executor().execute(() -> leave(idle));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            leave(idle);
        }
    }

    /** The stream has ended: nothing of it runs or waits any more. */
    private void leave(@Nullable ArchiveStream stream) {
        if (stream != null) {
            closeQuietly(stream);
        }
        gate.leave();
    }

    private static void closeQuietly(ArchiveStream stream) {
        try {
            stream.close();
        } catch (IOException | RuntimeException e) {
            log.debug("Closing a stream of the archive failed", e);
        }
    }

    private final class ReadStep implements BoundedCalls.Work<Integer> {
        private final int most;
        private final @Nullable ByteBuffer target;

        ReadStep(int most, @Nullable ByteBuffer target) {
            this.most = most;
            this.target = target;
        }

        @Override
        public Integer run() throws IOException {
            ArchiveStream stream;
            synchronized (lock) {
                if (closed) {
                    throw new ClosedChannelException();
                }
                stream = inner;
            }
            if (stream == null) {
                stream = opener.open();
                synchronized (lock) {
                    inner = stream;
                }
            }
            buffer.clear().limit(Math.min(most, buffer.capacity()));
            int count = most == 0 ? 0 : stream.read(buffer);
            buffer.flip();
            return count;
        }

        @Override
        public void delivered(Integer count) {
            if (target != null && count > 0) {
                target.put(buffer);
            }
            end(false, count != 0);
        }

        @Override
        public void abandoned() {
            end(true, false);
        }

        private void end(boolean failed, boolean moved) {
            ArchiveStream unused;
            synchronized (lock) {
                stepRunning = false;
                flowing |= moved;
                if (!failed && !closed) {
                    return;
                }
                unused = inner;
                inner = null;
            }
            leave(unused);
        }
    }
}
