package org.anteroom.volume.s3;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A folder where copies for object stores grow, bounded in bytes: readers follow them there, and parts are sent from there.
 *
 * <p>Each boot has a folder of its own in it, {@code FOLDER/BOOT}, with a file that it holds a lock on. Folders whose lock
 * nobody holds are a dead boot's, and are removed when the spool is first used. Nothing is made before.
 */
public final class Spool implements Closeable {
    private final SpoolSettings settings;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicReference<@Nullable SpoolFolder> own = new AtomicReference<>();
    private final AtomicBoolean cleaned = new AtomicBoolean();
    private volatile boolean closed;

    /** A spool that has not been touched. */
    public Spool(SpoolSettings settings) {
        this.settings = settings;
    }

    /** Bytes that can still be spooled: by the bound, and on the disk. */
    long free() throws IOException {
        long onDisk = folder().toFile().getUsableSpace();
        return Math.max(0, Math.min(settings.max() - used.get(), onDisk < 0 ? Long.MAX_VALUE : onDisk));
    }

    /** Bytes that are spooled. */
    public long used() {
        return used.get();
    }

    /** The most bytes that may be spooled. */
    public long limit() {
        return settings.max();
    }

    /**
     * A new file.
     *
     * @throws IOException also if the spool is full
     */
    SpoolFile create() throws IOException {
        if (used.get() >= settings.max()) {
            throw full();
        }
        return new SpoolFile(this, folder().resolve(Long.toString(numbers.incrementAndGet())));
    }

    void take(long bytes) throws IOException {
        long before;
        do {
            before = used.get();
            if (bytes > settings.max() - before) {
                throw full();
            }
        } while (!used.compareAndSet(before, before + bytes));
    }

    private static IOException full() {
        return new IOException("the spool is full");
    }

    void give(long bytes) {
        used.addAndGet(-bytes);
    }

    /** The folder of this boot, made at the first call: of those who make one at the same time, one is kept. */
    private Path folder() throws IOException {
        SpoolFolder made = own.get();
        if (made == null) {
            Files.createDirectories(settings.folder());
            removeDead();
            SpoolFolder fresh = SpoolFolder.make(settings.folder());
            if (own.compareAndSet(null, fresh)) {
                made = fresh;
            } else {
                fresh.close();
                made = own.get();
            }
        }
        if (closed) {
            close();
            made = null;
        }
        if (made == null) {
            throw new IOException("the spool is closed");
        }
        return made.path();
    }

    /** One at a time removes what dead boots have left; nobody waits for that. */
    private void removeDead() throws IOException {
        if (!cleaned.compareAndSet(false, true)) {
            return;
        }
        boolean done = false;
        try {
            SpoolFolder.removeDead(settings.folder());
            done = true;
        } finally {
            cleaned.set(done);
        }
    }

    /** Removes the folder of this boot; files that are still open are gone with it. */
    @Override
    public void close() throws IOException {
        closed = true;
        SpoolFolder made = own.getAndSet(null);
        if (made != null) {
            made.close();
        }
    }
}
