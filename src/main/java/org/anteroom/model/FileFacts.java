package org.anteroom.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the archive says of a file; the same for its copies, in every instance.
 *
 * @param size length in bytes, or {@link #UNKNOWN_SIZE}
 * @param lastModified modification time to the nanosecond, or null when the archive has none
 * @param etag the strong entity tag with its quotes (RFC 9110, section 8.8.3), or null when nothing identifies the
 *     content
 * @param sha256 the checksum, or null while nobody knows it
 * @param contentType the media type, or null when it is to be guessed from the name
 */
public record FileFacts(
        long size,
        @Nullable Instant lastModified,
        @Nullable String etag,
        @Nullable Sha256 sha256,
        @Nullable String contentType) {

    /** The size of a file whose archive does not tell. */
    public static final long UNKNOWN_SIZE = -1;

    /** Checks what the record promises. */
    public FileFacts {
        if (size < UNKNOWN_SIZE) {
            throw new IllegalArgumentException("size " + size);
        }
        if (etag != null && !(etag.length() >= 2 && etag.startsWith("\"") && etag.endsWith("\""))) {
            throw new IllegalArgumentException("a strong entity tag is quoted: " + etag);
        }
    }

    /** Whether the length is known. */
    public boolean hasSize() {
        return size != UNKNOWN_SIZE;
    }

    /** The same facts with a checksum. */
    public FileFacts withSha256(Sha256 digest) {
        return new FileFacts(size, lastModified, etag, digest, contentType);
    }

    /**
     * Whether the other facts speak of the same content: the same size, tag and time; a checksum counts where both have
     * one.
     */
    public boolean sameContent(FileFacts other) {
        return size == other.size
                && java.util.Objects.equals(etag, other.etag)
                && java.util.Objects.equals(lastModified, other.lastModified)
                && (sha256 == null || other.sha256 == null || sha256.equals(other.sha256));
    }
}
