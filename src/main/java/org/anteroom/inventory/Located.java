package org.anteroom.inventory;

import java.util.List;
import org.anteroom.model.FileFacts;

/**
 * Where a file's copies lie, as the memory of this instance has it.
 *
 * @param <H> what is derived from the facts once and kept beside them, such as ready-made headers
 * @param objid the file's key
 * @param facts what the archive said of the file when the copies were made
 * @param copies its cached copies of that content, the newest first; never empty
 * @param derived derived from the facts
 */
public record Located<H>(String objid, FileFacts facts, List<CopyRow> copies, H derived) {

    /** Makes the list immutable. */
    public Located {
        copies = List.copyOf(copies);
        if (copies.isEmpty()) {
            throw new IllegalArgumentException("no copies of " + objid);
        }
    }
}
