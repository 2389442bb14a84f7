package org.anteroom.delivery;

import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a request, evaluated in the order of RFC 9110, section 13.2.2.
 *
 * <p>Times are compared in whole seconds, as the fields carry them. A date that is not one is ignored.
 */
public final class Preconditions {
    private Preconditions() {}

    /** What the conditions lead to. */
    public enum Outcome {
        /** Answer as if there were none. */
        PROCEED,
        /** The client has this file: 304. */
        NOT_MODIFIED,
        /** The client wants another one: 412. */
        FAILED
    }

    /**
     * Evaluates them for what has no validators: {@code *} stands for whatever is there, no tag is that of it (RFC 9110,
     * sections 13.1.1 and 13.1.2), and dates are ignored (sections 13.1.3 and 13.1.4).
     */
    public static Outcome withoutValidators(FileRequest request) {
        return evaluate(request, null, null, InstantSource.system());
    }

    /**
     * Evaluates all but {@code If-Range}.
     *
     * @param etag the file's strong tag, or null
     * @param lastModified the file's time in whole seconds, or null
     */
    static Outcome evaluate(
            FileRequest request, @Nullable String etag, @Nullable Instant lastModified, InstantSource clock) {
        if (request.ifMatch() != null) {
            if (!EntityTags.matchStrongly(request.ifMatch(), etag)) {
                return Outcome.FAILED;
            }
        } else if (request.ifUnmodifiedSince() != null && lastModified != null) {
            Instant date = HttpDate.parse(request.ifUnmodifiedSince(), clock);
            if (date != null && lastModified.isAfter(date)) {
                return Outcome.FAILED;
            }
        }
        if (request.ifNoneMatch() != null) {
            return EntityTags.matchWeakly(request.ifNoneMatch(), etag) ? Outcome.NOT_MODIFIED : Outcome.PROCEED;
        }
        if (request.ifModifiedSince() != null && lastModified != null) {
            Instant date = HttpDate.parse(request.ifModifiedSince(), clock);
            if (date != null && !lastModified.isAfter(date)) {
                return Outcome.NOT_MODIFIED;
            }
        }
        return Outcome.PROCEED;
    }

    /**
     * Whether {@code If-Range} lets the range be served (RFC 9110, section 13.1.5): absent, the very same strong tag, or the
     * very same date where that is a strong validator, which it is not within the second of the last change (section
     * 8.8.2.2).
     */
    static boolean rangeApplies(
            FileRequest request, @Nullable String etag, @Nullable Instant lastModified, InstantSource clock) {
        if (request.ifRange() == null) {
            return true;
        }
        String validator = request.ifRange().strip();
        if (validator.endsWith("\"")) {
            return validator.equals(etag);
        }
        return lastModified != null
                && lastModified.equals(HttpDate.parse(validator, clock))
                && clock.millis() >= (lastModified.getEpochSecond() + 1) * 1000;
    }
}
