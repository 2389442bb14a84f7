package org.anteroom.config;

import java.io.IOException;
import java.nio.file.Path;

/** What an operator is told of a folder that the container may not write to. */
public final class Unwritable {
    private Unwritable() {}

    /**
     * One sentence that names the folder, and what would permit it.
     *
     * @param purpose what was to be done in the folder, after "cannot"
     */
    public static String message(String purpose, Path folder, IOException cause) {
        return "Anteroom cannot " + purpose + " in " + folder + " (" + Causes.shortly(cause)
                + "); make the folder and give it to the user that runs the container, and where systemd keeps that"
                + " user from writing there, add to the service's unit: ReadWritePaths=" + folder;
    }
}
