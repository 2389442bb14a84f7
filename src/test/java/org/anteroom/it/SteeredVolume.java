package org.anteroom.it;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.Volume;
import org.jspecify.annotations.Nullable;

/** What is put around a volume to count its opened copies, and to let reads of copies that are open fail or hang, and writes. */
final class SteeredVolume {
    private final AtomicLong opens = new AtomicLong();
    private volatile boolean unreadable;
    private volatile @Nullable Hang readHang;
    private volatile @Nullable Hang writeHang;

    /** Where what comes there waits. */
    static final class Hang {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        /** Waits until something waits there. */
        void awaitEntered() throws InterruptedException {
            if (!entered.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("nothing came there");
            }
        }

        /** Lets all go on, and who comes later. */
        void release() {
            released.countDown();
        }

        private void enter() throws IOException {
            entered.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while it hung");
            }
        }
    }

    /** Lets reads of copies that are open hang from now on. */
    Hang hangReads() {
        Hang hang = new Hang();
        readHang = hang;
        return hang;
    }

    /** Lets writes of copies, and of what the probe writes, hang from now on. */
    Hang hangWrites() {
        Hang hang = new Hang();
        writeHang = hang;
        return hang;
    }

    private static void meet(@Nullable Hang hang) throws IOException {
        if (hang != null) {
            hang.enter();
        }
    }

    /** Copies that were opened, including attempts. */
    long opens() {
        return opens.get();
    }

    /** Whether each read fails from now on, as with a broken disk. */
    void unreadable(boolean now) {
        unreadable = now;
    }

    /** The volume with all that around it. */
    Volume around(Volume inner) {
        return new Steered(inner);
    }

    private final class Steered implements Volume {
        private final Volume inner;

        Steered(Volume inner) {
            this.inner = inner;
        }

        @Override
        public String name() {
            return inner.name();
        }

        @Override
        public CopyReader open(String copy) throws IOException {
            opens.incrementAndGet();
            CopyReader reader = inner.open(copy);
            return new CopyReader() {
                @Override
                public long size() {
                    return reader.size();
                }

                @Override
                public int read(ByteBuffer target, long position) throws IOException {
                    if (unreadable) {
                        throw new IOException("input/output error");
                    }
                    meet(readHang);
                    return reader.read(target, position);
                }

                @Override
                public void close() throws IOException {
                    reader.close();
                }
            };
        }

        @Override
        public CopyWriter create(String temporary, String copy) throws IOException {
            CopyWriter writer = inner.create(temporary, copy);
            return new CopyWriter() {
                @Override
                public void write(ByteBuffer source) throws IOException {
                    meet(writeHang);
                    writer.write(source);
                }

                @Override
                public void sync() throws IOException {
                    writer.sync();
                }

                @Override
                public void settle() throws IOException {
                    writer.settle();
                }

                @Override
                public long written() {
                    return writer.written();
                }

                @Override
                public CopyReader openWritten() throws IOException {
                    return writer.openWritten();
                }

                @Override
                public void commit() throws IOException {
                    writer.commit();
                }

                @Override
                public void close() throws IOException {
                    writer.close();
                }
            };
        }

        @Override
        public boolean delete(String copy) throws IOException {
            return inner.delete(copy);
        }

        @Override
        public Optional<String> readMarker() throws IOException {
            return inner.readMarker();
        }

        @Override
        public void writeMarker(String marker) throws IOException {
            inner.writeMarker(marker);
        }

        @Override
        public List<String> temporaries() throws IOException {
            return inner.temporaries();
        }

        @Override
        public boolean deleteTemporary(String temporary) throws IOException {
            return inner.deleteTemporary(temporary);
        }

        @Override
        public List<String> list(String after, int limit) throws IOException {
            return inner.list(after, limit);
        }

        @Override
        public void tryWriting(String temporary, String copy) throws IOException {
            meet(writeHang);
            inner.tryWriting(temporary, copy);
        }

        @Override
        public long freeSpace() throws IOException {
            return inner.freeSpace();
        }
    }
}
