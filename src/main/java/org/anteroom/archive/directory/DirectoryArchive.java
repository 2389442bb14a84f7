package org.anteroom.archive.directory;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.FolderPage;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;

/**
 * The archive that is a directory tree: ROOT/encode(dataset)/path.
 *
 * <p>Its files have no versions and no checksums; size and modification time to the nanosecond make the entity tag.
 * Symbolic links are followed as long as what they lead to lies inside the root. Only regular files are files: anything
 * else is not even opened (a named pipe would block).
 *
 * <p>A root that is missing, unreadable or empty is taken for a disk that is not mounted: then nothing is "not found",
 * the archive has failed.
 */
public final class DirectoryArchive implements Archive {
    /** Linux's PATH_MAX, in bytes: what is longer cannot be there. */
    private static final int LONGEST_PATH = 4095;

    private final Path root;
    private final Disk disk;
    private final Absence absence;

    /** An archive at a folder that may be away; nothing is touched. */
    public DirectoryArchive(Path root) {
        this(root, new Disk());
    }

    /** The same on a disk that may do as a test likes. */
    DirectoryArchive(Path root, Disk disk) {
        this.root = root.toAbsolutePath().normalize();
        this.disk = disk;
        this.absence = new Absence(disk);
    }

    @Override
    public FileFacts head(FileKey key) throws IOException {
        return locate(key).facts();
    }

    @Override
    public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
        if (offset < 0 || offset > expected.size()) {
            throw new IllegalArgumentException("offset " + offset + " of " + expected.size());
        }
        Found found = locate(key);
        if (!found.facts().sameContent(expected)) {
            throw changed();
        }
        FileChannel channel;
        try {
            channel = FileChannel.open(found.path(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw failure(found.path(), e, "file");
        }
        try {
            // what lies on the way may have been exchanged for a link between the look and the opening
            if (!found.equals(locate(key)) || channel.size() != found.facts().size()) {
                throw changed();
            }
            return new FileStream(
                    channel.position(offset), offset, found.facts().size(), () -> isStill(key, found));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public FolderPage list(FolderKey key, String after, int limit) throws IOException {
        Path path = path(key.dataset(), key.path());
        try {
            Path folder = key.version() == null ? disk.real(path) : null;
            Path realRoot = disk.real(root);
            if (folder == null
                    || !folder.startsWith(realRoot)
                    || !disk.attributes(folder).isDirectory()) {
                throw noFolder();
            }
            if (limit > 0) {
                return new FolderReader(disk, absence, root, realRoot, path, folder).page(after, limit);
            }
            // one that is there and cannot be read is not told of as one that can
            disk.entries(folder).close();
            return new FolderPage(List.of(), false);
        } catch (FailureException e) {
            throw e;
        } catch (IOException e) {
            FailureException failure = failure(path, e, "folder");
            throw failure.reason() == FailureReason.NOT_FOUND ? noFolder() : failure;
        }
    }

    private boolean isStill(FileKey key, Found found) throws IOException {
        try {
            return found.equals(locate(key));
        } catch (FailureException e) {
            if (e.reason() == FailureReason.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public void probe() throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
            if (!entries.iterator().hasNext()) {
                throw new FailureException(
                        FailureReason.ARCHIVE_FAILED, "The archive is empty; it may not be mounted.");
            }
        } catch (FailureException e) {
            throw e;
        } catch (DirectoryIteratorException | IOException e) {
            throw new FailureException(FailureReason.ARCHIVE_FAILED, "The archive is not there.", e);
        }
    }

    /**
     * A file as it was found.
     *
     * @param path where it really lies, without links
     * @param identity what the file system knows it by
     */
    private record Found(Path path, String identity, FileFacts facts) {}

    private Found locate(FileKey key) throws FailureException {
        if (key.version() != null) {
            throw notFound();
        }
        Path path = path(key.dataset(), key.path());
        try {
            Path real = disk.real(path);
            if (!real.startsWith(disk.real(root))) {
                throw notFound();
            }
            BasicFileAttributes attributes = disk.attributes(real);
            if (!attributes.isRegularFile()) {
                throw notFound();
            }
            return new Found(real, String.valueOf(attributes.fileKey()), facts(attributes));
        } catch (FailureException e) {
            throw e;
        } catch (IOException e) {
            throw failure(path, e, "file");
        }
    }

    private Path path(String dataset, String inside) throws FailureException {
        Path relative;
        try {
            relative = Path.of(FileKey.encode(dataset), inside);
        } catch (InvalidPathException e) {
            throw notFound();
        }
        for (Path name : relative) {
            if (Absence.isTooLong(name)) {
                throw notFound();
            }
        }
        Path path = root.resolve(relative);
        if (path.toString().getBytes(UTF_8).length > LONGEST_PATH) {
            throw notFound();
        }
        return path;
    }

    static FileFacts facts(BasicFileAttributes attributes) {
        Instant modified = attributes.lastModifiedTime().toInstant();
        String tag = "\"" + Long.toHexString(attributes.size()) + "-" + Long.toHexString(modified.getEpochSecond())
                + "-" + Integer.toHexString(modified.getNano()) + "\"";
        return new FileFacts(attributes.size(), modified, tag, null, null);
    }

    /** Whether a file or folder that could not be reached is not there, or cannot be told. */
    private FailureException failure(Path path, IOException e, String what) throws FailureException {
        if (absence.isProvedBy(e, path)) {
            try {
                probe();
            } catch (FailureException away) {
                throw away;
            } catch (IOException away) {
                return new FailureException(FailureReason.ARCHIVE_FAILED, "The archive is not there.", away);
            }
            return notFound();
        }
        return new FailureException(FailureReason.ARCHIVE_FAILED, "The archive cannot read the " + what + ".", e);
    }

    private static FailureException notFound() {
        return new FailureException(FailureReason.NOT_FOUND, "The archive has no such file.");
    }

    private static FailureException noFolder() {
        return new FailureException(FailureReason.NOT_FOUND, "The archive has no such folder.");
    }

    private static FailureException changed() {
        return new FailureException(
                FailureReason.FILE_CHANGED, "The file has changed in the archive; ask again for the new one.");
    }
}
