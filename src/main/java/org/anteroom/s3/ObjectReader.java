package org.anteroom.s3;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An object that is read by requests for ranges of it, each read to its end at once: no connection is held between two reads.
 *
 * <p>Reads are positional. Several threads may share a reader, each of which reads on somewhere else: it is made for a number
 * of such {@link Stretch}es, so that they do not throw away each other's bytes. Who finds none reads without a window. What is
 * asked for grows from {@link Pace#FIRST} to the whole window while the reading goes on in order, so that little is read in
 * vain for who wants little; and shrinks where the store is slow.
 */
public final class ObjectReader implements Closeable {
    private final Windows windows;
    private final Pace pace;
    private final Ranges ranges;
    private final S3Object object;
    private final int most;
    /** The longest unused first. Guarded by this object, which nobody holds over I/O. */
    private final List<Stretch> stretches = new ArrayList<>();

    private volatile boolean closed;

    /** Puts a range of the object into a buffer. */
    interface Ranges {
        /** Fills the buffer from a position on, as far as the object goes. */
        Piece read(ByteBuffer target, long from) throws IOException;
    }

    /** What a request brought: what was said of the object, and how many bytes. */
    record Piece(S3Object object, int count) {}

    private ObjectReader(Windows windows, Pace pace, Ranges ranges, S3Object object, int most, Stretch first) {
        this.windows = windows;
        this.pace = pace;
        this.ranges = (target, from) -> same(ranges.read(target, from));
        this.object = object;
        this.most = most;
        if (first.hasWindow()) {
            stretches.add(first);
        }
    }

    /**
     * Opens an object with a request for the bytes from a position on.
     *
     * @param most how many windows it may have
     */
    static ObjectReader open(Windows windows, Pace pace, Ranges ranges, long position, int most) throws IOException {
        Stretch first = new Stretch(windows, pace);
        ObjectReader opened = null;
        try {
            Piece piece = first.open(ranges, position);
            opened = new ObjectReader(windows, pace, ranges, piece.object(), most, first);
            return opened;
        } finally {
            if (opened == null) {
                first.free();
            }
        }
    }

    /** What was said of the object when it was opened. */
    public S3Object object() {
        return object;
    }

    private Piece same(Piece piece) throws S3Failure {
        if (!piece.object().isSame(object)) {
            throw new S3Failure(S3Failure.Kind.CONDITION, "the object is another one than before", null);
        }
        return piece;
    }

    /**
     * Reads some bytes.
     *
     * @param target at least one byte of room
     * @return how many, at least 1; or -1 at or after the end
     */
    public int read(ByteBuffer target, long position) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (position >= object.size()) {
            return -1;
        }
        Stretch stretch = enter(position);
        if (stretch != null) {
            try {
                int count = stretch.read(ranges, target, position, object.size());
                if (count > 0) {
                    return count;
                }
            } finally {
                leave(stretch);
            }
        }
        return ranges.read(target, position).count();
    }

    /** One that leads to a position, or that may begin there; null if there are enough, and others read on through them. */
    private synchronized @Nullable Stretch enter(long position) {
        Stretch found = null;
        for (Stretch stretch : stretches) {
            if (stretch.isBusy()) {
                continue;
            }
            if (stretch.leadsTo(position)) {
                found = stretch;
                break;
            }
            if (found == null && (most == 1 || stretch.isLeft())) {
                found = stretch;
            }
        }
        if (found == null && stretches.size() < most) {
            found = new Stretch(windows, pace);
            stretches.add(found);
        }
        if (found != null) {
            found.enter();
        }
        return found;
    }

    private synchronized void leave(Stretch stretch) {
        stretch.leave();
        stretches.remove(stretch);
        if (closed) {
            stretch.free();
        } else if (stretch.hasWindow()) {
            stretches.add(stretch);
        }
    }

    /** Gives the windows back; a read that is running ends by itself. */
    @Override
    public synchronized void close() {
        closed = true;
        for (Stretch stretch : stretches) {
            // one in use is seen to when it is left
            if (!stretch.isBusy()) {
                stretch.free();
            }
        }
    }
}
