package org.anteroom.inventory;

import org.jspecify.annotations.Nullable;

/** Literal prefixes as ranges of keys that are ordered by code points, as UTF-8 orders them. */
final class Prefixes {

    private Prefixes() {}

    /** The least text that is greater than all that begins with the prefix; null if there is none. */
    static @Nullable String end(String prefix) {
        int length = prefix.length();
        while (length > 0) {
            int last = prefix.codePointBefore(length);
            length -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                // surrogates are no characters and stand in no text
                int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
                return prefix.substring(0, length) + Character.toString(next);
            }
        }
        return null;
    }
}
