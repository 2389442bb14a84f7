package org.anteroom.archive.bagit;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An index that is not there any more, not whole, or damaged: it is to be made again. */
final class LostIndexException extends IOException {
    private static final long serialVersionUID = 1L;

    LostIndexException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
