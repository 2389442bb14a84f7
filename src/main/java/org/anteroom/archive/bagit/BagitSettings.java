package org.anteroom.archive.bagit;

import java.nio.file.Path;

/**
 * What the configuration says of an archive of bags besides its place.
 *
 * @param index the folder that keeps what lies where in the bags; it is made when it is needed
 * @param mostIndexBytes how many bytes of that are kept, at least 1; past that, what was not used for the longest time is
 *     removed
 */
public record BagitSettings(Path index, long mostIndexBytes) {

    /** Checks what the record promises. */
    public BagitSettings {
        if (mostIndexBytes < 1) {
            throw new IllegalArgumentException("the most bytes of indexes are at least 1");
        }
    }
}
