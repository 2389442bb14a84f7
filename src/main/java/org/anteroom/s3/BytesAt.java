package org.anteroom.s3;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes that can be read again, from any position. */
@FunctionalInterface
public interface BytesAt {

    /**
     * Reads some of them.
     *
     * @return how many, at least 1; or -1 at or after the end
     */
    int read(ByteBuffer target, long position) throws IOException;

    /** Those of an array. */
    static BytesAt of(byte[] bytes) {
        return (target, position) -> {
            int count = (int) Math.min(target.remaining(), bytes.length - position);
            if (count <= 0) {
                return -1;
            }
            target.put(bytes, (int) position, count);
            return count;
        };
    }
}
