package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** A disk that counts what is read of files, and does something before each of them is opened. */
final class CountingDisk extends Disk {
    final AtomicLong reads = new AtomicLong();
    final AtomicLong bytes = new AtomicLong();
    final AtomicLong opens = new AtomicLong();
    volatile Before beforeOpen = path -> {};

    /** What is done before a file is opened. */
    interface Before {
        void opening(Path path) throws IOException;
    }

    void reset() {
        reads.set(0);
        bytes.set(0);
        opens.set(0);
    }

    @Override
    ByteSource open(Path file) throws IOException {
        beforeOpen.opening(file);
        opens.incrementAndGet();
        ByteSource inner = super.open(file);
        return new ByteSource() {
            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                int count = inner.read(target, position);
                reads.incrementAndGet();
                bytes.addAndGet(Math.max(0, count));
                return count;
            }

            @Override
            public long size() throws IOException {
                return inner.size();
            }

            @Override
            public void close() throws IOException {
                inner.close();
            }
        };
    }
}
