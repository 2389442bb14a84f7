package org.anteroom.inventory;

import java.util.Locale;

/** Why a copy is condemned. */
public enum CondemnedBy {
    /** A deletion plan: the only one from which a copy may be rescued. */
    EVICTION,
    /** Somebody asked for its deletion. */
    DELETE,
    /** Its bytes were found wrong. */
    FAILED_CHECK;

    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
