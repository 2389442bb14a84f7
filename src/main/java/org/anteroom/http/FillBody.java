package org.anteroom.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.fill.Fill;
import org.anteroom.fill.Follower;

/** The bytes of a copy that is being made. */
final class FillBody implements Body {
    /** How far ahead of a running fill a range may begin and still wait for it rather than be read from the archive. */
    private static final long AHEAD = 8L << 20;

    private final Follower follower;

    FillBody(Follower follower) {
        this.follower = follower;
    }

    /** Whether the fill will not come to that position soon. */
    static boolean isFarBehind(Fill fill, long position) {
        return position - fill.readable() > AHEAD;
    }

    boolean isFarBehind(long position) {
        return isFarBehind(follower.fill(), position);
    }

    /** The volume that the bytes are read from. */
    long volumeId() {
        return follower.fill().volumeId();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return follower.read(target, position);
    }

    @Override
    public boolean await(long position, Runnable wake) {
        return follower.await(position, wake);
    }

    @Override
    public void close() {
        follower.close();
    }
}
