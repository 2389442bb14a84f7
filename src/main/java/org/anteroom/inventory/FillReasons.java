package org.anteroom.inventory;

/** The reasons in the rows of fills on which something depends; there are others. */
public final class FillReasons {
    /** The archive has no such file. */
    public static final String NOT_FOUND = "not-found";

    /** The archive does not tell the file's length, so that it is not cached. */
    public static final String UNKNOWN_LENGTH = "unknown-length";

    /** The archive does not let the file be read. */
    public static final String REFUSED = "archive-refused";

    /** The volumes that would take the file are full. */
    public static final String NO_ROOM = "no-room";

    /** No volume takes a file of that size. */
    public static final String NO_VOLUME = "no-volume";

    /** The bytes are not those that the archive promised. */
    public static final String WRONG_BYTES = "wrong-bytes";

    /** Too much was asked of the archive at once. */
    public static final String OVERLOADED = "overloaded";

    /** The archive has failed many times in a row and is not asked for a while. */
    public static final String AWAY = "archive-away";

    /** The instance that made the copy was stopped. */
    public static final String STOPPING = "stopping";

    /** The same, seen from the archive's side. */
    public static final String NOT_READY = "not-ready";

    /** It was begun when nobody waited for that any more. */
    public static final String TOO_LATE = "begun too late";

    /** Its lease ran out, or somebody ended it, while it was at work. */
    public static final String LOST = "lost";

    /** Whether it was begun was not answered. */
    public static final String UNANSWERED = "its begin was not answered";

    /** The file has another size than when it was asked for. */
    public static final String CHANGED = "changed";

    /** There was a copy before it was begun; not a failure. */
    public static final String CACHED = "cached already";

    private FillReasons() {}
}
