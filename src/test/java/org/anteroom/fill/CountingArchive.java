package org.anteroom.fill;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.FolderPage;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;

/** An archive in memory that counts how often each file is opened, fails when told to, and can be made to wait. */
final class CountingArchive implements Archive {
    final Map<String, AtomicInteger> opens = new ConcurrentHashMap<>();
    final NavigableMap<String, byte[]> files = new TreeMap<>(ArchiveEntry::compareKeys);
    final AtomicInteger lists = new AtomicInteger();
    int mostListed;
    volatile @Nullable FailureReason failure;
    volatile @Nullable CountDownLatch headEntered;
    volatile @Nullable CountDownLatch openEntered;
    final CountDownLatch released = new CountDownLatch(1);
    /** What who asks for a file waits for, once {@link #headEntered} is set. */
    volatile CountDownLatch headReleased = released;
    /** The files in the order in which they were opened. */
    final Queue<String> order = new ConcurrentLinkedQueue<>();

    /** Puts a file whose bytes are its objid. */
    void put(String objid) {
        files.put(objid, objid.getBytes(StandardCharsets.UTF_8));
    }

    int size(String objid) {
        return objid.getBytes(StandardCharsets.UTF_8).length;
    }

    int opens(String objid) {
        AtomicInteger count = opens.get(objid);
        return count == null ? 0 : count.get();
    }

    private void meet(@Nullable CountDownLatch entered, CountDownLatch until) throws IOException {
        if (entered != null) {
            entered.countDown();
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
        FailureReason now = failure;
        if (now != null) {
            throw new FailureException(now, "The archive was told to fail.");
        }
    }

    @Override
    public FileFacts head(FileKey key) throws IOException {
        meet(headEntered, headReleased);
        byte[] bytes = files.get(key.objid());
        if (bytes == null) {
            throw new FailureException(FailureReason.NOT_FOUND, "The archive has no such file.");
        }
        return new FileFacts(bytes.length, null, "\"" + bytes.length + "\"", null, null);
    }

    @Override
    public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
        opens.computeIfAbsent(key.objid(), objid -> new AtomicInteger()).incrementAndGet();
        order.add(key.objid());
        meet(openEntered, released);
        ByteBuffer rest = ByteBuffer.wrap(files.get(key.objid())).position((int) offset);
        return new ArchiveStream() {
            @Override
            public int read(ByteBuffer target) {
                if (!rest.hasRemaining()) {
                    return -1;
                }
                int count = Math.min(target.remaining(), rest.remaining());
                target.put(rest.slice().limit(count));
                rest.position(rest.position() + count);
                return count;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public FolderPage list(FolderKey folder, String after, int limit) throws IOException {
        lists.incrementAndGet();
        mostListed = Math.max(mostListed, limit);
        String prefix = folder.prefix();
        TreeMap<String, ArchiveEntry> entries = new TreeMap<>(ArchiveEntry::compareKeys);
        boolean there = false;
        for (Map.Entry<String, byte[]> file : files.tailMap(prefix).entrySet()) {
            if (!file.getKey().startsWith(prefix)) {
                break;
            }
            there = true;
            String name = file.getKey().substring(prefix.length());
            int slash = name.indexOf('/');
            ArchiveEntry entry = slash < 0
                    ? new ArchiveEntry(name, head(folder.file(name)))
                    : new ArchiveEntry(name.substring(0, slash), null);
            if (ArchiveEntry.compareKeys(entry.key(), after) > 0) {
                entries.putIfAbsent(entry.key(), entry);
            }
        }
        if (!there) {
            throw new FailureException(FailureReason.NOT_FOUND, "The archive has no such folder.");
        }
        List<ArchiveEntry> page = entries.values().stream().limit(limit).toList();
        return new FolderPage(page, page.size() < entries.size());
    }

    @Override
    public void probe() {}
}
