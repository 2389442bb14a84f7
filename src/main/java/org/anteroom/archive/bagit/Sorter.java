package org.anteroom.archive.bagit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sorts records that may be more than memory holds: what is past the bound is written to a temporary file in sorted runs,
 * which are merged at the end. A record is a key, ordered by its bytes, and something that orders those of one key.
 */
final class Sorter implements Closeable {
    /** What a record takes in memory besides its bytes. */
    private static final int OVERHEAD = 32;

    private static final int MOST_RUNS = 2000;
    private static final int RUN_BUFFER = 16 * 1024;
    private static final int LONGEST_RECORD = 16 * 1024 - Integer.BYTES;

    private final Path temporary;
    private final long mostBytes;
    private final List<byte[]> records = new ArrayList<>();
    private final List<Long> runEnds = new ArrayList<>();
    private long bytes;
    private @Nullable FileChannel channel;

    /**
     * A sorter without records.
     *
     * @param temporary the file to be made if they are many; it is gone when the sorter is closed
     * @param mostBytes of records in memory, about
     */
    Sorter(Path temporary, long mostBytes) {
        this.temporary = temporary;
        this.mostBytes = mostBytes;
    }

    /** Takes the records in their order. */
    interface Sink {
        void take(byte[] key, ByteBuffer rest) throws IOException;
    }

    void add(byte[] key, ByteBuffer rest) throws IOException {
        int length = Short.BYTES + key.length + rest.remaining();
        if (length > LONGEST_RECORD) {
            throw new IllegalArgumentException("a record of " + length + " bytes");
        }
        records.add(ByteBuffer.allocate(length)
                .putShort((short) key.length)
                .put(key)
                .put(rest)
                .array());
        bytes += length + OVERHEAD;
        if (bytes >= mostBytes) {
            spill();
        }
    }

    private static int keyLength(byte[] entry) {
        return ByteBuffer.wrap(entry).getShort();
    }

    private static int compare(byte[] a, byte[] b) {
        int keyA = Short.BYTES + keyLength(a);
        int keyB = Short.BYTES + keyLength(b);
        int order = Arrays.compareUnsigned(a, Short.BYTES, keyA, b, Short.BYTES, keyB);
        return order == 0 ? Arrays.compareUnsigned(a, keyA, a.length, b, keyB, b.length) : order;
    }

    private void spill() throws IOException {
        if (runEnds.size() == MOST_RUNS) {
            throw Damage.bag("more files than can be indexed");
        }
        records.sort(Sorter::compare);
        FileChannel file = channel;
        if (file == null) {
            file = FileChannel.open(
                    temporary,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
            channel = file;
        }
        ByteBuffer out = ByteBuffer.allocate(4 * RUN_BUFFER);
        for (byte[] entry : records) {
            if (out.remaining() < Integer.BYTES + entry.length) {
                write(file, out);
            }
            out.putInt(entry.length).put(entry);
        }
        write(file, out);
        runEnds.add(file.position());
        records.clear();
        bytes = 0;
    }

    private static void write(FileChannel file, ByteBuffer out) throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            file.write(out);
        }
        out.clear();
    }

    /** Hands over all records; none is taken after that. */
    void drain(Sink sink) throws IOException {
        FileChannel file = channel;
        if (file == null) {
            records.sort(Sorter::compare);
            for (byte[] entry : records) {
                give(entry, sink);
            }
            return;
        }
        spill();
        PriorityQueue<Run> runs = new PriorityQueue<>((a, b) -> compare(a.head, b.head));
        long start = 0;
        for (long end : runEnds) {
            if (end > start) {
                runs.add(new Run(file, start, end));
            }
            start = end;
        }
        while (!runs.isEmpty()) {
            Run run = runs.poll();
            give(run.head, sink);
            if (run.advance()) {
                runs.add(run);
            }
        }
    }

    private static void give(byte[] entry, Sink sink) throws IOException {
        int keyEnd = Short.BYTES + keyLength(entry);
        sink.take(
                Arrays.copyOfRange(entry, Short.BYTES, keyEnd),
                ByteBuffer.wrap(entry, keyEnd, entry.length - keyEnd).slice());
    }

    /** How many runs were written. */
    int runs() {
        return runEnds.size();
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }

    /** A sorted part of the temporary file, as it is read. */
    private static final class Run {
        private final FileChannel file;
        private final long end;
        private final ByteBuffer buffer = ByteBuffer.allocate(RUN_BUFFER).flip();
        private long position;
        private byte[] head = new byte[0];

        Run(FileChannel file, long start, long end) throws IOException {
            this.file = file;
            this.position = start;
            this.end = end;
            advance();
        }

        boolean advance() throws IOException {
            if (!has(Integer.BYTES)) {
                return false;
            }
            int length = buffer.getInt();
            if (!has(length)) {
                throw new IOException("a temporary file is shorter than it was");
            }
            head = new byte[length];
            buffer.get(head);
            return true;
        }

        private boolean has(int count) throws IOException {
            if (buffer.remaining() >= count) {
                return true;
            }
            buffer.compact();
            buffer.limit((int) Math.min(buffer.capacity(), buffer.position() + (end - position)));
            while (buffer.hasRemaining()) {
                int read = file.read(buffer, position);
                if (read < 0) {
                    break;
                }
                position += read;
            }
            buffer.flip();
            return buffer.remaining() >= count;
        }
    }
}
