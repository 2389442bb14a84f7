package org.anteroom.volume;

import java.io.IOException;

/**
 * All permits of a volume, or all our connections to it, are taken: its readers go on from elsewhere. Says nothing about the
 * copy, nor about the volume.
 */
public final class VolumeBusyException extends IOException {
    private static final long serialVersionUID = 1L;

    /** A refusal by the named volume. */
    public VolumeBusyException(String volume) {
        super("volume " + volume + " has no permit free");
    }

    /** A refusal for want of a connection to the named volume. */
    public VolumeBusyException(String volume, IOException cause) {
        super("volume " + volume + ": " + cause.getMessage(), cause);
    }
}
