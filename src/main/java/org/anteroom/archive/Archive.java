package org.anteroom.archive;

import java.io.IOException;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;

/**
 * Long-term storage: slow, complete, the truth. It is only read.
 *
 * <p>All methods may block for as long as the storage likes; {@link ArchiveGate} bounds how many do so and how long
 * anyone waits. Failures are {@link org.anteroom.model.FailureException} with NOT_FOUND, ARCHIVE_FAILED, ARCHIVE_TIMEOUT
 * or WRONG_BYTES; any other IOException counts as ARCHIVE_FAILED.
 */
public interface Archive {

    /** What there is to say of a file, without reading it. */
    FileFacts head(FileKey key) throws IOException;

    /**
     * Opens a file's bytes.
     *
     * @param expected the facts that the reader goes by; if the file is no longer that one, the failure is WRONG_BYTES
     * @param offset the position to begin at, from 0 to the size
     */
    ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException;

    /** Whether the archive answers: returns when it does, throws when it does not. Cheap; called every few seconds. */
    void probe() throws IOException;
}
