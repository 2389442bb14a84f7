package org.anteroom.model;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A failure with its {@link FailureReason}.
 *
 * <p>The message is shown to clients: it names no path of the server, no SQL and no class. What only the log may know
 * goes into the cause.
 */
public final class FailureException extends IOException {
    private static final long serialVersionUID = 1L;

    private final FailureReason reason;
    private final @Nullable Duration retryAfter;

    /**
     * A failure without a cause below it.
     *
     * @param message one sentence that a client may read: what was wrong and, where it helps, what would be right
     */
    public FailureException(FailureReason reason, String message) {
        this(reason, message, null);
    }

    /** A failure that came of another one. */
    public FailureException(FailureReason reason, String message, @Nullable Throwable cause) {
        this(reason, message, cause, null);
    }

    /**
     * A failure that will last for a while.
     *
     * @param retryAfter when asking again may help, from now on; null if nobody knows
     */
    public FailureException(
            FailureReason reason, String message, @Nullable Throwable cause, @Nullable Duration retryAfter) {
        super(message, cause);
        this.reason = reason;
        this.retryAfter = retryAfter;
    }

    /** Why it failed. */
    public FailureReason reason() {
        return reason;
    }

    /** When asking again may help, if somebody said so. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    @Override
    public String getMessage() {
        String message = super.getMessage();
        return message == null ? reason.name() : message;
    }
}
