package org.anteroom.s3;

import java.time.Instant;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * What a store says of an object.
 *
 * @param size in bytes
 * @param etag the entity tag with its quotes, or null
 * @param lastModified to the second, or null
 * @param contentType or null
 * @param sha256 the checksum of the whole object, where the store keeps one; else null
 */
public record S3Object(
        long size,
        @Nullable String etag,
        @Nullable Instant lastModified,
        @Nullable String contentType,
        @Nullable Sha256 sha256) {

    /**
     * Whether the other may be this one, by all that both of them tell: the size, and the tag or, where one of them has none,
     * the time.
     */
    public boolean isSame(S3Object other) {
        if (size != other.size) {
            return false;
        }
        if (etag != null && other.etag != null) {
            return etag.equals(other.etag);
        }
        return lastModified == null || other.lastModified == null || lastModified.equals(other.lastModified);
    }
}
