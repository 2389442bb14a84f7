package org.anteroom.volume.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.volume.CopyReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads a copy while it grows in the spool, and from the store once it is there: so the spool is free as soon as the copy is
 * made, however slow its followers are.
 */
final class FollowingReader implements CopyReader {
    private final CopyReader spooled;
    private final S3Writer writer;
    private final long size;
    private volatile @Nullable CopyReader stored;
    private boolean closed;

    FollowingReader(CopyReader spooled, S3Writer writer) {
        this.spooled = spooled;
        this.writer = writer;
        this.size = spooled.size();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        CopyReader now = stored;
        if (now == null && writer.isCommitted()) {
            now = change();
        }
        if (now != null) {
            return now.read(target, position);
        }
        int start = target.position();
        try {
            return spooled.read(target, position);
        } catch (IOException e) {
            CopyReader changed = stored;
            if (changed == null) {
                throw e;
            }
            // another thread has just closed the spooled one
            target.position(start);
            return changed.read(target, position);
        }
    }

    /** Opens the copy in the store; null if that fails and the spool is still there to read from. */
    private @Nullable CopyReader change() throws IOException {
        CopyReader fresh;
        try {
            fresh = writer.openStored();
        } catch (IOException e) {
            return stored;
        }
        CopyReader superfluous;
        synchronized (this) {
            boolean first = stored == null && !closed;
            superfluous = first ? spooled : fresh;
            if (first) {
                stored = fresh;
            }
        }
        superfluous.close();
        return stored;
    }

    @Override
    public void close() throws IOException {
        CopyReader now;
        synchronized (this) {
            closed = true;
            now = stored;
        }
        spooled.close();
        if (now != null) {
            now.close();
        }
    }
}
