package org.anteroom.model;

/**
 * Why something that was asked for did not happen.
 *
 * <p>Thrown inside a {@link FailureException} and translated to an HTTP answer in one place, so that the same cause has
 * the same answer everywhere.
 */
public enum FailureReason {
    /** The request cannot be understood: its target, a header or its body. 400. */
    MALFORMED,
    /** The archive has no such file, or the API no such thing. 404. */
    NOT_FOUND,
    /** The archive has no way to list folders. 404: there is no listing, and never will be. */
    NOT_LISTED,
    /** The method is not for this resource. 405. */
    METHOD_NOT_ALLOWED,
    /** The state of the thing forbids the change. 409. */
    CONFLICT,
    /** A condition of the request does not hold. 412. */
    CONDITION_FAILED,
    /** The change lacks the header that cross-site forms cannot send. 403. */
    FORBIDDEN,
    /** The archive failed: an error, a broken stream. It may work the next time. 502. */
    ARCHIVE_FAILED,
    /** The archive answers and will not give this file: a missing permission, an encoding not asked for. 502. */
    ARCHIVE_REFUSED,
    /** The archive has failed many times in a row and is not asked for a while. 503. */
    ARCHIVE_AWAY,
    /** The bytes of the archive are not those that it promised: they do not match a checksum, or are damaged. 502. */
    WRONG_BYTES,
    /** The file in the archive is not, or no longer, the one that it told of; who asks again gets the new one. 502. */
    FILE_CHANGED,
    /** The archive did not answer in time. 504. */
    ARCHIVE_TIMEOUT,
    /** More is asked for than is served at once; try again later. 503. */
    OVERLOADED,
    /** The inventory's database cannot be reached, and the call needs it. 503. */
    DATABASE_AWAY,
    /** The instance is starting or stopping. 503. */
    NOT_READY,
    /** A fault of Anteroom's own. 500. */
    INTERNAL
}
