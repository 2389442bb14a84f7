package org.anteroom.delivery;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The {@code Content-Disposition} field of a file (RFC 6266): a {@code filename} that every client can read and, where
 * that is not the whole truth, a {@code filename*} in UTF-8 (RFC 8187).
 */
final class ContentDisposition {
    private static final String ATTACHMENT = "attachment";
    private static final String ATTR_CHARS = "!#$&+-.^_`|~";
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private ContentDisposition() {}

    /** The field for keeping a file. */
    static String attachment(String name) {
        StringBuilder field = new StringBuilder(ATTACHMENT.length() + name.length() + 16);
        field.append(ATTACHMENT).append("; filename=\"");
        boolean exact = appendAscii(name, field);
        field.append('"');
        if (!exact) {
            field.append("; filename*=UTF-8''");
            appendExtended(name, field);
        }
        return field.toString();
    }

    /** The field for looking at a file, from the one for keeping it. */
    static String inline(String attachment) {
        return "inline" + attachment.substring(ATTACHMENT.length());
    }

    /**
     * Replaces what a quoted string cannot hold, or clients read in different ways: quotes and backslashes, and percent
     * signs, which some decode (RFC 6266, appendix D).
     */
    private static boolean appendAscii(String name, StringBuilder field) {
        boolean exact = true;
        for (int i = 0; i < name.length(); ) {
            int c = name.codePointAt(i);
            i += Character.charCount(c);
            if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '%' || c == '/') {
                field.append('_');
                exact = false;
            } else {
                field.append((char) c);
            }
        }
        return exact;
    }

    private static void appendExtended(String name, StringBuilder field) {
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if ((c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || ATTR_CHARS.indexOf(c) >= 0) {
                field.append(c);
            } else {
                field.append('%').append(HEX.toHexDigits(b));
            }
        }
    }
}
