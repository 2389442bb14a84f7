package org.anteroom.it;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.Volume;

/** What is put around a volume to count its opened copies, and to let reads of copies that are open fail. */
final class SteeredVolume {
    private final AtomicLong opens = new AtomicLong();
    private volatile boolean unreadable;

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
            return inner.create(temporary, copy);
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
        public long freeSpace() throws IOException {
            return inner.freeSpace();
        }
    }
}
