package org.anteroom.config;

import java.util.List;

/** The end of a start whose configuration cannot be used; the message names every error in it and what would be right. */
public final class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * All errors in one text, numbered, one a line.
     *
     * @param source what was read, in words
     */
    ConfigurationException(String source, List<String> errors) {
        super(text(source, errors));
    }

    private static String text(String source, List<String> errors) {
        StringBuilder text = new StringBuilder("The configuration has ")
                .append(errors.size() == 1 ? "1 error" : errors.size() + " errors")
                .append(" (")
                .append(source)
                .append("):");
        for (int i = 0; i < errors.size(); i++) {
            text.append("\n  ").append(i + 1).append(". ").append(errors.get(i));
        }
        return text.toString();
    }
}
