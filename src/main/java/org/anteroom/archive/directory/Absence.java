package org.anteroom.archive.directory;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Tells what is not there from what cannot be told.
 *
 * <p>A way may end before the file because a name is missing or too long, leads through what is no folder, or in a circle. The
 * exceptions for all but the first differ from those for a disk's error by their text only, which depends on the locale. So
 * the way is walked again, step by step and through its links, and what cannot be looked at on it proves nothing.
 */
final class Absence {
    /** Linux's NAME_MAX, in bytes. */
    private static final int LONGEST_NAME = 255;

    /** As many links Linux follows on one way. */
    private static final int MOST_LINKS = 40;

    private final Disk disk;

    Absence(Disk disk) {
        this.disk = disk;
    }

    /** Whether nothing can have a name of this length. */
    static boolean isTooLong(Path name) {
        return name.toString().getBytes(UTF_8).length > LONGEST_NAME;
    }

    /**
     * Whether nothing is at the end of a way.
     *
     * @param failure what came of going it
     * @param path absolute
     */
    boolean isProvedBy(IOException failure, Path path) {
        if (failure instanceof NoSuchFileException) {
            return true;
        }
        return failure instanceof FileSystemException && !(failure instanceof AccessDeniedException) && endsEarly(path);
    }

    private boolean endsEarly(Path path) {
        Deque<Path> steps = new ArrayDeque<>();
        prepend(path, steps);
        Path at = path.getRoot();
        int links = 0;
        while (!steps.isEmpty()) {
            Path step = steps.pop();
            if (isTooLong(step)) {
                return true;
            }
            Path next = at.resolve(step).normalize();
            try {
                BasicFileAttributes attributes = disk.attributes(next);
                if (attributes.isSymbolicLink()) {
                    links++;
                    if (links > MOST_LINKS) {
                        return true;
                    }
                    Path target = disk.target(next);
                    prepend(target, steps);
                    at = orElse(target.getRoot(), at);
                } else if (!attributes.isDirectory() && !steps.isEmpty()) {
                    return true;
                } else {
                    at = next;
                }
            } catch (NoSuchFileException e) {
                return true;
            } catch (IOException e) {
                return false;
            }
        }
        return false;
    }

    private static void prepend(Path target, Deque<Path> steps) {
        for (int i = target.getNameCount() - 1; i >= 0; i--) {
            steps.push(target.getName(i));
        }
    }

    private static Path orElse(@Nullable Path path, Path other) {
        return path == null ? other : path;
    }
}
