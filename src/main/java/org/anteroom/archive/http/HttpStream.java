package org.anteroom.archive.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a file from some position on, as the server sends them.
 *
 * <p>A file of known size ends where its size says, no sooner and no later; the last bytes are returned only when that is
 * sure. While nobody reads, its connection may be given to somebody else, and it is asked for again at its position.
 */
final class HttpStream implements ArchiveStream {
    private final Connections connections;
    private final Opener opener;
    private final FileFacts facts;
    private final boolean seekable;
    private final Duration stall;
    private @Nullable Reply reply;
    private long position;
    private boolean ended;
    private boolean closed;

    /** Asks for the file at a position. */
    interface Opener {
        Reply open(long position) throws IOException;
    }

    /**
     * A stream over an answer that begins at a position.
     *
     * @param seekable whether it can be asked for again from the middle
     * @throws FailureException OVERLOADED if there are too many that cannot; the answer is closed then
     */
    HttpStream(
            Connections connections,
            Opener opener,
            FileFacts facts,
            boolean seekable,
            Duration stall,
            Reply reply,
            long position)
            throws FailureException {
        this.connections = connections;
        this.opener = opener;
        this.facts = facts;
        this.seekable = seekable;
        this.stall = stall;
        this.reply = reply;
        this.position = position;
        if (seekable) {
            connections.rest(reply);
            return;
        }
        try {
            connections.pin();
        } catch (FailureException e) {
            reply.close();
            throw e;
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (!target.hasRemaining()) {
            throw new IllegalArgumentException("no room to read into");
        }
        if (ended) {
            return -1;
        }
        Reply from = current();
        reply = from;
        boolean well = false;
        try {
            int count = read(from, target);
            well = true;
            return count;
        } finally {
            if (ended || !well) {
                from.close();
                reply = null;
            } else if (seekable) {
                connections.rest(from);
            }
        }
    }

    private Reply current() throws IOException {
        Reply kept = reply;
        if (kept != null && (!seekable || connections.resume(kept))) {
            return kept;
        }
        reply = null;
        if (!seekable || closed) {
            throw new FailureException(FailureReason.ARCHIVE_FAILED, "The archive broke off.");
        }
        return opener.open(position);
    }

    private int read(Reply from, ByteBuffer target) throws IOException {
        int limit = target.limit();
        if (facts.hasSize()) {
            target.limit((int) Math.min(limit, target.position() + (facts.size() - position)));
        }
        int count;
        try {
            count = from.read(target, stall);
        } finally {
            target.limit(limit);
        }
        if (count < 0) {
            if (facts.hasSize()) {
                throw Failures.broken(null);
            }
            ended = true;
            return -1;
        }
        position += count;
        if (position == facts.size()) {
            if (!from.isAtEnd(stall)) {
                throw new FailureException(
                        FailureReason.FILE_CHANGED, "The file in the archive is longer than it said.");
            }
            ended = true;
        }
        return count;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (!seekable) {
            connections.unpin();
        }
        if (reply != null) {
            reply.close();
            reply = null;
        }
    }
}
