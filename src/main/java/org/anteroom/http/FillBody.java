package org.anteroom.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.fill.Follower;

/** The bytes of a copy that is being made. */
final class FillBody implements Body {
    private final Follower follower;

    FillBody(Follower follower) {
        this.follower = follower;
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
