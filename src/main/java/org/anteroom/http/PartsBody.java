package org.anteroom.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.delivery.Multipart;
import org.anteroom.model.ByteRange;

/**
 * Several ranges of a file as one body: its positions are those of the multipart body, and the file's bytes in it come from
 * another body.
 *
 * <p>The header of a part is handed out together with bytes of the part, so that a transfer does not begin, and a failure is
 * still an honest answer, before the first bytes of the file are there. Only where there is no room for more than what is
 * left of a header does that come alone, which a transfer's first buffer never is. Positions are asked for in ascending
 * order.
 */
final class PartsBody implements Body {

    /** Finds a body for the next part. */
    interface Move {
        /**
         * A body that can read at that position of the file.
         *
         * @param before the body of the part before, which is given back or closed
         */
        Body to(long position, Body before);
    }

    private final Multipart parts;
    private final Move move;
    private Body source;

    private int part;
    /** Where the part begins in this body, and what stands before its bytes. */
    private long begin;

    private byte[] preamble;

    /** A body of these parts, whose first one the source can read. */
    PartsBody(Multipart parts, Body source, Move move) {
        this.parts = parts;
        this.source = source;
        this.move = move;
        this.preamble = parts.preamble(0);
    }

    /** Where the file's bytes come from at present. */
    Body source() {
        return source;
    }

    /** Goes on with another source, in place of one that failed and is closed. */
    void goOn(Body with) {
        source = with;
    }

    /** The position in the file of what is read at a position of the present part. */
    long positionInFile(long position) {
        return parts.range(part).first() + Math.max(0, position - begin - preamble.length);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        if (part < parts.count()
                && position == begin + preamble.length + parts.range(part).length()) {
            nextPart(position);
        }
        if (part == parts.count()) {
            return copy(parts.closing(), position - begin, target);
        }
        if (preamble.length - (position - begin) >= target.remaining()) {
            return copy(preamble, position - begin, target);
        }
        int start = target.position();
        int limit = target.limit();
        int n = 0;
        try {
            int lead = copy(preamble, position - begin, target);
            n = readPart(target, positionInFile(position));
            return n > 0 ? lead + n : n;
        } finally {
            target.limit(limit);
            if (n <= 0) {
                target.position(start);
            }
        }
    }

    private int readPart(ByteBuffer target, long inFile) throws IOException {
        ByteRange range = parts.range(part);
        if (range.end() - inFile < target.remaining()) {
            target.limit(target.position() + (int) (range.end() - inFile));
        }
        return source.read(target, inFile);
    }

    private void nextPart(long position) {
        part++;
        begin = position;
        if (part < parts.count()) {
            preamble = parts.preamble(part);
            source = move.to(parts.range(part).first(), source);
        }
    }

    private static int copy(byte[] text, long from, ByteBuffer target) {
        int n = (int) Math.max(0, Math.min(target.remaining(), text.length - from));
        if (n > 0) {
            target.put(text, (int) from, n);
        }
        return n;
    }

    @Override
    public boolean await(long position, Runnable wake) {
        return source.await(positionInFile(position), wake);
    }

    @Override
    public void close() {
        source.close();
    }
}
