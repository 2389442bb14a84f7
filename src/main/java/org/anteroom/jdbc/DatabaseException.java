package org.anteroom.jdbc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A database did not do what it was asked for. The message is for the log, not for clients. */
public final class DatabaseException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What kind of failure it was. */
    public enum Reason {
        /** The caller's time was up, or too many wait already. A change that was being committed may have happened. */
        TIMEOUT,
        /** The database cannot be reached or used. */
        AWAY,
        /** The change contradicts a row that is there. */
        CONFLICT,
        /** Anything else, such as a fault in a statement. */
        OTHER
    }

    private final Reason reason;

    /** A failure. */
    public DatabaseException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** What kind of failure it was. */
    public Reason reason() {
        return reason;
    }
}
