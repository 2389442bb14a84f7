package org.anteroom.http;

import org.jspecify.annotations.Nullable;

/** Reads {@code Accept} fields (RFC 9110, section 12.5.1) for the few choices that there are. */
final class Accept {
    private Accept() {}

    /** Whether a client would rather have HTML than JSON; with no preference it gets JSON. */
    static boolean prefersHtml(@Nullable String field) {
        if (field == null) {
            return false;
        }
        int json = Math.max(quality(field, "application/json"), quality(field, "application/problem+json"));
        return quality(field, "text/html") > json;
    }

    /** Whether a client would rather have JSON than HTML; with no preference it gets HTML. */
    static boolean prefersJson(@Nullable String field) {
        return field != null && quality(field, "application/json") > quality(field, "text/html");
    }

    /**
     * How much a media type is wanted, from 0 to 1000: the weight of the most specific range that fits it; 0 if none does.
     *
     * @param type the type in lower case, without parameters
     */
    static int quality(String field, String type) {
        int best = 0;
        int quality = 0;
        for (String element : field.split(",", -1)) {
            String[] parts = element.split(";", -1);
            int specific = specificity(parts[0].strip(), type);
            if (specific > best) {
                best = specific;
                quality = weight(parts);
            }
        }
        return quality;
    }

    private static int specificity(String range, String type) {
        if (range.equalsIgnoreCase(type)) {
            return 3;
        }
        int slash = type.indexOf('/') + 1;
        if (range.length() == slash + 1 && range.endsWith("*") && range.regionMatches(true, 0, type, 0, slash)) {
            return 2;
        }
        return range.equals("*/*") ? 1 : 0;
    }

    private static int weight(String[] parts) {
        for (int i = 1; i < parts.length; i++) {
            String part = parts[i].strip();
            if (part.regionMatches(true, 0, "q=", 0, 2)) {
                try {
                    return (int) (1000 * Math.max(0, Math.min(1, Float.parseFloat(part.substring(2)))));
                } catch (NumberFormatException e) {
                    return 0;
                }
            }
        }
        return 1000;
    }
}
