package org.anteroom.app;

/** What stops the start. The message is for the operator: what is wrong, and what would be right. */
final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    StartException(String message) {
        super(message);
    }
}
