package org.anteroom.volume.s3;

import java.nio.file.Path;

/**
 * Where copies lie while they are being made for object stores.
 *
 * @param folder absolute; made when it is first needed
 * @param max the most bytes there at once, by this instance, at least 1
 */
public record SpoolSettings(Path folder, long max) {

    /** Checks what the record promises. */
    public SpoolSettings {
        if (!folder.isAbsolute()) {
            throw new IllegalArgumentException("the folder of the spool is absolute");
        }
        if (max < 1) {
            throw new IllegalArgumentException("the spool holds at least 1 byte");
        }
    }
}
