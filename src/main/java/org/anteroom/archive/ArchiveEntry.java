package org.anteroom.archive;

import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;

/**
 * What lies in a folder of the archive: a file or a folder.
 *
 * @param name its name in the folder, as in the path of a {@link org.anteroom.model.FileKey}
 * @param facts what there is to say of a file, the same as {@link Archive#head} says; null for a folder
 */
public record ArchiveEntry(String name, @Nullable FileFacts facts) {

    /** Whether it is a folder. */
    public boolean isFolder() {
        return facts == null;
    }

    /**
     * What places it among the others: its name, that of a folder with a slash at its end. So a file and a folder of one
     * name, as object stores can hold, are told apart, and the order is the one in which those list their keys.
     */
    public String key() {
        return isFolder() ? name + '/' : name;
    }

    /** The order of keys: that of their bytes in UTF-8, which is the order of their code points. */
    public static int compareKeys(String a, String b) {
        int common = Math.min(a.length(), b.length());
        for (int i = 0; i < common; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                // halves of surrogate pairs stand for code points past all single characters
                boolean pairs = Character.isSurrogate(x);
                return pairs == Character.isSurrogate(y) ? x - y : pairs ? 1 : -1;
            }
        }
        return a.length() - b.length();
    }
}
