package org.anteroom.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A volume in memory that fails or hangs when told to. */
final class FakeVolume implements Volume {
    final Map<String, byte[]> copies = new ConcurrentHashMap<>();
    final Map<String, Boolean> temporaries = new ConcurrentHashMap<>();
    final AtomicInteger markerReads = new AtomicInteger();
    volatile @Nullable String marker;
    volatile @Nullable IOException readFailure;
    volatile @Nullable IOException writeFailure;
    volatile @Nullable IOException markerFailure;
    volatile long free = 1_000_000;
    /** What the next read, write or look at the marker waits for. */
    volatile @Nullable Hang readHang;

    volatile @Nullable Hang writeHang;
    volatile @Nullable Hang markerHang;
    volatile @Nullable Hang syncHang;
    final AtomicInteger syncs = new AtomicInteger();

    /** Where threads wait, and a sign that so many do. */
    static final class Hang {
        private final CountDownLatch entered;
        private final CountDownLatch released = new CountDownLatch(1);

        Hang(int threads) {
            entered = new CountDownLatch(threads);
        }

        void awaitEntered() throws InterruptedException {
            entered.await();
        }

        void release() {
            released.countDown();
        }

        private void enter() throws IOException {
            entered.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    private static void meet(@Nullable Hang hang, @Nullable IOException failure) throws IOException {
        if (hang != null) {
            hang.enter();
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String name() {
        return "fast";
    }

    @Override
    public CopyReader open(String copy) throws IOException {
        meet(null, readFailure);
        byte[] bytes = copies.get(copy);
        if (bytes == null) {
            throw new NoSuchCopyException(name(), copy);
        }
        return reader(bytes);
    }

    private CopyReader reader(byte[] bytes) {
        return new CopyReader() {
            @Override
            public long size() {
                return bytes.length;
            }

            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                meet(readHang, readFailure);
                if (position >= bytes.length) {
                    return -1;
                }
                int count = Math.min(target.remaining(), bytes.length - (int) position);
                target.put(bytes, (int) position, count);
                return count;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public CopyWriter create(String temporary, String copy) throws IOException {
        meet(null, writeFailure);
        temporaries.put(temporary, true);
        ByteBuffer written = ByteBuffer.allocate(100_000);
        return new CopyWriter() {
            @Override
            public void write(ByteBuffer source) throws IOException {
                meet(writeHang, writeFailure);
                written.put(source);
            }

            @Override
            public void sync() throws IOException {
                syncs.incrementAndGet();
                meet(syncHang, writeFailure);
            }

            @Override
            public long written() {
                return written.position();
            }

            @Override
            public CopyReader openWritten() {
                return reader(java.util.Arrays.copyOf(written.array(), written.position()));
            }

            @Override
            public void commit() throws IOException {
                meet(writeHang, writeFailure);
                temporaries.remove(temporary);
                copies.put(copy, java.util.Arrays.copyOf(written.array(), written.position()));
            }

            @Override
            public void close() {
                temporaries.remove(temporary);
            }
        };
    }

    @Override
    public boolean delete(String copy) throws IOException {
        meet(null, writeFailure);
        return copies.remove(copy) != null;
    }

    @Override
    public Optional<String> readMarker() throws IOException {
        markerReads.incrementAndGet();
        meet(markerHang, markerFailure);
        return Optional.ofNullable(marker);
    }

    @Override
    public void writeMarker(String marker) throws IOException {
        meet(null, writeFailure);
        if (this.marker != null) {
            throw new IOException("it has one");
        }
        this.marker = marker;
    }

    @Override
    public List<String> temporaries() throws IOException {
        meet(null, readFailure);
        return new ArrayList<>(temporaries.keySet());
    }

    @Override
    public boolean deleteTemporary(String temporary) throws IOException {
        meet(null, writeFailure);
        return temporaries.remove(temporary) != null;
    }

    @Override
    public List<String> list(String after, int limit) throws IOException {
        meet(null, readFailure);
        return copies.keySet().stream()
                .sorted()
                .filter(name -> name.compareTo(after) > 0)
                .limit(limit)
                .toList();
    }

    @Override
    public long freeSpace() {
        return free;
    }
}
