package org.anteroom.volume.fs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The two levels of folders over the copies: {@code copies/ab/cd/abcd…}.
 *
 * <p>A folder that another writer has just made may not be on the disk yet. So who moves a copy into one syncs its parent
 * too, unless somebody has done so since the start.
 */
final class Folders {
    private final Path copies;
    private final BitSet durable = new BitSet();

    Folders(Path copies) {
        this.copies = copies;
    }

    Path of(String copy) {
        return holding(copy).resolve(copy);
    }

    /** The folder that a copy lies in. */
    Path holding(String copy) {
        return copies.resolve(copy.substring(0, 2)).resolve(copy.substring(2, 4));
    }

    /**
     * Makes the folders for a copy.
     *
     * @return the parents that must be synced before the copy is durable
     */
    List<Path> make(String copy) throws IOException {
        Path upper = copies.resolve(copy.substring(0, 2));
        Path lower = upper.resolve(copy.substring(2, 4));
        boolean known = isDurable(copy);
        List<Path> parents = new ArrayList<>(2);
        if (makeOne(upper) || !known) {
            parents.add(copies);
        }
        if (makeOne(lower) || !known) {
            parents.add(upper);
        }
        return parents;
    }

    private static boolean makeOne(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return false;
        }
        try {
            Files.createDirectory(folder);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Remembers that the folders of a copy, and the parents that {@link #make} named, have been synced. */
    void synced(String copy) {
        synchronized (durable) {
            durable.set(number(copy));
        }
    }

    private boolean isDurable(String copy) {
        synchronized (durable) {
            return durable.get(number(copy));
        }
    }

    private static int number(String copy) {
        return Integer.parseInt(copy.substring(0, 4), 16);
    }

    /** Makes the entries of a folder durable. */
    static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
