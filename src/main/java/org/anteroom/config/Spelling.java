package org.anteroom.config;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** What a mistyped word was meant to be. */
final class Spelling {

    private Spelling() {}

    /** The candidate with the fewest letters to change, if a quarter of them at most are to be changed. */
    static Optional<String> closest(String word, Collection<String> candidates) {
        int least = Math.max(2, word.length() / 4) + 1;
        String closest = null;
        for (String candidate : candidates) {
            int distance = distance(word.toLowerCase(Locale.ROOT), candidate);
            if (distance < least) {
                least = distance;
                closest = candidate;
            }
        }
        return Optional.ofNullable(closest);
    }

    /** Levenshtein's distance, one row of the matrix at a time. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
