package org.anteroom.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files that this process holds open, for finding leaks (Linux). */
public final class OpenFiles {
    private OpenFiles() {}

    /** Those below a folder, deleted ones included. */
    public static List<String> under(Path folder) throws IOException {
        List<String> open = new ArrayList<>();
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith(folder.toString())) {
                        open.add(target);
                    }
                } catch (IOException e) {
                    // closed since it was listed, such as the listing's own
                }
            }
        }
        return open;
    }
}
