package org.anteroom.volume;

import java.io.IOException;

/** A volume is degraded and was not asked, or could not prove its identity. Says nothing about the copy. */
public final class VolumeDegradedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** A refusal by the named volume, with the reason of its health. */
    public VolumeDegradedException(String volume, String reason) {
        super("volume " + volume + " is degraded: " + reason);
    }
}
