package org.anteroom.archive.bagit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a file of known size in a bag, from some position on. */
interface Content extends Closeable {

    /** Reads some; called only while there are some left. */
    int read(ByteBuffer target) throws IOException;

    /** Looks, after the last byte, whether that was the end. */
    void finish() throws IOException;
}
