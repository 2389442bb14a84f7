package org.anteroom.inventory;

import java.util.Locale;

/** Why a copy is condemned. */
public enum CondemnedBy {
    /** A deletion plan: the only one from which a copy may be rescued. */
    EVICTION,
    /** Somebody asked for its deletion. */
    DELETE,
    /** The archive says something else of the file than when it was made, or lacks the file. */
    CHANGED,
    /** Its bytes were found wrong. */
    FAILED_CHECK;

    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
