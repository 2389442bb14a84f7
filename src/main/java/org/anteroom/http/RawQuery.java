package org.anteroom.http;

import org.anteroom.model.FailureException;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a file's address; others are ignored.
 *
 * @param version the value of {@code version}, or null if it is absent or empty
 * @param inline whether {@code disposition} is {@code inline}
 */
public record RawQuery(@Nullable String version, boolean inline) {
    private static final RawQuery NONE = new RawQuery(null, false);

    /**
     * Reads a query, decoded as a form is.
     *
     * @throws FailureException MALFORMED if a parameter that counts is there twice, or has an impossible value
     */
    static RawQuery parse(@Nullable String raw) throws FailureException {
        if (raw == null || raw.isEmpty()) {
            return NONE;
        }
        String version = value(raw, "version");
        String disposition = value(raw, "disposition");
        if (disposition != null && !disposition.equals("inline") && !disposition.equals("attachment")) {
            throw RawPath.malformed("The disposition is inline or attachment.");
        }
        return new RawQuery(version == null || version.isEmpty() ? null : version, "inline".equals(disposition));
    }

    /**
     * The value of a parameter, decoded as a form is, or null if it is absent.
     *
     * @param raw the undecoded query
     * @throws FailureException MALFORMED if it is there twice or cannot be decoded
     */
    public static @Nullable String value(String raw, String name) throws FailureException {
        String value = null;
        int start = 0;
        while (start <= raw.length()) {
            int ampersand = raw.indexOf('&', start);
            int end = ampersand < 0 ? raw.length() : ampersand;
            int equals = start + name.length();
            if (equals < end && raw.startsWith(name, start) && raw.charAt(equals) == '=') {
                if (value != null) {
                    throw RawPath.malformed("The parameter " + name + " is there twice.");
                }
                value = RawPath.decode(raw, equals + 1, end, true);
            }
            start = end + 1;
        }
        return value;
    }
}
