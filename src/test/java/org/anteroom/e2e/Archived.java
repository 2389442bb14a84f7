package org.anteroom.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Files for an archive folder, with bytes of which no two parts are alike. */
final class Archived {
    private Archived() {}

    /** Puts a file of a dataset into an archive; the same seed makes the same bytes. */
    static byte[] put(Path archive, String dataset, String name, int size, long seed) throws IOException {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        Path file = archive.resolve(dataset).resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
        return bytes;
    }
}
