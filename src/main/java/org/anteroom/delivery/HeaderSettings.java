package org.anteroom.delivery;

import java.util.Map;

/**
 * What the configuration says of the headers of files.
 *
 * @param cacheControl the {@code Cache-Control} of files and of what is not modified; printable ASCII, not empty
 * @param contentTypes media types by suffix in lower case, before those that are known already
 */
public record HeaderSettings(String cacheControl, Map<String, String> contentTypes) {

    /** Checks what a field can carry, and copies the map. */
    public HeaderSettings {
        contentTypes = Map.copyOf(contentTypes);
        require(cacheControl);
        contentTypes.values().forEach(HeaderSettings::require);
    }

    private static void require(String value) {
        if (value.isBlank() || !value.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
            throw new IllegalArgumentException("no value of a header: " + value);
        }
    }
}
