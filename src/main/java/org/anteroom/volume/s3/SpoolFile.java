package org.anteroom.volume.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.LocalReader;

/** A growing file in the spool. It is there for as long as its writer or a reader holds it. */
final class SpoolFile {
    private final Spool spool;
    private final Path path;
    private final FileChannel channel;
    private final AtomicLong length = new AtomicLong();
    private final AtomicInteger holders = new AtomicInteger(1);

    SpoolFile(Spool spool, Path path) throws IOException {
        this.spool = spool;
        this.path = path;
        this.channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Appends all remaining bytes, if the spool has room for them; holds the file meanwhile, so that they are counted. */
    void write(ByteBuffer source) throws IOException {
        hold();
        try {
            append(source);
        } finally {
            release();
        }
    }

    private void append(ByteBuffer source) throws IOException {
        int bytes = source.remaining();
        spool.take(bytes);
        boolean written = false;
        try {
            while (source.hasRemaining()) {
                channel.write(source);
            }
            written = true;
        } finally {
            if (!written) {
                spool.give(bytes);
            }
        }
        length.addAndGet(bytes);
    }

    long length() {
        return length.get();
    }

    /** Opens what is written; holds the file until it is closed. */
    CopyReader open(String volume, String copy) throws IOException {
        hold();
        try {
            return new Held(new LocalReader(volume, copy, List.of(path)));
        } catch (IOException e) {
            release();
            throw e;
        }
    }

    private void hold() throws IOException {
        int seen;
        do {
            seen = holders.get();
            if (seen == 0) {
                throw new IOException("the spooled file is gone");
            }
        } while (!holders.compareAndSet(seen, seen + 1));
    }

    /** Lets go of the file; the last one removes it. */
    void release() throws IOException {
        if (holders.decrementAndGet() == 0) {
            try (channel) {
                Files.deleteIfExists(path);
            } finally {
                spool.give(length.get());
            }
        }
    }

    private final class Held implements CopyReader {
        private final CopyReader reader;
        private final AtomicInteger open = new AtomicInteger(1);

        Held(CopyReader reader) {
            this.reader = reader;
        }

        @Override
        public long size() {
            return reader.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return reader.read(target, position);
        }

        @Override
        public void close() throws IOException {
            if (open.getAndSet(0) == 1) {
                try (reader) {
                    release();
                }
            }
        }
    }
}
