package org.anteroom.delivery;

import org.jspecify.annotations.Nullable;

/**
 * A {@code Want-Repr-Digest} field (RFC 9530, section 4): a dictionary of structured fields (RFC 9651, section 3.2) whose
 * members are algorithms with a preference from 0 to 10; 0 means "not acceptable".
 *
 * <p>SHA-256 is the only algorithm here, so the field decides one thing: whether the client refuses it. A field that asks
 * only for others gets it all the same, as the RFC permits (appendix C.2): who does not know it overlooks it. A field that
 * breaks the grammar, or gives a preference that is none, is ignored.
 */
final class WantDigest {
    private static final String ALGORITHM = "sha-256";
    private static final int MOST = 10;
    private static final int MALFORMED = -1;

    private final String field;
    private int at;

    private WantDigest(String field) {
        this.field = field;
    }

    /** Whether the field refuses SHA-256. */
    static boolean refusesSha256(@Nullable String field) {
        return field != null && new WantDigest(field).preference() == 0;
    }

    /** The preference for SHA-256: the last one given; 1 if there is none; {@link #MALFORMED}. */
    private int preference() {
        int preference = 1;
        skip(" ");
        while (at < field.length()) {
            int start = at;
            if (!key()) {
                return MALFORMED;
            }
            String key = field.substring(start, at);
            int value = value();
            if (value == MALFORMED || !parameters()) {
                return MALFORMED;
            }
            if (key.equals(ALGORITHM)) {
                preference = value;
            }
            skip(" \t");
            if (at < field.length()) {
                if (field.charAt(at++) != ',') {
                    return MALFORMED;
                }
                skip(" \t");
                if (at == field.length()) {
                    return MALFORMED;
                }
            }
        }
        return preference;
    }

    private boolean key() {
        int start = at;
        while (at < field.length() && isKeyChar(field.charAt(at), at == start)) {
            at++;
        }
        return at > start;
    }

    private static boolean isKeyChar(char c, boolean first) {
        return (c >= 'a' && c <= 'z')
                || c == '*'
                || (!first && ((c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.'));
    }

    /** An equals sign and an integer from 0 to 10; leading zeros and a minus before zero are integers, too. */
    private int value() {
        if (!take('=')) {
            return MALFORMED;
        }
        boolean negative = take('-');
        int value = 0;
        int start = at;
        while (at < field.length() && field.charAt(at) >= '0' && field.charAt(at) <= '9' && at - start < 15) {
            value = Math.min(value * 10 + field.charAt(at++) - '0', MOST + 1);
        }
        return at == start || value > MOST || (negative && value > 0) ? MALFORMED : value;
    }

    /** Parameters mean nothing here, but belong to the grammar: each a key, and perhaps a value, which is not looked into. */
    private boolean parameters() {
        while (take(';')) {
            skip(" ");
            if (!key()) {
                return false;
            }
            if (take('=') && !(take('"') ? quoted() : bare())) {
                return false;
            }
        }
        return true;
    }

    private boolean quoted() {
        while (at < field.length()) {
            char c = field.charAt(at++);
            if (c == '"') {
                return true;
            }
            if (c == '\\') {
                at++;
            }
        }
        return false;
    }

    private boolean bare() {
        int start = at;
        while (at < field.length() && " \t,;\"".indexOf(field.charAt(at)) < 0) {
            at++;
        }
        return at > start;
    }

    private boolean take(char c) {
        boolean there = at < field.length() && field.charAt(at) == c;
        if (there) {
            at++;
        }
        return there;
    }

    private void skip(String blanks) {
        while (at < field.length() && blanks.indexOf(field.charAt(at)) >= 0) {
            at++;
        }
    }
}
