package org.anteroom.http;

import org.anteroom.archive.ArchiveEntry;
import org.jspecify.annotations.Nullable;

/** How a folder is written, piece by piece; for one listing. */
interface ListingFormat {

    /** The media type. */
    String contentType();

    /** What a browser may do with it. */
    String contentSecurityPolicy();

    /** What comes before the first entry. */
    byte[] begin();

    /** An entry. */
    byte[] entry(ArchiveEntry entry);

    /**
     * What comes after the last entry.
     *
     * @param last the key of the last one if others follow it, else null
     */
    byte[] end(@Nullable String last);
}
