package org.anteroom.it;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.testing.RawHttp;
import org.jspecify.annotations.Nullable;

/**
 * A {@code multipart/byteranges} answer, read strictly: nothing but parts with their two header fields, a content of the
 * length that Content-Range says, and the closing line.
 */
record Multiparts(String boundary, List<Part> parts) {
    private static final Pattern TYPE =
            Pattern.compile("multipart/byteranges; ?boundary=([0-9A-Za-z'()+_,./:=? -]{1,70})");
    private static final Pattern HEADER = Pattern.compile(
            "Content-Type: (?<type>[^\\r\\n]+)\\r\\nContent-Range: bytes (?<first>\\d+)-(?<last>\\d+)/(?<size>\\d+)\\r\\n\\r\\n");

    /** One part; its content in ISO-8859-1, a character for a byte. */
    record Part(String contentType, int first, int last, int size, String content) {
        /** The range as it is written in a field. */
        String range() {
            return first + "-" + last;
        }
    }

    /** Reads an answer; null if it is none of several parts. */
    static @Nullable Multiparts of(RawHttp.Response response) {
        Matcher type = TYPE.matcher(response.header("Content-Type").orElse(""));
        if (response.status() != 206 || !type.matches()) {
            return null;
        }
        String body = new String(response.body(), StandardCharsets.ISO_8859_1);
        String boundary = type.group(1);
        String delimiter = "--" + boundary + "\r\n";
        List<Part> parts = new ArrayList<>();
        int at = 0;
        while (body.startsWith(delimiter, at)) {
            Matcher header = HEADER.matcher(body).region(at + delimiter.length(), body.length());
            if (!header.lookingAt()) {
                throw new AssertionError("no header of a part at " + at);
            }
            int first = Integer.parseInt(header.group("first"));
            int last = Integer.parseInt(header.group("last"));
            int end = header.end() + last - first + 1;
            parts.add(new Part(
                    header.group("type"),
                    first,
                    last,
                    Integer.parseInt(header.group("size")),
                    body.substring(header.end(), end)));
            if (!body.startsWith("\r\n", end)) {
                throw new AssertionError("no line end behind the part " + first + "-" + last);
            }
            at = end + 2;
        }
        if (!body.substring(at).equals("--" + boundary + "--\r\n")) {
            throw new AssertionError("no closing line at " + at + " of " + body.length());
        }
        return new Multiparts(boundary, List.copyOf(parts));
    }
}
