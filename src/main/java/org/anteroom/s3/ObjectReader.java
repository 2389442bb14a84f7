package org.anteroom.s3;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.s3.Windows.Window;
import org.jspecify.annotations.Nullable;

/**
 * An object that is read by requests for ranges of it, each read to its end at once: no connection is held between two reads.
 *
 * <p>Reads are positional; several threads may share a reader, of which one at a time reads through the window. What is asked
 * for grows from {@link Pace#FIRST} to the whole window while the reading goes on in order, so that little is read in vain for
 * who wants little; and shrinks where the store is slow.
 */
public final class ObjectReader implements Closeable {
    private final Windows windows;
    private final Pace pace;
    private final Ranges ranges;
    private final S3Object object;
    private final AtomicBoolean throughWindow = new AtomicBoolean();
    /** Kept, unless it has been taken away; set by one thread at a time. */
    private volatile @Nullable Window window;

    private int ask;
    private volatile boolean closed;

    /** Puts a range of the object into a buffer. */
    interface Ranges {
        /** Fills the buffer from a position on, as far as the object goes. */
        Piece read(ByteBuffer target, long from) throws IOException;
    }

    /** What a request brought: what was said of the object, and how many bytes. */
    record Piece(S3Object object, int count) {}

    private ObjectReader(Windows windows, Pace pace, Ranges ranges, S3Object object, @Nullable Window window, int ask) {
        this.windows = windows;
        this.pace = pace;
        this.ranges = ranges;
        this.object = object;
        this.window = window;
        this.ask = ask;
    }

    /** Opens an object with a request for the bytes from a position on. */
    static ObjectReader open(Windows windows, Pace pace, Ranges ranges, long position) throws IOException {
        Window window = windows.take();
        ObjectReader opened = null;
        try {
            ByteBuffer target =
                    window == null ? ByteBuffer.allocate(1) : ByteBuffer.wrap(window.bytes(), 0, pace.first());
            long begun = pace.now();
            Piece piece = ranges.read(target, position);
            if (window != null) {
                window.from = position;
                window.length = piece.count();
            }
            opened = new ObjectReader(windows, pace, ranges, piece.object(), window, pace.next(piece.count(), begun));
            return opened;
        } finally {
            if (window != null) {
                Object owner = opened == null ? ranges : opened;
                window.keep(owner);
                if (opened == null) {
                    window.free(owner);
                }
            }
        }
    }

    /** What was said of the object when it was opened. */
    public S3Object object() {
        return object;
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
        if (throughWindow.compareAndSet(false, true)) {
            try {
                Window mine = take();
                if (mine != null) {
                    return readThrough(mine, target, position);
                }
            } finally {
                throughWindow.set(false);
            }
        }
        return fetch(target, position);
    }

    /** The window, in use, with what this reader has left in it or with nothing. */
    private @Nullable Window take() {
        Window kept = window;
        if (kept != null && kept.use(this)) {
            return kept;
        }
        Window taken = windows.take();
        window = taken;
        return taken;
    }

    private int readThrough(Window mine, ByteBuffer target, long position) throws IOException {
        try {
            long end = mine.from + mine.length;
            if (mine.length == 0 || position < mine.from || position >= end) {
                boolean inOrder = position == end;
                mine.length = 0;
                int wanted = (int) Math.min(inOrder ? ask : pace.first(), object.size() - position);
                long begun = pace.now();
                int count = fetch(ByteBuffer.wrap(mine.bytes(), 0, wanted), position);
                mine.from = position;
                mine.length = count;
                ask = pace.next(count, begun);
            }
            int at = (int) (position - mine.from);
            int count = Math.min(target.remaining(), mine.length - at);
            target.put(mine.bytes(), at, count);
            return count;
        } finally {
            mine.keep(this);
            if (closed) {
                mine.free(this);
            }
        }
    }

    private int fetch(ByteBuffer target, long position) throws IOException {
        Piece piece = ranges.read(target, position);
        if (!piece.object().isSame(object)) {
            throw new S3Failure(S3Failure.Kind.CONDITION, "the object is another one than before", null);
        }
        return piece.count();
    }

    /** Gives the window back; a read that is running ends by itself. */
    @Override
    public void close() {
        closed = true;
        Window kept = window;
        if (kept != null) {
            kept.free(this);
        }
    }
}
