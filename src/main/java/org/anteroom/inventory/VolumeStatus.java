package org.anteroom.inventory;

import java.util.Locale;

/** What an operator lets happen to a volume. */
public enum VolumeStatus {
    /** Copies are read and made. */
    ACTIVE,
    /** Copies are read, none is made. */
    READ_ONLY,
    /** Copies are read, none is made, and they are moved away. */
    DRAINING,
    /** Nothing is read or made. */
    OFFLINE;

    /** The word in the configuration, the API and the database. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Reads {@link #text()} back.
     *
     * @throws IllegalArgumentException if it is none of the words
     */
    public static VolumeStatus parse(String text) {
        for (VolumeStatus status : values()) {
            if (status.text().equals(text)) {
                return status;
            }
        }
        throw new IllegalArgumentException("a volume is active, read-only, draining or offline, not " + text);
    }
}
