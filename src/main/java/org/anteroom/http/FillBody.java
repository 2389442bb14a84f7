package org.anteroom.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.fill.DigestedPrefix;
import org.anteroom.fill.Fill;
import org.anteroom.fill.Follower;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a copy that is being made.
 *
 * <p>A reader that is far ahead of the fill reads from the archive itself; but where the archive gives a checksum, not the
 * last bytes: these it gets from the fill, when that has verified the whole, so that nobody gets the whole of a wrong file by
 * asking for it in pieces.
 */
final class FillBody implements Body {
    /** How far ahead of a running fill a range may begin and still wait for it rather than be read from the archive. */
    private static final long AHEAD = 16L << 20;

    private final Follower follower;
    private final boolean seekable;
    /** Where the bytes come from that lie far ahead; null when they come from the fill. */
    private @Nullable ArchiveBody ahead;

    /**
     * A body for a reader of a fill.
     *
     * @param seekable whether the archive comes to a far position without reading what lies before
     */
    FillBody(Follower follower, boolean seekable) {
        this.follower = follower;
        this.seekable = seekable;
    }

    private Fill fill() {
        return follower.fill();
    }

    /** Whether the fill will not come to that position soon, and the bytes there can and may be read before it does. */
    boolean isFarBehind(long position) {
        return seekable && position - fill().readable() > AHEAD && position < unverified();
    }

    /** Where the bytes begin that are handed out only when the whole is verified. */
    private long unverified() {
        FileFacts facts = fill().facts();
        return facts.sha256() == null ? Long.MAX_VALUE : facts.size() - ArchiveBody.HELD_BACK;
    }

    /** Reads from the archive for now. */
    void goAhead(ArchiveBody stream) {
        goBack();
        ahead = stream;
    }

    private void goBack() {
        ArchiveBody stream = ahead;
        if (stream != null) {
            ahead = null;
            stream.close();
        }
    }

    /** Moves on to a position, if that needs no other stream of the archive. */
    boolean skipTo(long position) {
        ArchiveBody stream = ahead;
        if (stream != null && position < unverified() && stream.skipTo(position)) {
            return true;
        }
        if (isFarBehind(position)) {
            return false;
        }
        goBack();
        return true;
    }

    /** The volume that the bytes are read from. */
    long volumeId() {
        return fill().volumeId();
    }

    /** What the fill knows of the digest up to a position, as {@link Fill#prefix}. */
    @Nullable
    DigestedPrefix prefix(long position) {
        return fill().prefix(position);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        ArchiveBody stream = ahead;
        if (stream == null) {
            return follower.read(target, position);
        }
        long left = unverified() - position;
        if (left <= 0) {
            goBack();
            return follower.read(target, position);
        }
        if (left < target.remaining()) {
            target.limit(target.position() + (int) left);
        }
        return stream.read(target, position);
    }

    @Override
    public boolean await(long position, Runnable wake) {
        ArchiveBody stream = ahead;
        return stream == null ? follower.await(position, wake) : stream.await(position, wake);
    }

    @Override
    public void close() {
        goBack();
        follower.close();
    }
}
