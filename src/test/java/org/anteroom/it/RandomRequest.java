package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.testing.RawHttp;
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
    /** Bytes of a multipart around one range, at most; and the parts that one answer may have. */
    private static final int AROUND = 160;

    private static final int MOST_PARTS = 32;

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

    private static String trim(String text) {
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

    /** Says whether an answer is right. */
    static final class Judge {
        private static final Pattern ONE = Pattern.compile("(\\d+)-(\\d*)|-(\\d+)");
        private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)");

        private Judge() {}

        /** Fails if it is not; whether it has bytes of a file. */
        static boolean judge(RandomRequest request, RawHttp.Response answer, Map<Integer, byte[]> files) {
            assertThat(answer.headers())
                    .allMatch(header -> header.chars().allMatch(c -> c >= 0x20 && c < 0x7f), "printable");
            int status = answer.status();
            Target target = request.target();
            if (target == null) {
                assertThat(status < 500 || status == 501 || status == 505)
                        .as("status %d", status)
                        .isTrue();
                if ((status != 200 && status != 206)
                        || answer.header("Cache-Status").isEmpty()) {
                    return false;
                }
            } else if (request.isClean()) {
                assertThat(status).isIn(200, 206, 304, 412, 416);
            } else {
                assertThat(status).isIn(200, 206, 304, 400, 412, 416);
            }
            switch (status) {
                case 200 -> whole(request, answer, files);
                case 206 -> part(request, answer, files);
                case 304 -> {
                    assertThat(request.field("If-None-Match") != null || request.field("If-Modified-Since") != null)
                            .isTrue();
                    assertThat(answer.header("ETag")).isPresent();
                }
                case 412 ->
                    assertThat(request.field("If-Match") != null || request.field("If-Unmodified-Since") != null)
                            .isTrue();
                case 416 -> {
                    int size = Objects.requireNonNull(target).size();
                    assertThat(answer.header("Content-Range")).hasValue("bytes */" + size);
                    assertThat(asked(request, size)).isEmpty();
                }
                default -> assertThat(status).isEqualTo(400);
            }
            return answer.body().length > 0 && status < 300;
        }

        private static void whole(RandomRequest request, RawHttp.Response answer, Map<Integer, byte[]> files) {
            int size = Integer.parseInt(answer.header("Content-Length").orElseThrow());
            byte[] file = Objects.requireNonNull(files.get(size), "a file of that size");
            if (request.method().equals("HEAD")) {
                assertThat(answer.body()).isEmpty();
                return;
            }
            assertThat(Arrays.equals(answer.body(), file))
                    .as("the file's bytes")
                    .isTrue();
            List<BitSet> asked = asked(request, size);
            if (request.target() != null && asked != null && request.field("If-Range") == null) {
                int bytes = asked.stream().mapToInt(BitSet::cardinality).sum();
                assertThat(asked.size() > MOST_PARTS || size <= bytes + AROUND * (asked.size() + 1))
                        .as("%d bytes for %d that were asked for in %d parts", size, bytes, asked.size())
                        .isTrue();
            }
        }

        private static void part(RandomRequest request, RawHttp.Response answer, Map<Integer, byte[]> files) {
            assertThat(request.method()).isEqualTo("GET");
            List<BitSet> sent = new ArrayList<>();
            int size;
            Multiparts multipart = Multiparts.of(answer);
            if (multipart == null) {
                Matcher range =
                        CONTENT_RANGE.matcher(answer.header("Content-Range").orElseThrow());
                assertThat(range.matches()).isTrue();
                size = Integer.parseInt(range.group(3));
                sent.add(compare(
                        files,
                        size,
                        Integer.parseInt(range.group(1)),
                        Integer.parseInt(range.group(2)),
                        answer.body()));
            } else {
                size = multipart.parts().get(0).size();
                for (Multiparts.Part part : multipart.parts()) {
                    byte[] content = part.content().getBytes(StandardCharsets.ISO_8859_1);
                    sent.add(compare(files, part.size(), part.first(), part.last(), content));
                }
                assertThat(sent).hasSizeBetween(2, MOST_PARTS);
            }
            assertThat(sent).as("ranges sent and asked for, in their order").isEqualTo(asked(request, size));
            int bytes = sent.stream().mapToInt(BitSet::cardinality).sum();
            assertThat(answer.body().length)
                    .isLessThanOrEqualTo(Math.min(size, bytes + (multipart == null ? 0 : AROUND * (sent.size() + 1))));
        }

        private static BitSet compare(Map<Integer, byte[]> files, int size, int first, int last, byte[] bytes) {
            byte[] file = Objects.requireNonNull(files.get(size), "a file of that size");
            assertThat(Arrays.equals(bytes, 0, bytes.length, file, first, last + 1))
                    .as("bytes %d-%d of %d", first, last, size)
                    .isTrue();
            BitSet range = new BitSet();
            range.set(first, last + 1);
            return range;
        }

        /**
         * The ranges of a request that lie in the file, those that overlap made one in the place of the first; null if there
         * is no field that is one (RFC 9110, sections 14.1.1 and 14.1.2).
         */
        private static @Nullable List<BitSet> asked(RandomRequest request, int size) {
            List<BitSet> ranges = ranges(request, size);
            if (ranges == null) {
                return null;
            }
            ranges.removeIf(BitSet::isEmpty);
            for (int i = 0; i < ranges.size(); i++) {
                for (int j = i + 1; j < ranges.size(); j++) {
                    if (ranges.get(i).intersects(ranges.get(j))) {
                        ranges.get(i).or(ranges.remove(j));
                        j = i; // what was passed over may overlap by now
                    }
                }
            }
            return ranges;
        }

        private static @Nullable List<BitSet> ranges(RandomRequest request, int size) {
            String field = request.field("Range");
            if (field == null || !field.toLowerCase(Locale.ROOT).startsWith("bytes=")) {
                return null;
            }
            List<BitSet> ranges = new ArrayList<>();
            for (String element : field.substring(6).split(",", -1)) {
                Matcher one = ONE.matcher(trim(element));
                if (trim(element).isEmpty()) {
                    continue;
                }
                if (!one.matches()) {
                    return null;
                }
                BigInteger first = one.group(3) == null
                        ? new BigInteger(one.group(1))
                        : BigInteger.valueOf(size)
                                .subtract(new BigInteger(one.group(3)))
                                .max(BigInteger.ZERO);
                BigInteger last = one.group(3) == null && !one.group(2).isEmpty()
                        ? new BigInteger(one.group(2))
                        : BigInteger.valueOf(Long.MAX_VALUE);
                if (last.compareTo(first) < 0
                        || (size == 0 && one.group(3) != null && !one.group(3).matches("0+"))) {
                    return null; // RFC 9110 has a suffix of an empty file satisfiable, but no Content-Range for it
                }
                BitSet range = new BitSet();
                int end = last.add(BigInteger.ONE).min(BigInteger.valueOf(size)).intValue();
                if (first.compareTo(BigInteger.valueOf(end)) < 0) {
                    range.set(first.intValue(), end);
                }
                ranges.add(range);
            }
            return ranges.isEmpty() ? null : ranges;
        }
    }
}
