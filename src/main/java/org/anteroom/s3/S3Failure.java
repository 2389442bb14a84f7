package org.anteroom.s3;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A failure of an object store, in words that may be shown to an operator, with what it means. */
public final class S3Failure extends IOException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** What a failure means to whoever asked. */
    public enum Kind {
        /** The server says that there is no such object, or no such version of it. */
        NO_OBJECT,
        /** The server says that there is no such bucket. */
        NO_BUCKET,
        /** The server says that there is no such unfinished upload, or that a part of it is missing. */
        NO_UPLOAD,
        /** The credentials are wrong or lack a permission. */
        FORBIDDEN,
        /** A condition of the request does not hold: the object is there already, or has changed. */
        CONDITION,
        /** The server cannot read the request, or takes it for one that it may not answer. */
        MALFORMED,
        /** The server does not know what a field of the request asks for. */
        UNKNOWN_FORM,
        /** The object ends before the position that was asked for. */
        BEYOND_END,
        /** The server asks for fewer requests (SlowDown), even after some patience. */
        SLOW_DOWN,
        /** Nothing came in time. */
        TIMEOUT,
        /** The server cannot be reached, or broke off. */
        BROKEN,
        /** All connections are taken. */
        BUSY,
        /** The server refuses or fails in another way, or what it says makes no sense. */
        OTHER
    }

    /** A failure with its cause, which only the log may show. */
    public S3Failure(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What it means. */
    public Kind kind() {
        return kind;
    }
}
