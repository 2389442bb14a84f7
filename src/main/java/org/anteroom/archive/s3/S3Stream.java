package org.anteroom.archive.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.s3.ObjectReader;
import org.jspecify.annotations.Nullable;

/** A file from some position on, asked for range by range; no connection is held between reads. */
final class S3Stream implements ArchiveStream {
    private final @Nullable ObjectReader reader;
    private long position;

    S3Stream(@Nullable ObjectReader reader, long position) {
        this.reader = reader;
        this.position = position;
    }

    /** The end of a file. */
    static S3Stream ended() {
        return new S3Stream(null, 0);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (reader == null) {
            return -1;
        }
        try {
            int count = reader.read(target, position);
            position += Math.max(0, count);
            return count;
        } catch (IOException e) {
            throw S3Archive.translated(e);
        }
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }
}
