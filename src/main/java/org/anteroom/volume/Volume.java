package org.anteroom.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * A place that holds copies: a directory, or the prefix of an object store.
 *
 * <p>Copies have random names that are never used twice, so that a stale name can be missing but never wrong. A copy is
 * whole or it does not exist: what a {@link CopyWriter} has not committed cannot be opened.
 *
 * <p>All methods may block on I/O and may be called by several threads.
 */
public interface Volume {

    /** The volume's name in the configuration. */
    String name();

    /**
     * Opens a copy.
     *
     * @param copy its name, 32 lower-case hexadecimal digits
     * @throws NoSuchCopyException if the volume says that there is no such copy
     * @throws IOException if it cannot tell, or cannot read
     */
    CopyReader open(String copy) throws IOException;

    /**
     * The same for who reads from a position on, which may save a question.
     *
     * @param position from 0; need not be one that the copy has
     */
    default CopyReader open(String copy, long position) throws IOException {
        return open(copy);
    }

    /**
     * Begins a copy under a temporary name.
     *
     * @param temporary the name while it is being written, {@code FILL.EPOCH}: two decimal numbers
     * @param copy its name once committed, 32 lower-case hexadecimal digits
     */
    CopyWriter create(String temporary, String copy) throws IOException;

    /** Removes a copy; whether it was there. */
    boolean delete(String copy) throws IOException;

    /** The identity that the volume carries, if it carries one. */
    Optional<String> readMarker() throws IOException;

    /**
     * Gives a volume without identity its identity; its place is created when that is missing.
     *
     * @throws IOException also if it has a marker already
     */
    void writeMarker(String marker) throws IOException;

    /** The temporary names that are there. */
    List<String> temporaries() throws IOException;

    /** Removes what is written under a temporary name; whether it was there. */
    boolean deleteTemporary(String temporary) throws IOException;

    /**
     * Names of copies in ascending order, for comparing the volume with the inventory.
     *
     * @param after the name to go on after, or the empty string
     * @param limit the most names to return
     */
    List<String> list(String after, int limit) throws IOException;

    /**
     * Writes a little and removes it: fails if copies could not be made now.
     *
     * @param temporary a temporary name that nobody uses
     * @param copy a name that no copy has
     */
    default void tryWriting(String temporary, String copy) throws IOException {
        try (CopyWriter writer = create(temporary, copy)) {
            writer.write(ByteBuffer.allocate(4096));
        }
    }

    /** Bytes that can still be written to what lies under the volume, or {@link Long#MAX_VALUE} where that is unknown. */
    long freeSpace() throws IOException;
}
