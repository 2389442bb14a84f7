package org.anteroom.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * The decoding of a raw request path, segment by segment, once and strictly (RFC 3986, sections 2.1 and 3.3).
 *
 * <p>A raw semicolon is a character of the name: names hold it, and nothing here knows path parameters. What stands before
 * one is still checked as if it were a segment, since containers cut it off there and see {@code ..;} as {@code ..}.
 */
final class RawPath {
    private RawPath() {}

    /**
     * Decodes and checks one segment.
     *
     * @throws FailureException MALFORMED if it is empty, {@code .} or {@code ..}, in itself or before a semicolon, leads
     *     upwards by backslashes, has a control character, or is no UTF-8
     */
    static String segment(String raw, int from, int to) throws FailureException {
        String name = decode(raw, from, to, false);
        requireName(name);
        int semicolon = raw.indexOf(';', from);
        if (semicolon >= 0 && semicolon < to) {
            requireName(decode(raw, from, semicolon, false));
        }
        return name;
    }

    /** Checks all segments of a path that begins with a slash; the last one may be empty. */
    static void requireSegments(String raw) throws FailureException {
        int start = 1;
        while (start < raw.length()) {
            int end = segmentEnd(raw, start);
            segment(raw, start, end);
            start = end + 1;
        }
    }

    /** Where the segment that begins here ends. */
    static int segmentEnd(String raw, int start) {
        int slash = raw.indexOf('/', start);
        return slash < 0 ? raw.length() : slash;
    }

    private static void requireName(String name) throws FailureException {
        String flaw = flaw(name);
        if (flaw != null) {
            throw malformed(flaw);
        }
    }

    /** Whether a file of that name can be asked for, each of its characters being encoded as it needs. */
    static boolean reaches(String name) {
        return flaw(name) == null;
    }

    /**
     * What is wrong with a name that has a step that leads nowhere or upwards; null if it has none. A decoded slash parts
     * steps, as in an id; a backslash does, too, as far as {@code ..} is concerned, since some systems take it for one.
     */
    private static @Nullable String flaw(String name) {
        int start = 0;
        boolean afterSlash = true;
        for (int i = 0; i <= name.length(); i++) {
            char c = i == name.length() ? '/' : name.charAt(i);
            if (c != '/' && c != '\\') {
                continue;
            }
            int length = i - start;
            if (length == 2 && name.startsWith("..", start)) {
                return "The path has a .. segment.";
            }
            if (afterSlash && c == '/' && length == 0) {
                return "The path has an empty segment.";
            }
            if (afterSlash && c == '/' && length == 1 && name.charAt(start) == '.') {
                return "The path has a . segment.";
            }
            afterSlash = c == '/';
            start = i + 1;
        }
        return null;
    }

    /**
     * Decodes a piece of a raw path or query.
     *
     * @param form whether a plus sign stands for a space, as in the fields of a form
     */
    static String decode(String raw, int from, int to, boolean form) throws FailureException {
        boolean literal = true;
        for (int i = from; i < to; i++) {
            char c = raw.charAt(i);
            if (c <= 0x20 || c >= 0x7f) {
                throw malformed("The address has a character that must be percent-encoded.");
            }
            literal &= c != '%' && !(form && c == '+');
        }
        return literal ? raw.substring(from, to) : decodeEscapes(raw, from, to, form);
    }

    private static String decodeEscapes(String raw, int from, int to, boolean form) throws FailureException {
        byte[] bytes = new byte[to - from];
        int length = 0;
        for (int i = from; i < to; i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                int high = i + 2 < to ? Character.digit(raw.charAt(i + 1), 16) : -1;
                int low = i + 2 < to ? Character.digit(raw.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw malformed("The address has a % without two hexadecimal digits.");
                }
                bytes[length++] = (byte) (high << 4 | low);
                i += 2;
            } else {
                bytes[length++] = (byte) (form && c == '+' ? ' ' : c);
            }
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, length))
                    .toString();
            requireNoControls(text);
            return text;
        } catch (CharacterCodingException e) {
            throw new FailureException(FailureReason.MALFORMED, "The address is not UTF-8.", e);
        }
    }

    private static void requireNoControls(String text) throws FailureException {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                throw malformed("The address has a control character.");
            }
        }
    }

    static FailureException malformed(String message) {
        return new FailureException(FailureReason.MALFORMED, message);
    }
}
