package org.anteroom.volume;

import java.io.IOException;

/** The volume says that there is no such copy. It is the only failure that can remove a row. */
public final class NoSuchCopyException extends IOException {
    private static final long serialVersionUID = 1L;

    /** A copy that is not there. */
    public NoSuchCopyException(String volume, String copy) {
        super("no copy " + copy + " in volume " + volume);
    }
}
