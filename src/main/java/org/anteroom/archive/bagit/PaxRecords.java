package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a tar file says of the next file in an extended header (POSIX.1-2001, pax). */
final class PaxRecords {
    static final PaxRecords NONE = new PaxRecords(Map.of());

    private static final String SPARSE = "GNU.sparse.";
    private static final Pattern TIME = Pattern.compile("-?\\d{1,15}(\\.\\d{1,30})?");

    private final Map<String, String> values;

    private PaxRecords(Map<String, String> values) {
        this.values = values;
    }

    /** Reads records of the form {@code LENGTH KEYWORD=VALUE\n}. */
    static PaxRecords parse(ByteBuffer bytes) throws IOException {
        Map<String, String> values = new HashMap<>();
        int at = 0;
        while (at < bytes.limit()) {
            int space = find(bytes, at, ' ');
            int length = length(bytes, at, space);
            if (length <= space - at + 1 || length > bytes.limit() - at || bytes.get(at + length - 1) != '\n') {
                throw malformed();
            }
            int equals = find(bytes, space + 1, '=');
            if (equals > at + length) {
                throw malformed();
            }
            String key = ZipNames.utf8(bytes.slice(space + 1, equals - space - 1));
            String value = ZipNames.utf8(bytes.slice(equals + 1, at + length - 1 - equals - 1));
            if (key != null) {
                // what is no text is no name either
                values.put(key, value == null ? "" : value);
            }
            at += length;
        }
        return new PaxRecords(values);
    }

    private static int find(ByteBuffer bytes, int from, char wanted) throws IOException {
        for (int i = from; i < bytes.limit(); i++) {
            if (bytes.get(i) == wanted) {
                return i;
            }
        }
        throw malformed();
    }

    private static int length(ByteBuffer bytes, int from, int to) throws IOException {
        byte[] digits = new byte[to - from];
        bytes.slice(from, to - from).get(digits);
        try {
            return Integer.parseInt(new String(digits, US_ASCII));
        } catch (NumberFormatException e) {
            throw malformed();
        }
    }

    private static IOException malformed() {
        return Damage.bag("an extended header that is none");
    }

    @Nullable
    String get(String key) {
        return values.get(key);
    }

    boolean isSparse() {
        return values.keySet().stream().anyMatch(key -> key.startsWith(SPARSE));
    }

    /** A time in seconds with a fraction; null if it is not told, or not as that. */
    @Nullable
    Instant time(String key) {
        String text = values.get(key);
        if (text == null || !TIME.matcher(text).matches()) {
            return null;
        }
        BigDecimal seconds = new BigDecimal(text);
        long whole = seconds.setScale(0, RoundingMode.FLOOR).longValueExact();
        long nanos =
                seconds.subtract(BigDecimal.valueOf(whole)).movePointRight(9).longValue();
        return Instant.ofEpochSecond(whole, nanos);
    }
}
