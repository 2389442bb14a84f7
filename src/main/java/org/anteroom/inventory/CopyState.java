package org.anteroom.inventory;

import java.util.Locale;

/** Where a copy is in its life. */
public enum CopyState {
    /** Readers are sent to it. */
    CACHED,
    /** No new reader is sent to it; what eviction condemned may be rescued. */
    CONDEMNED,
    /** On its way out for good. */
    DELETING,
    /** It was found short or wrong; no reader is sent to it. */
    SUSPECT;

    /** The word in the API and the database. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static CopyState parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
