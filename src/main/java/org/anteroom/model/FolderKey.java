package org.anteroom.model;

import org.jspecify.annotations.Nullable;

/**
 * A folder of a dataset, or its root.
 *
 * @param dataset the dataset's id, as in {@link FileKey}
 * @param path the path inside the dataset without a slash at its end, as in {@link FileKey}; empty for the root
 * @param version the version, or null for the newest
 */
public record FolderKey(
        String dataset, String path, @Nullable String version) {

    /** Checks what the record promises. */
    public FolderKey {
        FileKey.check(dataset, version);
        if (!path.isEmpty()) {
            FileKey.checkPath(path);
        }
    }

    /** What the objids of the files in it begin with. */
    public String prefix() {
        String inRoot = new FileKey(dataset, "-", version).objid();
        String root = inRoot.substring(0, inRoot.length() - 1);
        return path.isEmpty() ? root : root + path + '/';
    }

    /** The folder that a file's key would name if it were one. */
    public static FolderKey of(FileKey key) {
        return new FolderKey(key.dataset(), key.path(), key.version());
    }

    /**
     * The key of a file in this folder.
     *
     * @throws IllegalArgumentException if no file can have that name
     */
    public FileKey file(String name) {
        return new FileKey(dataset, path.isEmpty() ? name : path + '/' + name, version);
    }
}
