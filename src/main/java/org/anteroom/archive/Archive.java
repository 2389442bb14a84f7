package org.anteroom.archive;

import java.io.IOException;
import java.util.Optional;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;

/**
 * Long-term storage: slow, complete, the truth. It is only read.
 *
 * <p>All methods may block for as long as the storage likes; {@link ArchiveGate} bounds how many do so and how long
 * anyone waits. Failures are {@link FailureException} with NOT_FOUND, ARCHIVE_FAILED, ARCHIVE_REFUSED,
 * ARCHIVE_TIMEOUT, OVERLOADED, FILE_CHANGED or WRONG_BYTES; any other IOException counts as ARCHIVE_FAILED.
 */
public interface Archive {

    /** What there is to say of a file, without reading it. */
    FileFacts head(FileKey key) throws IOException;

    /**
     * Opens a file's bytes.
     *
     * @param expected the facts that the reader goes by; if the file is no longer that one, the failure is FILE_CHANGED
     * @param offset the position to begin at, from 0 to the size
     */
    ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException;

    /**
     * What there is to say of a file, with its bytes from the beginning: for archives where head and open are a question
     * each, and one would do.
     *
     * @return null if {@link #head} and {@link #open} cost no more
     */
    default @Nullable OpenedFile openNew(FileKey key) throws IOException {
        return null;
    }

    /**
     * Whether {@link #open} comes to an offset without reading all that lies before it, as far as that is known. Never
     * blocks.
     */
    default boolean canSeek(FileKey key, FileFacts facts) {
        return true;
    }

    /**
     * What lies in a folder, a page at a time in the order of {@link ArchiveEntry#compareKeys}, holding no more than a
     * page in memory however much lies there.
     *
     * <p>Every entry can be asked for by its name. What has a name that is no UTF-8 or has control characters, what is
     * neither a file nor a folder, and what lies outside of the archive is left out.
     *
     * @param after the {@link ArchiveEntry#key()} to go on after, or the empty string
     * @param limit the most entries; 0 asks no more than whether there is such a folder
     * @throws FailureException NOT_FOUND if there is no such folder; NOT_LISTED if this kind of archive cannot list
     */
    default FolderPage list(FolderKey folder, String after, int limit) throws IOException {
        throw new FailureException(
                FailureReason.NOT_LISTED, "This archive lists no folders; its files can be asked for by their names.");
    }

    /** Whether datasets may have versions here. Never blocks, and is always the same. */
    default boolean hasVersions() {
        return false;
    }

    /**
     * A version as keys name it: the same for all spellings of one version, so that no file has two keys. It follows from
     * the text alone, so that copies are found while the archive is away. Never blocks.
     *
     * @param text as somebody wrote it; what cannot be a version here is returned as it is, and names nothing
     */
    default String canonicalVersion(String text) {
        return text;
    }

    /**
     * Whether what is read of a file from its start is compared with a checksum before its end, though the facts have none:
     * then it is not to be gone on with elsewhere. Never blocks.
     */
    default boolean verifies(FileFacts facts) {
        return false;
    }

    /**
     * The newest version of a dataset, as {@link FileKey#version} names it.
     *
     * @return empty if its files have no versions
     * @throws FailureException NOT_FOUND if there is no such dataset; an archive without versions need not look
     */
    default Optional<String> newest(String dataset) throws IOException {
        return Optional.empty();
    }

    /** Whether the archive answers: returns when it does, throws when it does not. Cheap; called every few seconds. */
    void probe() throws IOException;

    /** Gives back what it holds, such as connections; no call is made after. Calls that run may fail. Does not block. */
    default void close() {}
}
