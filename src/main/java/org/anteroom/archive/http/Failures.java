package org.anteroom.archive.http;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.apache.hc.client5.http.utils.DateUtils;
import org.jspecify.annotations.Nullable;

/** What failures of the connection and answers other than files mean. */
final class Failures {
    private static final long LONGEST_RETRY_SECONDS = 300;

    private Failures() {}

    /**
     * A failure of the connection.
     *
     * @param overdue whether it was broken off for taking too long
     */
    static FailureException of(IOException e, boolean overdue) {
        if (e instanceof FailureException known) {
            return known;
        }
        if (overdue || e instanceof SocketTimeoutException) {
            return new FailureException(FailureReason.ARCHIVE_TIMEOUT, "The archive did not answer in time.", e);
        }
        if (e instanceof ConnectException || e instanceof UnknownHostException || e instanceof NoRouteToHostException) {
            return new FailureException(FailureReason.ARCHIVE_FAILED, "The archive is not there.", e);
        }
        return broken(e);
    }

    static FailureException broken(@Nullable IOException e) {
        return new FailureException(FailureReason.ARCHIVE_FAILED, "The archive broke off.", e);
    }

    static FailureException notFound() {
        return new FailureException(FailureReason.NOT_FOUND, "The archive has no such file.");
    }

    static FailureException changed() {
        return new FailureException(
                FailureReason.FILE_CHANGED, "The file has changed in the archive; ask again for the new one.");
    }

    static FailureException refused(String what) {
        return new FailureException(FailureReason.ARCHIVE_REFUSED, what);
    }

    /** An answer that makes no sense. */
    static FailureException senseless(String what) {
        return new FailureException(
                FailureReason.ARCHIVE_FAILED, "The archive's answer makes no sense.", new IOException(what));
    }

    /** An answer that is not the file. */
    static FailureException of(Reply reply) {
        int status = reply.status();
        IOException cause = new IOException("status " + status);
        return switch (status) {
            case 404, 410 -> notFound();
            case 412, 416 -> changed();
            case 408, 504 ->
                new FailureException(FailureReason.ARCHIVE_TIMEOUT, "The archive did not answer in time.", cause);
            case 429 -> overloaded(cause, retryAfter(reply));
            case 503 -> {
                Duration retryAfter = retryAfter(reply);
                yield retryAfter == null ? error(cause) : overloaded(cause, retryAfter);
            }
            default ->
                status >= 400 && status < 500
                        ? new FailureException(
                                FailureReason.ARCHIVE_REFUSED, "The archive refuses to give the file.", cause)
                        : status >= 500 ? error(cause) : senseless("status " + status);
        };
    }

    private static FailureException error(IOException cause) {
        return new FailureException(FailureReason.ARCHIVE_FAILED, "The archive answered with an error.", cause);
    }

    private static FailureException overloaded(IOException cause, @Nullable Duration retryAfter) {
        return new FailureException(
                FailureReason.OVERLOADED, "The archive is asked for too much; try again later.", cause, retryAfter);
    }

    /** The field Retry-After (RFC 9110, section 10.2.3), by the server's own clock; null where there is none to be used. */
    private static @Nullable Duration retryAfter(Reply reply) {
        String value = reply.field("Retry-After");
        if (value == null) {
            return null;
        }
        if (value.strip().matches("[0-9]{1,9}")) {
            return bounded(Long.parseLong(value.strip()));
        }
        Instant then = DateUtils.parseStandardDate(value);
        String date = reply.field("Date");
        Instant now = date == null ? null : DateUtils.parseStandardDate(date);
        return then == null || now == null
                ? null
                : bounded(Duration.between(now, then).toSeconds());
    }

    private static Duration bounded(long seconds) {
        return Duration.ofSeconds(Math.max(1, Math.min(LONGEST_RETRY_SECONDS, seconds)));
    }
}
