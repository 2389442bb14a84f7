package org.anteroom.archive.directory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;

/** The rest of a file of known size. Its last bytes are returned only if it is still the same file then. */
final class FileStream implements ArchiveStream {
    private final FileChannel channel;
    private final long size;
    private final Check unchanged;
    private long position;

    /** Looks whether the file is still the one that was opened. */
    interface Check {
        boolean holds() throws IOException;
    }

    FileStream(FileChannel channel, long position, long size, Check unchanged) {
        this.channel = channel;
        this.position = position;
        this.size = size;
        this.unchanged = unchanged;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (!target.hasRemaining()) {
            throw new IllegalArgumentException("no room to read into");
        }
        if (position == size) {
            return -1;
        }
        int limit = target.limit();
        target.limit((int) Math.min(limit, target.position() + (size - position)));
        int count;
        try {
            count = channel.read(target);
        } catch (IOException e) {
            throw new FailureException(FailureReason.ARCHIVE_FAILED, "The archive broke off.", e);
        } finally {
            target.limit(limit);
        }
        if (count < 0) {
            throw new FailureException(FailureReason.FILE_CHANGED, "The file in the archive is shorter than it said.");
        }
        position += count;
        if (position == size) {
            check();
        }
        return count;
    }

    private void check() throws IOException {
        if (channel.size() != size || !unchanged.holds()) {
            throw new FailureException(FailureReason.FILE_CHANGED, "The file has changed in the archive meanwhile.");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
