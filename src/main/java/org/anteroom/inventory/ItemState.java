package org.anteroom.inventory;

import java.util.Locale;

/** What came of one item of a deletion plan so far. */
public enum ItemState {
    /** Not looked at yet. */
    PENDING,
    /** Its copy is condemned. */
    CONDEMNED,
    /** Its copy is gone, the bytes are given back. */
    FREED,
    /** Its copy was left alone. */
    SKIPPED,
    /** Its copy could not be deleted. */
    FAILED;

    /** The word in the API and the database. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static ItemState parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
