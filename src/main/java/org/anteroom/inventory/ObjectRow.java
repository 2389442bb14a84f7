package org.anteroom.inventory;

import java.time.Instant;
import java.util.List;

/**
 * A file that has copies, in whatever state.
 *
 * @param copies at least one, in the order of their ids
 */
public record ObjectRow(String objid, List<UsedCopy> copies) {

    /**
     * A copy and its use.
     *
     * @param lastUse when it was last used, or else made
     * @param uses how often it was used
     */
    public record UsedCopy(CopyRow copy, Instant lastUse, long uses) {}

    /** Copies the list. */
    public ObjectRow {
        copies = List.copyOf(copies);
    }
}
