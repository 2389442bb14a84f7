package org.anteroom.it;

import java.util.ArrayList;
import java.util.List;
import org.anteroom.testing.Samples;
import org.jspecify.annotations.Nullable;

/**
 * A random request and what is known of it.
 *
 * @param target the file that is asked for, or null where the request line is disfigured
 * @param fields the header lines beside Host
 * @param keepsAlive whether the connection is to be kept, unless the answer says otherwise
 */
record RandomRequest(String method, String line, @Nullable Target target, List<String> fields, boolean keepsAlive) {
    /** A file and its validators. */
    record Target(String path, int size, String etag, String modified) {}

    String text() {
        StringBuilder text = new StringBuilder(line).append("\r\nHost: localhost\r\n");
        fields.forEach(field -> text.append(field).append("\r\n"));
        return text.append("\r\n").toString();
    }

    /** All values of a field, joined; null if there is none. */
    @Nullable
    String field(String name) {
        List<String> values = fields.stream()
                .filter(field -> field.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .map(field -> trim(field.substring(name.length() + 1)))
                .toList();
        return values.isEmpty() ? null : String.join(", ", values);
    }

    /** The bytes of the text as a field's value, without the space around it. */
    static String trim(String text) {
        return text.replaceAll("^[ \t]+|[ \t]+$", "");
    }

    /** Whether no field has a control character, which a container may refuse. */
    boolean isClean() {
        return fields.stream().allMatch(field -> field.chars().allMatch(c -> c == '\t' || (c >= 0x20 && c != 0x7f)));
    }

    /** Makes requests from a seed. */
    static final class Generator {
        private final Samples samples;
        private final List<Target> targets;

        Generator(long seed, List<Target> targets) {
            this.samples = new Samples(seed);
            this.targets = targets;
        }

        RandomRequest next() {
            Target target = samples.oneOf(targets.toArray(Target[]::new));
            List<String> fields = fields(target);
            if (!samples.oneIn(5)) {
                String method = samples.oneOf("GET", "GET", "GET", "HEAD");
                return new RandomRequest(method, method + " " + target.path() + " HTTP/1.1", target, fields, true);
            }
            String method = samples.oneOf(
                    "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "BREW", "X");
            String version = samples.oneOf("1.1", "1.1", "1.1", "1.0", "1.2", "2.0", "9.9", "1", "1.10");
            String path = samples.flag() ? disfigured(target.path()) : target.path() + junk();
            return new RandomRequest(
                    method,
                    method + " " + path + " HTTP/" + version,
                    null,
                    fields,
                    version.equals("1.1") && !path.contains("\u0000"));
        }

        private List<String> fields(Target target) {
            List<String> fields = new ArrayList<>();
            if (!samples.oneIn(5)) {
                fields.add("Range: " + range(target.size()));
                if (samples.oneIn(21)) {
                    fields.add("Range: " + range(target.size()));
                }
            }
            for (String name : List.of("If-Range", "If-Match", "If-None-Match")) {
                if (samples.oneIn(12)) {
                    fields.add(name + ": " + tag(target));
                }
            }
            for (String name : List.of("If-Modified-Since", "If-Unmodified-Since", "If-Range")) {
                if (samples.oneIn(15)) {
                    fields.add(name + ": " + date(target));
                }
            }
            if (samples.oneIn(10)) {
                fields.add("Want-Repr-Digest: "
                        + maybeDisfigured(samples.oneOf("sha-256=0", "sha-256=10", "md5=1, sha-512=3")));
            }
            return fields;
        }

        private String range(int size) {
            long count = samples.oneIn(16) ? samples.number(20, 60) : samples.number(1, 8);
            StringBuilder range = new StringBuilder(samples.oneIn(21) ? "Bytes=" : "bytes=");
            for (long i = 0; i < count; i++) {
                range.append(i == 0 ? "" : samples.oneOf(",", ",", ", ", " ,", ",,"));
                long first = samples.number(0, size + 2L);
                switch ((int) samples.number(0, 9)) {
                    case 0 -> range.append('-').append(samples.number(0, size + 2L));
                    case 1 -> range.append(first).append('-');
                    case 2 -> range.append(first).append("-99999999999999999999");
                    case 3 -> range.append(first).append('-').append(samples.number(0, size + 2L));
                    default -> range.append(first).append('-').append(first + samples.number(0, count > 8 ? 9 : 2000));
                }
            }
            return maybeDisfigured(range.toString());
        }

        private String tag(Target target) {
            return maybeDisfigured(samples.oneOf(
                    target.etag(),
                    target.etag(),
                    "W/" + target.etag(),
                    "*",
                    "\"x\"",
                    "\"x,y\", " + target.etag(),
                    target.etag() + ", W/\"x\""));
        }

        private String date(Target target) {
            return maybeDisfigured(samples.oneOf(
                    target.modified(),
                    target.modified(),
                    "Sun, 06 Nov 1994 08:49:37 GMT",
                    "Sunday, 06-Nov-94 08:49:37 GMT",
                    "Sun Nov  6 08:49:37 1994",
                    "Fri, 01 Jan 2100 00:00:00 GMT"));
        }

        private String maybeDisfigured(String text) {
            return samples.oneIn(8) ? disfigured(text) : text;
        }

        /** The text with a few characters changed, added or left out; no line ends, which would make another request of it. */
        private String disfigured(String text) {
            StringBuilder changed = new StringBuilder(text);
            for (long i = samples.number(1, 3); i > 0; i--) {
                int at = (int) samples.number(0, changed.length());
                switch ((int) samples.number(0, 2)) {
                    case 0 -> changed.insert(at, junk());
                    case 1 -> changed.delete(at, Math.min(changed.length(), at + (int) samples.number(1, 3)));
                    default -> changed.replace(at, Math.min(changed.length(), at + 1), junk());
                }
            }
            return changed.toString();
        }

        private String junk() {
            return switch ((int) samples.number(0, 3)) {
                case 0 -> samples.oneOf("%", "%2f", "%00", "%0d%0a", "%ff", "..", "/", "//", "?", ";", "#", "+", "%25");
                case 1 -> String.valueOf((char) samples.number(0x20, 0xff));
                case 2 -> samples.text("0123456789-,=\"*/ \tWb", 1, 6);
                default -> {
                    char c = (char) samples.number(0, 0x1f);
                    yield c == '\r' || c == '\n' ? "?version=" : String.valueOf(c);
                }
            };
        }
    }
}
