package org.anteroom.volume.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.volume.CopyReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads a copy while it grows in the spool, and from the store once it is there: so the spool is free as soon as the copy is
 * made, however slow its followers are.
 *
 * <p>One of those who share it opens the copy in the store; the others read from the spool meanwhile, and while the store
 * fails, which is asked again only after a while.
 */
final class FollowingReader implements CopyReader {
    /** How long a store that failed to open the copy is not asked again. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final CopyReader spooled;
    private final S3Writer writer;
    private final long size;
    private final AtomicBoolean changing = new AtomicBoolean();
    private volatile @Nullable CopyReader stored;
    /** When the store failed last; null if it has not. */
    private volatile @Nullable Long failedAt;

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
        if (now == null && writer.isCommitted() && !isPausing() && changing.compareAndSet(false, true)) {
            try {
                now = change(position);
            } finally {
                changing.set(false);
            }
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

    private boolean isPausing() {
        Long failed = failedAt;
        return failed != null && writer.now() - failed < PAUSE.toNanos();
    }

    /** Opens the copy in the store; null if that fails and the spool is still there to read from. */
    private @Nullable CopyReader change(long position) throws IOException {
        if (stored != null) {
            return stored;
        }
        CopyReader fresh;
        try {
            fresh = writer.openStored(position);
        } catch (IOException e) {
            failedAt = writer.now();
            return null;
        }
        CopyReader superfluous;
        synchronized (this) {
            superfluous = closed ? fresh : spooled;
            if (!closed) {
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
