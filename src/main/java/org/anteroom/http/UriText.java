package org.anteroom.http;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The writing of URI references (RFC 3986). */
final class UriText {
    private static final String UNRESERVED_MARKS = "-._~";
    /** What a path, and a query besides, may hold beyond the unreserved characters. */
    private static final String RESERVED = "!$&'()*+,;=:@/?";

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private UriText() {}

    /** A name as a segment of a path or a value in a query: all but the unreserved characters is percent-encoded. */
    static String encode(String name) {
        StringBuilder out = new StringBuilder(name.length() + 16);
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (isUnreserved(c)) {
                out.append(c);
            } else {
                out.append('%').append(HEX.toHexDigits(b));
            }
        }
        return out.toString();
    }

    /**
     * A piece of a raw path or query that a client sent, made fit for a URI: what it has encoded stays so, and so is encoded
     * what a URI does not permit, though containers may let it pass.
     */
    static String fit(String raw) {
        StringBuilder out = new StringBuilder(raw.length() + 16);
        for (byte b : raw.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (isUnreserved(c) || c == '%' || RESERVED.indexOf(c) >= 0) {
                out.append(c);
            } else {
                out.append('%').append(HEX.toHexDigits(b));
            }
        }
        return out.toString();
    }

    private static boolean isUnreserved(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || UNRESERVED_MARKS.indexOf(c) >= 0;
    }
}
