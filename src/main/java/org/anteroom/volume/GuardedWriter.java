package org.anteroom.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/** A writer whose pending time is watched, whose failures degrade the volume, and whose bytes count as taken. */
final class GuardedWriter implements CopyWriter {
    /**
     * How many bytes may wait to be stored. A page cache would take a whole fill and leave it to the commit, which would
     * then look like a disk that hangs.
     */
    private static final long SYNC_EVERY = 8L << 20;

    /** What may be left to the commit itself, which takes no turns. */
    private static final long SYNC_AT_COMMIT = 1L << 20;

    private final CopyWriter inner;
    private final VolumeGuard guard;
    /** What is still promised of the expected size. */
    private final AtomicLong outstanding;

    private long unsynced;

    GuardedWriter(CopyWriter inner, VolumeGuard guard, long size) {
        this.inner = inner;
        this.guard = guard;
        this.outstanding = new AtomicLong(Math.max(0, size));
        guard.promise(outstanding.get());
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
        int bytes = source.remaining();
        guard.writing(() -> {
            inner.write(source);
            return true;
        });
        guard.wrote(bytes);
        long before = outstanding.getAndUpdate(left -> Math.max(0, left - bytes));
        guard.promise(-Math.min(before, bytes));
        unsynced += bytes;
        if (unsynced >= SYNC_EVERY) {
            sync();
        }
    }

    @Override
    public void sync() throws IOException {
        guard.oneAtATime(() -> {
            inner.sync();
            return true;
        });
        unsynced = 0;
    }

    @Override
    public long written() {
        return inner.written();
    }

    @Override
    public CopyReader openWritten() throws IOException {
        // without a permit, as all that a fill does: readers that are many must not end it
        return new GuardedReader(guard.readingCopy(inner::openWritten), guard);
    }

    @Override
    public void commit() throws IOException {
        if (unsynced > SYNC_AT_COMMIT) {
            sync();
        }
        guard.storing(() -> {
            inner.settle();
            return true;
        });
        guard.writing(() -> {
            inner.commit();
            return true;
        });
    }

    @Override
    public void close() throws IOException {
        guard.promise(-outstanding.getAndSet(0));
        guard.writing(() -> {
            inner.close();
            return true;
        });
    }
}
