package org.anteroom.inventory;

import java.util.Locale;

/** Where a fill is in its life. */
public enum FillState {
    /** Waits for somebody to claim it; reserves nothing. */
    QUEUED,
    /** Owned, with its bytes reserved. */
    RUNNING,
    /** Ended with a copy. */
    DONE,
    /** Ended without one. */
    FAILED;

    /** The word in the API and the database. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads {@link #text()} back.
     *
     * @throws IllegalArgumentException if it is none of the words
     */
    public static FillState parse(String text) {
        for (FillState state : values()) {
            if (state.text().equals(text)) {
                return state;
            }
        }
        throw new IllegalArgumentException("a fill is queued, running, done or failed, not " + text);
    }
}
