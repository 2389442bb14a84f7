package org.anteroom.archive.directory;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.FolderPage;
import org.anteroom.archive.LeastEntries;
import org.jspecify.annotations.Nullable;

/**
 * One reading of a folder, for one page of its entries.
 *
 * <p>A folder comes in no order, so that the next page is chosen while all of it goes by. Only what may belong to the page
 * is looked at; of the rest no more than the name is read.
 */
final class FolderReader {
    private final Disk disk;
    private final Absence absence;
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
    FolderReader(Disk disk, Absence absence, Path top, Path root, Path asked, Path folder) {
        this.disk = disk;
        this.absence = absence;
        this.top = top;
        this.root = root;
        this.asked = asked;
        this.folder = folder;
    }

    FolderPage page(String after, int limit) throws IOException {
        LeastEntries least = new LeastEntries(limit);
        try (DirectoryStream<Path> all = disk.entries(folder)) {
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

    /**
     * What is at the end of the links, if that lies in the archive; null if there is nothing, or nothing to follow.
     *
     * @throws IOException if it cannot be told: what is there is not left out, or a listing would lack it and look whole
     */
    private @Nullable BasicFileAttributes attributes(Path path) throws IOException {
        Path real;
        BasicFileAttributes target;
        try {
            BasicFileAttributes itself = disk.attributes(path);
            if (!itself.isSymbolicLink()) {
                return itself;
            }
            real = disk.real(path);
            if (!real.startsWith(root)) {
                return null;
            }
            target = disk.attributes(real);
        } catch (IOException e) {
            // it has gone since its name was read, or leads nowhere, or in a circle
            if (absence.isProvedBy(e, path)) {
                return null;
            }
            throw e;
        }
        return target.isDirectory() && leadsBack(real) ? null : target;
    }

    /** Whether a folder lies on the way to this one: who walks the tree would never come to an end. */
    private boolean leadsBack(Path real) throws IOException {
        List<Path> known = way;
        if (known == null) {
            known = new ArrayList<>();
            for (Path at = asked; at != null && !at.equals(top); at = at.getParent()) {
                known.add(disk.real(at));
            }
            way = known;
        }
        return known.stream().anyMatch(step -> step.startsWith(real));
    }
}
