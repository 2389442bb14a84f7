package org.anteroom.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a GET or HEAD request that decide how a file is answered; the fields are raw, null when absent, and those
 * that were sent on several lines are joined by commas (RFC 9110, section 5.3).
 *
 * @param head whether the method is HEAD rather than GET
 * @param inline whether the client wants to see the file rather than to keep it
 * @param wantReprDigest the digests that the client would like to have (RFC 9530, section 4)
 */
public record FileRequest(
        boolean head,
        boolean inline,
        @Nullable String ifMatch,
        @Nullable String ifUnmodifiedSince,
        @Nullable String ifNoneMatch,
        @Nullable String ifModifiedSince,
        @Nullable String range,
        @Nullable String ifRange,
        @Nullable String wantReprDigest) {

    /** A GET for the whole file, without conditions. */
    public static final FileRequest GET = new FileRequest(false, false, null, null, null, null, null, null, null);

    /** A HEAD without conditions. */
    public static final FileRequest HEAD = new FileRequest(true, false, null, null, null, null, null, null, null);

    /** Whether the answer, if it is a file, is the whole of it. */
    public boolean isForTheWhole() {
        return !head
                && ifMatch == null
                && ifUnmodifiedSince == null
                && ifNoneMatch == null
                && ifModifiedSince == null
                && range == null;
    }

    /** Whether nothing is asked but the whole file as an attachment; {@code If-Range} alone means nothing. */
    boolean isPlain() {
        return !inline
                && ifMatch == null
                && ifUnmodifiedSince == null
                && ifNoneMatch == null
                && ifModifiedSince == null
                && range == null
                && wantReprDigest == null;
    }
}
