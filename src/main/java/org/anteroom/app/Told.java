package org.anteroom.app;

import java.util.HashSet;
import java.util.Set;

/**
 * What the log has been told, of work that is tried again and again and fails in the same way. Texts that differ in
 * numbers alone, such as milliseconds or ports, are the same. Used by one thread at a time.
 */
final class Told {
    /** More different failures than an operator reads; past it nothing is news. */
    private static final int MOST = 32;

    private final Set<String> texts = new HashSet<>();

    /** Whether that is told for the first time. */
    boolean first(String text) {
        return texts.size() < MOST && texts.add(text.replaceAll("[0-9]+", "#"));
    }
}
