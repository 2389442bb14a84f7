package org.anteroom.archive.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;

/**
 * The field Content-Range (RFC 9110, section 14.4).
 *
 * @param first the first byte's position; -1 where the range could not be satisfied
 * @param last the last byte's position, inclusive; -1 likewise
 * @param size of the whole file, or {@link FileFacts#UNKNOWN_SIZE}
 */
record ContentRange(long first, long last, long size) {
    private static final Pattern FORM = Pattern.compile(
            "bytes +(?:([0-9]{1,18})-([0-9]{1,18})|\\*)/(?:([0-9]{1,18})|\\*)", Pattern.CASE_INSENSITIVE);

    /** Reads one; null if it is none, or contradicts itself. */
    @Nullable
    static ContentRange parse(@Nullable String value) {
        Matcher matcher = FORM.matcher(value == null ? "" : value.strip());
        if (!matcher.matches()) {
            return null;
        }
        long size = matcher.group(3) == null ? FileFacts.UNKNOWN_SIZE : Long.parseLong(matcher.group(3));
        if (matcher.group(1) == null) {
            return size < 0 ? null : new ContentRange(-1, -1, size);
        }
        long first = Long.parseLong(matcher.group(1));
        long last = Long.parseLong(matcher.group(2));
        return last < first || (size >= 0 && last >= size) ? null : new ContentRange(first, last, size);
    }
}
