package org.anteroom.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.s3.ObjectReader.Piece;
import org.anteroom.s3.ObjectReader.Ranges;
import org.anteroom.s3.Windows.Window;
import org.jspecify.annotations.Nullable;

/**
 * A place in an object where somebody reads on: the bytes that came last, in a window, until that is taken away for another.
 *
 * <p>One thread at a time reads; the reader of the object sees to that.
 */
final class Stretch {
    private final Windows windows;
    private final Pace pace;

    private @Nullable Window window;
    /** The position of the first byte in the window, and how many there are. */
    private long from;

    private int length;
    /** Where reading goes on in order, and how much to ask for there. */
    private long end;

    private int ask;
    private boolean busy;
    private long left;

    /** One that has no window yet. */
    Stretch(Windows windows, Pace pace) {
        this.windows = windows;
        this.pace = pace;
        this.ask = pace.first();
    }

    // ---- by the reader of the object, under its monitor

    boolean isBusy() {
        return busy;
    }

    /** Whether a position is at hand, or the next one. */
    boolean leadsTo(long position) {
        return holds(position) || (length > 0 && position == end);
    }

    /** Whether nobody has read on there for a moment. */
    boolean isLeft() {
        return pace.now() - left > Windows.SLOW.toNanos();
    }

    void enter() {
        busy = true;
    }

    void leave() {
        busy = false;
        left = pace.now();
    }

    boolean hasWindow() {
        return window != null;
    }

    void free() {
        Window kept = window;
        if (kept != null) {
            kept.free(this);
        }
    }

    // ---- by who has entered

    /** Asks for the first bytes, of an object of which nothing is known yet. */
    Piece open(Ranges ranges, long position) throws IOException {
        Window mine = take();
        if (mine == null) {
            return ranges.read(ByteBuffer.allocate(1), position);
        }
        try {
            return load(mine, ranges, position, Long.MAX_VALUE);
        } finally {
            mine.keep(this);
        }
    }

    /**
     * Reads through the window.
     *
     * @param size of the object
     * @return how many bytes; 0 if there is no window
     */
    int read(Ranges ranges, ByteBuffer target, long position, long size) throws IOException {
        Window mine = take();
        if (mine == null) {
            return 0;
        }
        try {
            if (!holds(position)) {
                load(mine, ranges, position, size);
            }
            int at = (int) (position - from);
            int count = Math.min(target.remaining(), length - at);
            target.put(mine.bytes(), at, count);
            return count;
        } finally {
            mine.keep(this);
        }
    }

    private boolean holds(long position) {
        return position >= from && position - from < length;
    }

    /** The window, in use: the one that was kept with what is in it, or another. */
    private @Nullable Window take() {
        Window kept = window;
        if (kept != null && kept.use(this)) {
            return kept;
        }
        length = 0;
        Window taken = windows.take();
        window = taken;
        return taken;
    }

    private Piece load(Window mine, Ranges ranges, long position, long size) throws IOException {
        int wanted = (int) Math.min(position == end ? ask : pace.first(), size - position);
        // nothing, if this fails
        length = 0;
        long begun = pace.now();
        Piece piece = ranges.read(ByteBuffer.wrap(mine.bytes(), 0, wanted), position);
        from = position;
        length = piece.count();
        end = from + length;
        ask = pace.next(length, begun);
        return piece;
    }
}
