package org.anteroom.it;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.FolderPage;
import org.anteroom.archive.OpenedFile;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * What is put around an archive to count its opened files, to hold one of them at a byte for as long as a test likes, and to
 * fail.
 */
final class SteeredArchive {
    private volatile @Nullable Lister lister;
    private final Map<String, Hold> holds = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> opens = new ConcurrentHashMap<>();
    private final Map<String, Sha256> digests = new ConcurrentHashMap<>();
    private final Map<String, Long> cuts = new ConcurrentHashMap<>();
    private final AtomicInteger headsHeld = new AtomicInteger();
    private final AtomicInteger newestAsked = new AtomicInteger();
    private volatile boolean away;
    private volatile CountDownLatch heads = new CountDownLatch(0);
    private volatile Duration latency = Duration.ZERO;
    private final AtomicInteger waiting = new AtomicInteger();

    /** A place in a file where the next stream that comes there waits; others pass. */
    static final class Hold {
        private final long position;
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        private Hold(long position) {
            this.position = position;
        }

        /** Waits until the stream is there. */
        void awaitReached() throws InterruptedException {
            if (!reached.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("no stream came to byte " + position);
            }
        }

        /** Lets it go on. */
        void release() {
            released.countDown();
        }

        private void stop() throws IOException {
            reached.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while held");
            }
        }
    }

    /** Holds the next stream of a file that is opened, before the byte at the position is read. */
    Hold hold(String path, long position) {
        Hold hold = new Hold(position);
        holds.put(path, hold);
        return hold;
    }

    /** Has every file take so long to open, as on storage that is slow. */
    void takes(Duration time) {
        latency = time;
    }

    private void beSlow() throws IOException {
        if (latency.isZero()) {
            return;
        }
        waiting.incrementAndGet();
        try {
            TimeUnit.NANOSECONDS.sleep(latency.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while slow");
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** How many wait for a slow one now. */
    int waiting() {
        return waiting.get();
    }

    /** Has nothing be known of files and versions until that is ended. */
    void away(boolean isAway) {
        away = isAway;
    }

    /** How often the newest version of a dataset was asked for. */
    int newestAsked() {
        return newestAsked.get();
    }

    /** Lets whoever asks what the archive says of a file wait until they are released. */
    void holdHeads() {
        heads = new CountDownLatch(1);
    }

    /** Lets those go on. */
    void releaseHeads() {
        heads.countDown();
    }

    /** How many wait. */
    int headsHeld() {
        return headsHeld.get();
    }

    private void holdHead() throws IOException {
        headsHeld.incrementAndGet();
        try {
            heads.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while held");
        } finally {
            headsHeld.decrementAndGet();
        }
    }

    /** What lies in a folder, in place of what does. */
    interface Lister {
        FolderPage list(FolderKey folder, String after, int limit) throws IOException;
    }

    /** Has folders listed by another; null ends that. */
    void listBy(@Nullable Lister another) {
        lister = another;
    }

    /** Has the archive tell these digests from now on, as one with manifests does. */
    void tellDigests(Map<String, Sha256> byPath) {
        digests.putAll(byPath);
    }

    /** Lets the first read of a file's next stream fail. */
    void failNextRead(String path) {
        cut(path, 0);
    }

    /** Lets a file's next stream break off before the byte at the position, or at once if it begins after that. */
    void cut(String path, long position) {
        cuts.put(path, position);
    }

    /** The place where a stream is to wait, if it comes there: one that begins behind it does not. */
    private @Nullable Hold holdFrom(String path, long offset) {
        Hold hold = holds.get(path);
        return hold != null && offset <= hold.position && holds.remove(path, hold) ? hold : null;
    }

    /** How often a file was opened. */
    int opens(String path) {
        AtomicInteger count = opens.get(path);
        return count == null ? 0 : count.get();
    }

    /** The archive with all that around it. */
    Archive around(Archive inner) {
        return new Archive() {
            @Override
            public FileFacts head(FileKey key) throws IOException {
                holdHead();
                if (away) {
                    throw new IOException("the archive is away");
                }
                Sha256 digest = digests.get(key.path());
                FileFacts facts = inner.head(key);
                return digest == null ? facts : facts.withSha256(digest);
            }

            @Override
            public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
                opens.computeIfAbsent(key.path(), path -> new AtomicInteger()).incrementAndGet();
                beSlow();
                Hold hold = holdFrom(key.path(), offset);
                return new SteeredStream(inner.open(key, expected, offset), offset, hold, cuts.remove(key.path()));
            }

            @Override
            public @Nullable OpenedFile openNew(FileKey key) throws IOException {
                OpenedFile file = inner.openNew(key);
                if (file == null) {
                    return null;
                }
                opens.computeIfAbsent(key.path(), path -> new AtomicInteger()).incrementAndGet();
                Hold hold = holdFrom(key.path(), 0);
                return new OpenedFile(file.facts(), new SteeredStream(file.stream(), 0, hold, cuts.remove(key.path())));
            }

            @Override
            public boolean canSeek(FileKey key, FileFacts facts) {
                return inner.canSeek(key, facts);
            }

            @Override
            public void close() {
                inner.close();
            }

            @Override
            public FolderPage list(FolderKey folder, String after, int limit) throws IOException {
                Lister instead = lister;
                return instead == null ? inner.list(folder, after, limit) : instead.list(folder, after, limit);
            }

            @Override
            public boolean hasVersions() {
                return inner.hasVersions();
            }

            @Override
            public String canonicalVersion(String text) {
                return inner.canonicalVersion(text);
            }

            @Override
            public boolean verifies(FileFacts facts) {
                return inner.verifies(facts);
            }

            @Override
            public Optional<String> newest(String dataset) throws IOException {
                newestAsked.incrementAndGet();
                if (away) {
                    throw new IOException("the archive is away");
                }
                return inner.newest(dataset);
            }

            @Override
            public void probe() throws IOException {
                inner.probe();
            }
        };
    }

    private static final class SteeredStream implements ArchiveStream {
        private final ArchiveStream inner;
        private final @Nullable Hold hold;
        private final long cut;
        private long position;

        SteeredStream(ArchiveStream inner, long position, @Nullable Hold hold, @Nullable Long cut) {
            this.inner = inner;
            this.position = position;
            this.hold = hold;
            this.cut = cut == null ? Long.MAX_VALUE : cut;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            if (position >= cut) {
                throw new IOException("the archive broke off");
            }
            int limit = target.limit();
            if (hold != null && position <= hold.position) {
                if (position == hold.position) {
                    hold.stop();
                } else {
                    target.limit((int) Math.min(limit, target.position() + hold.position - position));
                }
            }
            if (cut - position < target.remaining()) {
                target.limit(target.position() + (int) (cut - position));
            }
            try {
                int count = inner.read(target);
                position += Math.max(0, count);
                return count;
            } finally {
                target.limit(limit);
            }
        }

        @Override
        public void close() throws IOException {
            inner.close();
        }
    }
}
