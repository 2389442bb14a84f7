package org.anteroom.archive.directory;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.FolderPage;
import org.jspecify.annotations.Nullable;

/**
 * One reading of a folder, for one page of its entries.
 *
 * <p>A folder comes in no order, so that the next page is chosen while all of it goes by. Only what may belong to the page
 * is looked at; of the rest no more than the name is read.
 */
final class FolderReader {
    private final Path top;
    private final Path root;
    private final Path asked;
    private final Path folder;
    /** Where the folder and those above it really lie, from the first link to a folder on. */
    private @Nullable List<Path> way;

    /**
     * A reading.
     *
     * @param top the archive
     * @param root the same without links
     * @param asked the folder as it was asked for, below the top
     * @param folder the same without links
     */
    FolderReader(Path top, Path root, Path asked, Path folder) {
        this.top = top;
        this.root = root;
        this.asked = asked;
        this.folder = folder;
    }

    FolderPage page(String after, int limit) throws IOException {
        LeastEntries least = new LeastEntries(limit);
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path path : all) {
                ArchiveEntry entry = entry(path, after, least.bound());
                if (entry != null) {
                    least.add(entry);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return least.page();
    }

    /** The entry if it lies between the two keys; null if it does not, or is none. */
    private @Nullable ArchiveEntry entry(Path path, String after, @Nullable String before) throws IOException {
        String name = path.getFileName().toString();
        if (isOutside(name, after, before) || !isText(path, name)) {
            return null;
        }
        BasicFileAttributes attributes = attributes(path);
        ArchiveEntry entry;
        if (attributes == null) {
            return null;
        } else if (attributes.isRegularFile()) {
            entry = new ArchiveEntry(name, DirectoryArchive.facts(attributes));
        } else if (attributes.isDirectory()) {
            entry = new ArchiveEntry(name, null);
        } else {
            return null;
        }
        return isBetween(entry.key(), after, before) ? entry : null;
    }

    /** Whether neither a file nor a folder of that name can lie between the keys; rules most out by the name alone. */
    private static boolean isOutside(String name, String after, @Nullable String before) {
        return (before != null && ArchiveEntry.compareKeys(name, before) >= 0)
                // where one begins with the other, the slash of a folder decides
                || (ArchiveEntry.compareKeys(name, after) <= 0 && !after.startsWith(name));
    }

    private static boolean isBetween(String key, String after, @Nullable String before) {
        return ArchiveEntry.compareKeys(key, after) > 0
                && (before == null || ArchiveEntry.compareKeys(key, before) < 0);
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

    /** What is at the end of the links, if that lies in the archive; null if there is nothing, or nothing to follow. */
    private @Nullable BasicFileAttributes attributes(Path path) throws IOException {
        BasicFileAttributes itself;
        try {
            itself = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (java.nio.file.NoSuchFileException e) {
            // it has gone since its name was read
            return null;
        }
        if (!itself.isSymbolicLink()) {
            return itself;
        }
        try {
            Path real = path.toRealPath();
            if (!real.startsWith(root)) {
                return null;
            }
            BasicFileAttributes target =
                    Files.readAttributes(real, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return target.isDirectory() && leadsBack(real) ? null : target;
        } catch (FileSystemException e) {
            // it leads nowhere, or in a circle
            return null;
        }
    }

    /** Whether a folder lies on the way to this one: who walks the tree would never come to an end. */
    private boolean leadsBack(Path real) throws IOException {
        List<Path> known = way;
        if (known == null) {
            known = new ArrayList<>();
            for (Path at = asked; at != null && !at.equals(top); at = at.getParent()) {
                known.add(at.toRealPath());
            }
            way = known;
        }
        return known.stream().anyMatch(step -> step.startsWith(real));
    }
}
