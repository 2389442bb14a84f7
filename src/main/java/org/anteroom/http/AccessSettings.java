package org.anteroom.http;

/**
 * Who may read what needs no operator.
 *
 * @param files the files and listings under {@code /files}
 * @param health the pages under {@code /health}
 * @param metrics the page {@code /metrics}
 */
public record AccessSettings(Access files, Access health, Access metrics) {

    /** Who may read. */
    public enum Access {
        /** Everybody. */
        OPEN,
        /** Who has logged in with the role {@code anteroom-viewer} or {@code anteroom-operator}. */
        VIEWER
    }
}
