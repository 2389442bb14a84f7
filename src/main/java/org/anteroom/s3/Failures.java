package org.anteroom.s3;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.util.Objects;
import org.anteroom.s3.S3Failure.Kind;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryUtils;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** What the SDK's exceptions mean. */
final class Failures {
    private static final int INTERNAL_ERROR = 500;
    private static final int NOT_IMPLEMENTED = 501;

    private Failures() {}

    static IOException of(SdkException e) {
        if (e instanceof S3Exception answer) {
            return ofAnswer(answer);
        }
        S3Failure told = cause(e, S3Failure.class);
        if (told != null) {
            return told;
        }
        if (e instanceof AbortedException) {
            InterruptedIOException interrupted =
                    new InterruptedIOException("interrupted while asking the object store");
            interrupted.initCause(e);
            return interrupted;
        }
        if (isSilence(e)) {
            return new S3Failure(Kind.TIMEOUT, "the object store did not answer in time", e);
        }
        return cause(e, IOException.class) != null ? broken(e) : nonsense(e);
    }

    /** What cannot be read. */
    static S3Failure nonsense(RuntimeException e) {
        return new S3Failure(Kind.OTHER, "the object store cannot be asked or answers nonsense", e);
    }

    /** Nothing came in time, by our own clock. */
    private static boolean isSilence(Throwable e) {
        return e instanceof ApiCallTimeoutException
                || e instanceof ApiCallAttemptTimeoutException
                || cause(e, SocketTimeoutException.class) != null;
    }

    /** Whether another attempt may bring what this one has not. Who has waited in silence does not do so again. */
    static boolean mayPass(Throwable e) {
        if (e instanceof S3Exception answer) {
            return RetryUtils.isClockSkewException(answer)
                    || switch (kind(answer)) {
                        case SLOW_DOWN, TIMEOUT -> true;
                        // what takes long is answered with 200, before it is known how it ends
                        case OTHER ->
                            answer.statusCode() >= INTERNAL_ERROR
                                    || code(answer).equals("InternalError");
                        default -> false;
                    };
        }
        if (e instanceof AbortedException || cause(e, S3Failure.class) != null || isSilence(e)) {
            return false;
        }
        return cause(e, IOException.class) != null;
    }

    /** What the SDK lets through when an answer breaks off while it is parsed. */
    static IOException of(UncheckedIOException e) {
        return cause(e, SocketTimeoutException.class) != null
                ? new S3Failure(Kind.TIMEOUT, "the object store did not answer in time", e)
                : broken(e);
    }

    private static S3Failure broken(RuntimeException e) {
        return new S3Failure(Kind.BROKEN, "the object store cannot be reached or broke off", e);
    }

    private static S3Failure ofAnswer(S3Exception e) {
        Kind kind = kind(e);
        return new S3Failure(kind, message(kind, e.statusCode(), code(e)), e);
    }

    private static Kind kind(S3Exception e) {
        Kind byCode = byCode(code(e));
        return byCode == null ? byStatus(e.statusCode()) : byCode;
    }

    /** Whether a request was refused without a word why, as each is that is made by HEAD. */
    static boolean isUnexplained(S3Failure failure) {
        return failure.getCause() instanceof S3Exception answer
                && switch (answer.statusCode()) {
                    case 400, 404, 405 -> true;
                    default -> false;
                };
    }

    /**
     * Whether a request that named a version was refused for it: it is none that the store could have, or the mark of a
     * deletion. A bare status does not say so, since an expired token or a wrong region has the same.
     */
    static boolean isOfVersion(S3Failure failure) {
        return failure.getCause() instanceof S3Exception answer
                && switch (code(answer)) {
                    case "NoSuchVersion", "InvalidArgument", "MethodNotAllowed" -> true;
                    default -> false;
                };
    }

    private static String code(S3Exception e) {
        AwsErrorDetails details = e.awsErrorDetails();
        return details == null ? "" : Objects.requireNonNullElse(details.errorCode(), "");
    }

    private static @Nullable Kind byCode(String code) {
        return switch (code) {
            case "NoSuchKey", "NoSuchVersion" -> Kind.NO_OBJECT;
            case "NoSuchBucket" -> Kind.NO_BUCKET;
            case "NoSuchUpload", "InvalidPart" -> Kind.NO_UPLOAD;
            case "SlowDown", "RequestLimitExceeded", "TooManyRequests" -> Kind.SLOW_DOWN;
            case "NotImplemented" -> Kind.UNKNOWN_FORM;
            case "RequestTimeout" -> Kind.TIMEOUT;
            case "AccessDenied",
                    "InvalidAccessKeyId",
                    "SignatureDoesNotMatch",
                    "ExpiredToken",
                    "InvalidToken",
                    "TokenRefreshRequired" -> Kind.FORBIDDEN;
            default -> null;
        };
    }

    private static Kind byStatus(int status) {
        return switch (status) {
            case 400 -> Kind.MALFORMED;
            case 401, 403 -> Kind.FORBIDDEN;
            case 409, 412 -> Kind.CONDITION;
            case 416 -> Kind.BEYOND_END;
            case 408, 504 -> Kind.TIMEOUT;
            case 429, 503 -> Kind.SLOW_DOWN;
            case NOT_IMPLEMENTED -> Kind.UNKNOWN_FORM;
            default -> Kind.OTHER;
        };
    }

    private static String message(Kind kind, int status, String code) {
        return switch (kind) {
            case NO_OBJECT -> "the object store has no such object";
            case NO_BUCKET -> "the bucket does not exist";
            case NO_UPLOAD -> "the object store has no such upload";
            case FORBIDDEN -> "the object store denies access (" + shown(status, code) + ")";
            case CONDITION -> "the object is not as expected (" + shown(status, code) + ")";
            case BEYOND_END -> "the object ends before that position";
            case SLOW_DOWN -> "the object store asks for fewer requests (" + shown(status, code) + ")";
            case TIMEOUT -> "the object store did not answer in time (" + shown(status, code) + ")";
            case UNKNOWN_FORM -> "the object store does not know this form of request (" + shown(status, code) + ")";
            case MALFORMED, BROKEN, BUSY, OTHER -> "the object store failed (" + shown(status, code) + ")";
        };
    }

    private static String shown(int status, String code) {
        return code.isEmpty() ? "status " + status : "status " + status + ", " + code;
    }

    private static <T extends Throwable> @Nullable T cause(Throwable e, Class<T> type) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (type.isInstance(at)) {
                return type.cast(at);
            }
        }
        return null;
    }
}
