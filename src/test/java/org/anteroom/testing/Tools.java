package org.anteroom.testing;

import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;

/** Tools from outside the build: where one is missing, its tests are skipped, or fail with {@code -Dtools.required=true}. */
public final class Tools {
    private Tools() {}

    /** Goes on only if a package is installed, which is told by one of its files. */
    public static void require(String debianPackage, Path file) {
        requireThat(Files.exists(file), "the package " + debianPackage + " is not installed: " + file + " is missing");
    }

    /** Goes on only if something is so. */
    public static void requireThat(boolean met, String otherwise) {
        if (!met && Boolean.getBoolean("tools.required")) {
            throw new AssertionError(otherwise);
        }
        if (!met) {
            abort(otherwise);
        }
    }
}
