package org.anteroom.volume;

import java.io.IOException;

/** All permits of a volume are taken: its readers go on from elsewhere. Says nothing about the copy. */
public final class VolumeBusyException extends IOException {
    private static final long serialVersionUID = 1L;

    /** A refusal by the named volume. */
    public VolumeBusyException(String volume) {
        super("volume " + volume + " has no permit free");
    }
}
