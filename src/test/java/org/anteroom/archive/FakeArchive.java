package org.anteroom.archive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;

/** An archive in memory that fails or hangs when told to, and counts what is asked. */
final class FakeArchive implements Archive {
    final Map<FileKey, byte[]> files = new ConcurrentHashMap<>();
    final AtomicInteger heads = new AtomicInteger();
    final AtomicInteger lists = new AtomicInteger();
    final AtomicInteger opens = new AtomicInteger();
    final AtomicInteger probes = new AtomicInteger();
    final AtomicInteger openStreams = new AtomicInteger();
    final AtomicInteger news = new AtomicInteger();
    /** Where the next streams break off, one each. */
    final Queue<Long> breaks = new ConcurrentLinkedQueue<>();

    volatile boolean seekable = true;
    /** Whether a file can be opened to learn of it. */
    volatile boolean opensNew;

    volatile boolean closed;
    volatile @Nullable IOException failure;
    volatile @Nullable Hang headHang;
    volatile @Nullable Hang listHang;
    volatile @Nullable Hang openHang;
    volatile @Nullable Hang readHang;
    volatile @Nullable Hang probeHang;

    /** Where calls wait, with a sign that so many do; an interrupt does not end the waiting, as with a dead disk. */
    static final class Hang {
        private final CountDownLatch entered;
        private final CountDownLatch released = new CountDownLatch(1);

        Hang(int calls) {
            entered = new CountDownLatch(calls);
        }

        void awaitEntered() throws InterruptedException {
            entered.await();
        }

        void release() {
            released.countDown();
        }

        private void enter() {
            entered.countDown();
            boolean interrupted = false;
            while (true) {
                try {
                    released.await();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void meet(@Nullable Hang hang) throws IOException {
        if (hang != null) {
            hang.enter();
        }
        IOException now = failure;
        if (now != null) {
            throw now;
        }
    }

    @Override
    public FileFacts head(FileKey key) throws IOException {
        heads.incrementAndGet();
        meet(headHang);
        byte[] bytes = files.get(key);
        if (bytes == null) {
            throw new FailureException(FailureReason.NOT_FOUND, "The archive has no such file.");
        }
        return new FileFacts(bytes.length, null, "\"" + bytes.length + "\"", null, null);
    }

    @Override
    public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
        opens.incrementAndGet();
        meet(openHang);
        byte[] bytes = files.get(key);
        if (bytes == null || bytes.length != expected.size()) {
            throw new FailureException(FailureReason.FILE_CHANGED, "The file has changed.");
        }
        return stream(bytes, (int) offset);
    }

    private ArchiveStream stream(byte[] bytes, int offset) {
        openStreams.incrementAndGet();
        Long end = breaks.poll();
        ByteBuffer rest = ByteBuffer.wrap(bytes).position(offset);
        if (end != null) {
            rest.limit((int) Math.max(offset, end));
        }
        return new ArchiveStream() {
            @Override
            public int read(ByteBuffer target) throws IOException {
                meet(readHang);
                if (!rest.hasRemaining()) {
                    if (rest.limit() < bytes.length) {
                        throw new IOException("connection reset");
                    }
                    return -1;
                }
                int count = Math.min(target.remaining(), rest.remaining());
                target.put(rest.slice().limit(count));
                rest.position(rest.position() + count);
                return count;
            }

            @Override
            public void close() {
                openStreams.decrementAndGet();
            }
        };
    }

    @Override
    public @Nullable OpenedFile openNew(FileKey key) throws IOException {
        if (!opensNew) {
            return null;
        }
        news.incrementAndGet();
        meet(headHang);
        byte[] bytes = files.get(key);
        if (bytes == null) {
            throw new FailureException(FailureReason.NOT_FOUND, "The archive has no such file.");
        }
        FileFacts facts = new FileFacts(bytes.length, null, "\"" + bytes.length + "\"", null, null);
        return new OpenedFile(facts, stream(bytes, 0));
    }

    @Override
    public boolean canSeek(FileKey key, FileFacts facts) {
        return seekable;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public FolderPage list(FolderKey folder, String after, int limit) throws IOException {
        lists.incrementAndGet();
        meet(limit == 0 ? headHang : listHang);
        if (files.keySet().stream().noneMatch(key -> key.dataset().equals(folder.dataset()))) {
            throw new FailureException(FailureReason.NOT_FOUND, "The archive has no such folder.");
        }
        return new FolderPage(List.of(new ArchiveEntry("entry", null)), false);
    }

    @Override
    public void probe() throws IOException {
        probes.incrementAndGet();
        meet(probeHang);
    }
}
