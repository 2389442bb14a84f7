package org.anteroom.archive.bagit;

import java.io.IOException;

/** Takes the files of a zip or tar file, one after the other, in the order in which they are told. */
interface MemberSink {

    /**
     * Takes a file.
     *
     * @param name as it is written; it may be anything, such as a path that leads out of the bag
     */
    void take(String name, Member member) throws IOException;

    /** Takes a hard link, which is the file that was last told under the target's name. */
    default void takeLink(String name, String target) throws IOException {
        throw new UnsupportedOperationException(name + " -> " + target);
    }
}
