package org.anteroom.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The configured folders, none of which may lie in another one. */
final class Folders {

    private static final long GIB = 1L << 30;

    private final Map<String, Path> real = new LinkedHashMap<>();
    private final Values values;

    /**
     * No folders yet.
     *
     * @param values told of a folder that lies wrong
     */
    Folders(Values values) {
        this.values = values;
    }

    /** Adds the folder of a key, which must lie apart from those that were added before. */
    void add(String key, Path folder) {
        Path added = real(folder);
        real.forEach((otherKey, other) -> {
            if (added.equals(other)) {
                values.reject(key, "the same folder as " + otherKey + "; give each its own");
            } else if (added.startsWith(other)) {
                values.reject(key, "lies inside the folder of " + otherKey + "; give it one outside of " + other);
            } else if (other.startsWith(added)) {
                values.reject(
                        key, "the folder of " + otherKey + ", " + other + ", lies inside it; give it another one");
            }
        });
        real.put(key, added);
    }

    /** A tenth of the disk that holds a folder, or will hold it, but at least 1 GiB. */
    static long tenthOfDisk(Path folder) {
        try {
            return Math.max(GIB, Files.getFileStore(existing(folder)).getTotalSpace() / 10);
        } catch (IOException e) {
            // the disk is away or tells nothing: the volume shows it when it is used, and heals
            return GIB;
        }
    }

    /**
     * Why nothing could be made in a folder, or the folder itself; empty where nothing is known against it. It says nothing of
     * a volume that was used before and is only away.
     */
    static Optional<String> obstacle(Path folder) {
        Path existing = existing(folder);
        if (!Files.isDirectory(existing)) {
            return Optional.of(existing + " is not a folder");
        }
        return Files.isWritable(existing) && Files.isExecutable(existing)
                ? Optional.empty()
                : Optional.of("the user that runs the container may not write to " + existing);
    }

    /** The folder with its links followed, as far as it exists. */
    private static Path real(Path folder) {
        Path existing = existing(folder);
        try {
            return existing.toRealPath().resolve(existing.relativize(folder)).normalize();
        } catch (IOException e) {
            return folder;
        }
    }

    private static Path existing(Path folder) {
        Path existing = folder;
        while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = existing.getParent();
            if (parent == null) {
                return existing;
            }
            existing = parent;
        }
        return existing;
    }
}
