package org.anteroom.archive.bagit;

import java.nio.file.Path;

/**
 * A bag as it was found on the disk.
 *
 * @param path where it really lies, without links
 * @param identity tells it from any other bag, and from itself with other tag files (of a folder) or bytes (of a file)
 */
record Bag(BagName name, Path path, String identity) {
    boolean isFolder() {
        return name.form() == BagName.Form.FOLDER;
    }
}
