package org.anteroom.s3;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a listing, whole as the server sent it.
 *
 * @param entries in strictly ascending order of the keys' bytes
 * @param next what to go on with; null at the end
 */
public record S3Page(List<Entry> entries, @Nullable String next) {

    /** Copies the list. */
    public S3Page {
        entries = List.copyOf(entries);
    }

    /**
     * An object, or what several keys have in common up to a delimiter.
     *
     * @param key the whole key, or the common part with the delimiter at its end
     * @param object what is said of it; null for a common part
     */
    public record Entry(String key, @Nullable S3Object object) {}
}
