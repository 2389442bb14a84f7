package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a bag that is a folder. Links are followed as long as what they lead to lies in the archive's folder.
 *
 * <p>The way to a file is gone step by step, so that what is no folder, or no name, is known for that and is no failure of
 * the disk.
 */
final class BagFolder {
    /** Linux's NAME_MAX, in bytes. */
    private static final int LONGEST_NAME = 255;

    private final Disk disk;
    private final Path root;
    private final Bag bag;

    /** A file or folder as it was found; the path has no links. */
    record Found(Path path, FileState state) {}

    /**
     * The payload of a bag.
     *
     * @param root the archive's folder, without links
     */
    BagFolder(Disk disk, Path root, Bag bag) {
        this.disk = disk;
        this.root = root;
        this.bag = bag;
    }

    /** What lies at a path below {@code data/}, or there itself if it is empty; null if nothing does. */
    @Nullable
    Found find(String path) throws IOException {
        Found at = step(bag.path(), "data");
        if (path.isEmpty()) {
            return at;
        }
        for (String name : path.split("/", -1)) {
            if (at == null || !at.state.isFolder()) {
                return null;
            }
            at = step(at.path, name);
        }
        return at;
    }

    private @Nullable Found step(Path folder, String name) throws IOException {
        if (name.getBytes(UTF_8).length > LONGEST_NAME) {
            return null;
        }
        try {
            return found(folder.resolve(name));
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private @Nullable Found found(Path path) throws IOException {
        try {
            FileState state = disk.state(path);
            if (state.kind() != FileState.Kind.LINK) {
                return new Found(path, state);
            }
            Path real = disk.real(path);
            return real.startsWith(root) ? new Found(real, disk.state(real)) : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** What lies in a folder: what has a name that can be asked for. */
    interface Visitor {
        void visit(String name, Found found) throws IOException;
    }

    /** Whether a name is worth a look. */
    interface Filter {
        boolean admits(String name);
    }

    /** Goes through a folder in no order; links that lead back on the way are left out. */
    void visit(Found folder, Filter filter, Visitor visitor) throws IOException {
        List<Path> way = new ArrayList<>();
        for (Path at = folder.path; at != null && !at.equals(root); at = at.getParent()) {
            way.add(at);
        }
        try (DirectoryStream<Path> all = disk.entries(folder.path)) {
            for (Path path : all) {
                String name = path.getFileName().toString();
                if (!filter.admits(name) || !isText(path, name)) {
                    continue;
                }
                Found found = found(path);
                if (found != null && !way.contains(found.path)) {
                    visitor.visit(name, found);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    /** Whether the name can be written as text and read back, and has no control characters. */
    private static boolean isText(Path path, String name) {
        if (name.chars().anyMatch(Character::isISOControl)) {
            return false;
        }
        try {
            // bytes that are no UTF-8 become replacement characters
            return name.indexOf('\uFFFD') < 0 || Path.of(name).equals(path.getFileName());
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
