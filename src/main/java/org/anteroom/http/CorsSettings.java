package org.anteroom.http;

import java.util.Set;

/**
 * Whose scripts may read files and listings in a browser (Fetch standard, section 3.2).
 *
 * @param any whether everybody's
 * @param origins the origins whose may, as browsers write them, such as {@code https://example.org}; empty where any may
 */
public record CorsSettings(boolean any, Set<String> origins) {
    /** Nobody's. */
    public static final CorsSettings NONE = new CorsSettings(false, Set.of());

    /** Everybody's. */
    public static final CorsSettings ANY = new CorsSettings(true, Set.of());

    /** Copies the set. */
    public CorsSettings {
        origins = Set.copyOf(origins);
        if (any && !origins.isEmpty()) {
            throw new IllegalArgumentException("any origin and some");
        }
    }

    /** Whether there are any. */
    boolean isOn() {
        return any || !origins.isEmpty();
    }
}
