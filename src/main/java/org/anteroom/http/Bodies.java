package org.anteroom.http;

import java.io.Closeable;
import java.io.IOException;

/** What bodies have in common. */
final class Bodies {
    private Bodies() {}

    /** Closes what was only read from. */
    static void close(Closeable source) {
        try {
            source.close();
        } catch (IOException e) {
            // nothing was written through it, and all that was wanted has been read
        }
    }
}
