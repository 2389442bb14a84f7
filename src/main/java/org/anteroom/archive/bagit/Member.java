package org.anteroom.archive.bagit;

import java.nio.ByteBuffer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A file in a zip or tar file.
 *
 * @param offset where its bytes begin; of one in a zip file, where its header does
 * @param stored how many bytes it takes there
 * @param size how many bytes it has
 * @param crc its CRC-32, or {@link #NO_CRC}
 * @param modified null if that is not told
 */
record Member(
        Method method,
        long offset,
        long stored,
        long size,
        long crc,
        @Nullable Instant modified) {
    static final long NO_CRC = -1;

    /** The most bytes that {@link #put} writes. */
    static final int LONGEST = 1 + 4 * Long.BYTES + Long.BYTES + Integer.BYTES;

    /** No deflated bytes become more than so many times their number. */
    private static final long MOST_INFLATION = 1032;

    private static final long NO_TIME = Long.MIN_VALUE;

    /** How its bytes are stored. */
    enum Method {
        /** In a tar file, as they are. */
        PLAIN(1),
        /** In a zip file, as they are. */
        STORED(2),
        /** In a zip file, deflated. */
        DEFLATED(3),
        /** In a way that cannot be read: encrypted, sparse, a compression that is not known. */
        UNREADABLE(4),
        /** There are several of its name. */
        AMBIGUOUS(5);

        private final byte code;

        Method(int code) {
            this.code = (byte) code;
        }

        static Method of(byte code) {
            for (Method method : values()) {
                if (method.code == code) {
                    return method;
                }
            }
            throw new IllegalArgumentException("no method " + code);
        }
    }

    /** The same, but not to be read. */
    Member ambiguous() {
        return new Member(Method.AMBIGUOUS, offset, stored, size, crc, modified);
    }

    /** Whether its numbers cannot be true. */
    boolean isImpossible() {
        return switch (method) {
            case PLAIN, STORED -> stored != size;
            case DEFLATED -> size / MOST_INFLATION > stored;
            case UNREADABLE, AMBIGUOUS -> false;
        };
    }

    void put(ByteBuffer out) {
        out.put(method.code)
                .putLong(offset)
                .putLong(stored)
                .putLong(size)
                .putLong(crc)
                .putLong(modified == null ? NO_TIME : modified.getEpochSecond())
                .putInt(modified == null ? 0 : modified.getNano());
    }

    static Member get(ByteBuffer in) {
        Method method = Method.of(in.get());
        long offset = in.getLong();
        long stored = in.getLong();
        long size = in.getLong();
        long crc = in.getLong();
        long second = in.getLong();
        int nano = in.getInt();
        return new Member(
                method, offset, stored, size, crc, second == NO_TIME ? null : Instant.ofEpochSecond(second, nano));
    }
}
