package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Bytes that lie in a file deflated (RFC 1951). No more come of them than were told, whatever they would become.
 *
 * <p>There is no beginning in their middle: what comes before a position is inflated and thrown away.
 */
final class InflatedContent implements Content {
    private static final int BUFFER = 64 * 1024;

    private final ByteSource file;
    private final Inflater inflater = new Inflater(true);
    private final ByteBuffer input;
    private final long end;
    private long position;

    /** Bytes that are stored between two positions of a file. */
    InflatedContent(ByteSource file, long position, long end) {
        this.file = file;
        this.position = position;
        this.end = end;
        this.input = ByteBuffer.allocate((int) Math.max(1, Math.min(BUFFER, end - position)));
    }

    /** Throws the next bytes away. */
    void skip(long count) throws IOException {
        ByteBuffer away = ByteBuffer.allocate((int) Math.min(BUFFER, count));
        long left = count;
        while (left > 0) {
            left -= read(away.clear().limit((int) Math.min(away.capacity(), left)));
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int count = inflate(target);
        if (count < 0) {
            throw Damage.wrongBytes("it is shorter in the archive than it should be");
        }
        return count;
    }

    @Override
    public void finish() throws IOException {
        if (inflate(ByteBuffer.allocate(1)) >= 0) {
            throw Damage.wrongBytes("it is longer in the archive than it should be");
        }
        if (position - inflater.getRemaining() != end) {
            throw Damage.wrongBytes("it takes less room in the archive than it should");
        }
    }

    /** Some bytes; -1 at the end of what was deflated. */
    private int inflate(ByteBuffer target) throws IOException {
        try {
            while (true) {
                int count = inflater.inflate(target);
                if (count > 0) {
                    return count;
                }
                if (inflater.finished()) {
                    return -1;
                }
                if (inflater.needsDictionary() || !refill()) {
                    throw Damage.wrongBytes("what is stored of it breaks off");
                }
            }
        } catch (DataFormatException e) {
            throw Damage.wrongBytes("what is stored of it is damaged");
        }
    }

    private boolean refill() throws IOException {
        if (!inflater.needsInput() || position == end) {
            return false;
        }
        input.clear().limit((int) Math.min(input.capacity(), end - position));
        int count = file.read(input, position);
        if (count < 0) {
            return false;
        }
        position += count;
        inflater.setInput(input.flip());
        return true;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        file.close();
    }
}
