package org.anteroom.archive.directory;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** What is asked of the disk about names; not final, since disks that fail are rare, and tests need one. */
class Disk {

    /** The path without links; all of it must be there. */
    Path real(Path path) throws IOException {
        return path.toRealPath();
    }

    /** What is at a path; a link itself, if it is one. */
    BasicFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** Where a link leads, as it is written. */
    Path target(Path link) throws IOException {
        return Files.readSymbolicLink(link);
    }

    /** What lies in a folder; to be closed. */
    @SuppressWarnings("StreamResourceLeak") // it is the caller's
    DirectoryStream<Path> entries(Path folder) throws IOException {
        return Files.newDirectoryStream(folder);
    }
}
