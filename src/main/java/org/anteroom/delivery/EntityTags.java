package org.anteroom.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The entity tags of an {@code If-Match} or {@code If-None-Match} field (RFC 9110, sections 13.1.1 and 13.1.2), read in
 * place: nothing is allocated.
 *
 * <p>Quoted tags may hold commas and, more than the grammar allows, spaces, because an archive's own tag may. A field that
 * is no list of tags matches nothing: {@code If-Match} then fails, and {@code If-None-Match} lets the file be sent.
 */
final class EntityTags {
    private EntityTags() {}

    /**
     * Whether the field is {@code *} or names the tag by strong comparison (RFC 9110, section 8.8.3.2).
     *
     * @param etag the strong tag of the file with its quotes, or null when it has none
     */
    static boolean matchStrongly(String field, @Nullable String etag) {
        return match(field, etag, false);
    }

    /** Whether the field is {@code *} or names the tag by weak comparison. */
    static boolean matchWeakly(String field, @Nullable String etag) {
        return match(field, etag, true);
    }

    private static boolean match(String field, @Nullable String etag, boolean weakly) {
        int at = skipSpace(field, 0);
        if (at < field.length() && field.charAt(at) == '*') {
            return skipSpace(field, at + 1) == field.length();
        }
        boolean matched = false;
        while (at < field.length()) {
            if (field.charAt(at) == ',') {
                at = skipSpace(field, at + 1);
                continue;
            }
            boolean weak = field.startsWith("W/", at);
            int open = weak ? at + 2 : at;
            int close = open < field.length() && field.charAt(open) == '"' ? field.indexOf('"', open + 1) : -1;
            if (close < 0) {
                return false;
            }
            int length = close + 1 - open;
            if (etag != null && (weakly || !weak) && etag.length() == length) {
                matched |= field.regionMatches(open, etag, 0, length);
            }
            at = skipSpace(field, close + 1);
            if (at < field.length() && field.charAt(at) != ',') {
                return false;
            }
        }
        return matched;
    }

    private static int skipSpace(String field, int from) {
        int at = from;
        while (at < field.length() && (field.charAt(at) == ' ' || field.charAt(at) == '\t')) {
            at++;
        }
        return at;
    }
}
