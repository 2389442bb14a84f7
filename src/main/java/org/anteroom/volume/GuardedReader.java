package org.anteroom.volume;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A reader each of whose reads takes a permit and whose failures degrade the volume. */
final class GuardedReader implements CopyReader {
    private final CopyReader inner;
    private final VolumeGuard guard;

    GuardedReader(CopyReader inner, VolumeGuard guard) {
        this.inner = inner;
        this.guard = guard;
    }

    @Override
    public long size() {
        return inner.size();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int permit = guard.takePermit();
        try {
            return inner.read(target, position);
        } catch (IOException e) {
            guard.readFailed(e);
            throw e;
        } finally {
            guard.givePermit(permit);
        }
    }

    @Override
    public void close() throws IOException {
        inner.close();
    }
}
