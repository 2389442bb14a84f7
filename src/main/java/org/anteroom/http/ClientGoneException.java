package org.anteroom.http;

import java.io.IOException;

/** A write failed because the client is gone. */
final class ClientGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    private final IOException cause;

    ClientGoneException(IOException cause) {
        super(cause);
        this.cause = cause;
    }

    /** What the container said. */
    IOException cause() {
        return cause;
    }
}
