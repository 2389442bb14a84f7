package org.anteroom.inventory;

import java.util.Locale;

/** Why a fill ended without a copy, as far as that decides what becomes of it when somebody asked for it. */
public enum FillFailure {
    /** The archive has no such file. Final. */
    GONE,
    /** The archive or the service will not, however often it is tried. Final. */
    REFUSED,
    /** It may go well the next time: tried again later, some times. */
    TRANSIENT,
    /** There was no room. Waited for, for a day at most. */
    NO_SPACE,
    /** The bytes are not those that the archive promised. Final. */
    WRONG_BYTES,
    /** The archive was not asked, for the crowd or since it is away: tried again later, and not counted. */
    BUSY,
    /** Its owner was stopped, never began, or lost its lease: tried again at once, and not counted. */
    STOPPED;

    /** The word in figures. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The class of what a row gives as its reason, see {@link FillReasons}. */
    public static FillFailure of(String reason) {
        return switch (reason) {
            case FillReasons.NOT_FOUND -> GONE;
            case FillReasons.UNKNOWN_LENGTH, FillReasons.REFUSED -> REFUSED;
            case FillReasons.NO_ROOM, FillReasons.NO_VOLUME -> NO_SPACE;
            case FillReasons.WRONG_BYTES -> WRONG_BYTES;
            case FillReasons.OVERLOADED, FillReasons.AWAY -> BUSY;
            case FillReasons.STOPPING,
                    FillReasons.TOO_LATE,
                    FillReasons.UNANSWERED,
                    FillReasons.LOST,
                    FillReasons.NOT_READY -> STOPPED;
            default -> TRANSIENT;
        };
    }
}
