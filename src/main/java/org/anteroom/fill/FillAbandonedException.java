package org.anteroom.fill;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A fill ended early through no fault of the archive: its readers can go on from there. */
public final class FillAbandonedException extends IOException {
    private static final long serialVersionUID = 1L;

    FillAbandonedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
