package org.anteroom.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.anteroom.archive.AsyncArchiveStream;
import org.anteroom.fill.DigestedPrefix;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of the archive, passed through.
 *
 * <p>Chunks are asked for one at a time and only when the client has taken the last one, so that a slow client holds
 * neither a thread nor a permit of the archive. The last {@link #HELD_BACK} bytes of the file are handed out only when the
 * archive has ended where it should and, where it is read from the beginning or goes on from a digest of what lies before,
 * the checksum is right: nobody gets a whole file that is wrong.
 */
final class ArchiveBody implements Body {
    /** Bytes before the end that wait for the end of the archive's stream. */
    static final int HELD_BACK = 64 * 1024;

    /** How far ahead a position may lie and still be come to by reading: less work than another stream. */
    static final int READ_OVER = 256 * 1024;

    private static final int CAPACITY = 2 * HELD_BACK;

    private final AsyncArchiveStream stream;
    private final FileFacts facts;
    private final @Nullable MessageDigest digester;
    private final Runnable mismatch;

    /** Bytes from {@code start} on: what has been read and not yet handed out. Flipped for handing out. */
    private final ByteBuffer chunk;

    private long start;
    /** The position to be handed out next; what comes before it is thrown away. */
    private long next;

    private boolean ended;
    private boolean closed;
    private @Nullable CompletableFuture<Integer> pending;

    /**
     * A body from a stream that begins at an offset, and is not verified but for what the stream itself finds.
     *
     * @param facts what the archive said of the file
     * @param mismatch is told when the bytes are not those that the archive promised
     */
    ArchiveBody(AsyncArchiveStream stream, FileFacts facts, long offset, Runnable mismatch) {
        this(stream, facts, offset, offset, null, mismatch);
    }

    /**
     * A body whose whole file is verified.
     *
     * @param stream begins where the digested bytes end
     * @param facts what the archive said of the file, with its checksum
     * @param position where reading begins; what lies between is read over
     * @param mismatch is told when the bytes are not those that the archive promised
     */
    ArchiveBody(AsyncArchiveStream stream, FileFacts facts, DigestedPrefix digested, long position, Runnable mismatch) {
        this(stream, facts, digested.length(), position, digested.digester(), mismatch);
    }

    /**
     * A body whose stream verifies by itself what it reads from the file's start, which is where it begins.
     *
     * @param position where reading begins; what comes before it is read over
     */
    static ArchiveBody fromTheStart(AsyncArchiveStream stream, FileFacts facts, long position, Runnable mismatch) {
        return new ArchiveBody(stream, facts, 0, position, null, mismatch);
    }

    private ArchiveBody(
            AsyncArchiveStream stream,
            FileFacts facts,
            long start,
            long position,
            @Nullable MessageDigest digester,
            Runnable mismatch) {
        this.stream = stream;
        this.facts = facts;
        this.start = start;
        this.next = position;
        this.digester = digester;
        this.mismatch = mismatch;
        int capacity = facts.hasSize() ? (int) Math.min(CAPACITY, Math.max(1, facts.size() - start) + 1) : CAPACITY;
        this.chunk = ByteBuffer.allocate(capacity).flip();
    }

    /** What is told of wrong bytes: who goes on for this one tells the same. */
    Runnable mismatch() {
        return mismatch;
    }

    /**
     * Moves on to a position if the bytes there are at hand, or within {@link #READ_OVER} of those; to be called when the
     * last read returned some.
     */
    boolean skipTo(long position) {
        if (pending != null || position < start || position > start + chunk.remaining() + READ_OVER) {
            return false;
        }
        next = position;
        passOver();
        return true;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        if (position != next) {
            throw new IllegalStateException("asked for " + position + " where only " + next + " can be read");
        }
        while (true) {
            CompletableFuture<Integer> asked = pending;
            if (asked != null) {
                // until then the buffer belongs to the stream
                if (!asked.isDone()) {
                    return 0;
                }
                pending = null;
                take(asked);
                passOver();
            }
            int n = handOut(target);
            if (n > 0) {
                return n;
            }
            if (ended) {
                return -1;
            }
            ask();
        }
    }

    @Override
    public boolean await(long position, Runnable wake) {
        CompletableFuture<Integer> asked = pending;
        if (asked == null || asked.isDone()) {
            return false;
        }
        var unused = asked.whenComplete((n, failure) -> wake.run());
        return true;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            stream.close();
        }
    }

    private int handOut(ByteBuffer target) {
        long limit;
        if (ended) {
            limit = Long.MAX_VALUE;
        } else if (facts.hasSize()) {
            limit = facts.size() - HELD_BACK;
        } else {
            limit = start + chunk.remaining() - HELD_BACK;
        }
        int n = (int) Math.min(Math.min(chunk.remaining(), target.remaining()), limit - start);
        if (n <= 0) {
            return 0;
        }
        target.put(target.position(), chunk, chunk.position(), n);
        target.position(target.position() + n);
        chunk.position(chunk.position() + n);
        start += n;
        next = start;
        return n;
    }

    private void passOver() {
        int n = (int) Math.min(chunk.remaining(), next - start);
        chunk.position(chunk.position() + n);
        start += n;
    }

    private void ask() {
        chunk.compact();
        pending = stream.read(chunk);
    }

    /** Takes what has arrived, and makes the buffer ready for handing out. */
    private void take(CompletableFuture<Integer> asked) throws IOException {
        int n;
        try {
            n = asked.join();
        } catch (CompletionException e) {
            FailureException failure = failure(e.getCause() == null ? e : e.getCause());
            if (failure.reason() == FailureReason.WRONG_BYTES) {
                mismatch.run();
            }
            throw failure;
        } finally {
            chunk.flip();
        }
        if (n < 0) {
            end();
        } else if (digester != null) {
            digester.update(chunk.array(), chunk.limit() - n, n);
        }
    }

    private void end() throws FailureException {
        ended = true;
        if (digester != null && !Sha256.of(digester).equals(facts.sha256())) {
            mismatch.run();
            throw new FailureException(
                    FailureReason.WRONG_BYTES,
                    "The file cannot be delivered: the bytes of the archive do not match its checksum.");
        }
    }

    private static FailureException failure(Throwable cause) {
        return cause instanceof FailureException reasoned
                ? reasoned
                : new FailureException(
                        FailureReason.ARCHIVE_FAILED, "The archive failed while the file was read.", cause);
    }
}
