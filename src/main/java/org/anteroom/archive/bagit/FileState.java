package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;

/**
 * What a file system says of a file; the same as long as it is the same file with the same content.
 *
 * @param inode its number in the file system. Not the device's: that of a network file system differs after each mount
 */
record FileState(Kind kind, long size, Instant modified, long inode) {

    /** What lies there. */
    enum Kind {
        FILE,
        FOLDER,
        LINK,
        OTHER
    }

    /** What is at a path; a link itself, if it is one. */
    static FileState of(Path path) throws IOException {
        Map<String, Object> all = Files.readAttributes(
                path,
                "unix:isRegularFile,isDirectory,isSymbolicLink,size,lastModifiedTime,ino",
                LinkOption.NOFOLLOW_LINKS);
        Kind kind = is(all, "isRegularFile")
                ? Kind.FILE
                : is(all, "isDirectory") ? Kind.FOLDER : is(all, "isSymbolicLink") ? Kind.LINK : Kind.OTHER;
        return new FileState(
                kind, (long) value(all, "size"), ((FileTime) value(all, "lastModifiedTime")).toInstant(), (long)
                        value(all, "ino"));
    }

    private static boolean is(Map<String, Object> all, String name) {
        return (boolean) value(all, name);
    }

    private static Object value(Map<String, Object> all, String name) {
        Object value = all.get(name);
        if (value == null) {
            throw new IllegalStateException("no attribute " + name);
        }
        return value;
    }

    boolean isFile() {
        return kind == Kind.FILE;
    }

    boolean isFolder() {
        return kind == Kind.FOLDER;
    }

    /** Tells it from any other file, and from itself with other content. */
    String identity() {
        return size + "," + modified.getEpochSecond() + "." + modified.getNano() + "," + inode;
    }
}
