package org.anteroom.archive;

import java.util.List;

/**
 * A part of what lies in a folder.
 *
 * @param entries in the order of {@link ArchiveEntry#compareKeys}
 * @param more whether others follow
 */
public record FolderPage(List<ArchiveEntry> entries, boolean more) {

    /** Copies the list. */
    public FolderPage {
        entries = List.copyOf(entries);
    }
}
