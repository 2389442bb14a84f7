package org.anteroom.config;

/** A text that is no value of its type; the message says what is wrong and what would be right. */
final class BadValueException extends Exception {
    private static final long serialVersionUID = 1L;

    BadValueException(String message) {
        super(message);
    }
}
