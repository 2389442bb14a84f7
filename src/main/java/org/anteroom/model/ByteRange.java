package org.anteroom.model;

/**
 * A satisfiable range of bytes, both ends included (RFC 9110, section 14.1.2).
 *
 * @param first position of the first byte, from 0
 * @param last position of the last byte, at least {@code first}
 */
public record ByteRange(long first, long last) {

    /** Checks the order of the ends. */
    public ByteRange {
        if (first < 0 || last < first) {
            throw new IllegalArgumentException(first + "-" + last);
        }
    }

    /** Number of bytes, at least 1. */
    public long length() {
        return last - first + 1;
    }

    /** Position after the last byte. */
    public long end() {
        return last + 1;
    }
}
