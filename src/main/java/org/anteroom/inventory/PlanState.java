package org.anteroom.inventory;

import java.util.Locale;

/** Where a deletion plan is in its life. */
public enum PlanState {
    /** Its items are still being written. */
    MAKING,
    /** Whole, and to be looked at. */
    PROPOSED,
    /** Being carried out. */
    RUNNING,
    /** Halted; what it condemned still goes, and it can be resumed. */
    STOPPED,
    /** Every item is freed, skipped or failed. */
    DONE,
    /** Not carried out in time. */
    EXPIRED;

    /** The word in the API and the database. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static PlanState parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
