package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.testing.RawHttp;
import org.jspecify.annotations.Nullable;

/**
 * Says whether the answer to a {@link RandomRequest} is right: its status by the conditions and ranges of the request, read
 * here for a second time, and its bytes by the file that the request names.
 */
final class AnswerJudge {
    /** Bytes of a multipart around one range, at most; and the parts that one answer may have. */
    private static final int AROUND = 160;

    private static final int MOST_PARTS = 32;

    private static final Pattern ONE = Pattern.compile("(\\d+)-(\\d*)|-(\\d+)");
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)");
    private static final Pattern TAG = Pattern.compile("(W/)?(\"[^\"]*\")");
    private static final Pattern TAGS = Pattern.compile("(%1$s)?([ \\t]*,[ \\t]*(%1$s)?)*".formatted(TAG.pattern()));

    private final Map<RandomRequest.Target, byte[]> files;

    /** A judge of answers for these files. */
    AnswerJudge(Map<RandomRequest.Target, byte[]> files) {
        this.files = files;
    }

    /** Fails if the answer is not right; whether it has bytes of a file. */
    boolean judge(RandomRequest request, RawHttp.Response answer) {
        assertThat(answer.headers())
                .allMatch(header -> header.chars().allMatch(c -> c >= 0x20 && c < 0x7f), "printable");
        int status = answer.status();
        RandomRequest.Target target = request.target();
        if (target == null) {
            assertThat(status < 500 || status == 501 || status == 505)
                    .as("status %d", status)
                    .isTrue();
            boolean ofFile = switch (status) {
                case 200, 206 -> answer.header("Cache-Status").isPresent() || requireNoFile(request, answer);
                // the container's own servlet, for what is not below /files, knows conditions, too
                case 304, 412, 416 -> path(request).startsWith("/files/");
                default -> false;
            };
            if (!ofFile) {
                return false;
            }
            target = named(request);
        } else if (status == 400 && !request.isClean()) {
            return false;
        }
        assertThat(status).as("status").isIn(right(request, target));
        if (status < 400) {
            assertThat(answer.header("ETag")).hasValue(target.etag());
        }
        switch (status) {
            case 200 -> whole(request, target, answer);
            case 206 -> part(request, target, answer);
            case 304 -> assertThat(answer.body()).isEmpty();
            case 416 -> assertThat(answer.header("Content-Range")).hasValue("bytes */" + target.size());
            default -> assertThat(status).isEqualTo(412);
        }
        return answer.body().length > 0 && status < 300;
    }

    /** Fails unless an answer is one of those that have no file in them; false. */
    private static boolean requireNoFile(RandomRequest request, RawHttp.Response answer) {
        assertThat(answer.status()).isEqualTo(200);
        if (request.method().equals("OPTIONS")) {
            assertThat(answer.header("Allow")).isPresent();
            assertThat(answer.body()).isEmpty();
            return false;
        }
        String type = answer.header("Content-Type").orElse("");
        String path = path(request);
        boolean listing = path.startsWith("/files/") && path.endsWith("/") && type.startsWith("text/html");
        boolean figures = path.equals("/metrics") && type.startsWith("text/plain");
        boolean health = path.startsWith("/health/") && type.startsWith("application/json");
        assertThat(listing || figures || health)
                .as("%s is %s, without a Cache-Status", path, type)
                .isTrue();
        if (listing && !request.method().equals("HEAD")) {
            assertThat(answer.text()).startsWith("<!DOCTYPE html>");
        }
        return false;
    }

    /** The file that a disfigured request line names all the same: no other may be answered with. */
    private RandomRequest.Target named(RandomRequest request) {
        String path = path(request);
        return files.keySet().stream()
                .filter(target -> target.path().equals(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError("a file for " + path));
    }

    /** The path of a request line, decoded once. */
    private static String path(RandomRequest request) {
        String line = request.line();
        String raw = RandomRequest.trim(line.substring(line.indexOf(' ') + 1, line.lastIndexOf(' ')));
        return URLDecoder.decode(raw.replaceAll("\\?.*", "").replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    // ---- the status (RFC 9110, section 13.2.2)

    private static Set<Integer> right(RandomRequest request, RandomRequest.Target target) {
        Instant modified = Objects.requireNonNull(HttpDates.parse(target.modified()));
        String ifMatch = request.field("If-Match");
        Instant unmodifiedSince = date(request.field("If-Unmodified-Since"));
        if (ifMatch != null) {
            if (!matches(ifMatch, target.etag(), false)) {
                return Set.of(412);
            }
        } else if (unmodifiedSince != null && unmodifiedSince.isBefore(modified)) {
            return Set.of(412);
        }
        String ifNoneMatch = request.field("If-None-Match");
        Instant modifiedSince = date(request.field("If-Modified-Since"));
        if (ifNoneMatch != null) {
            if (matches(ifNoneMatch, target.etag(), true)) {
                return Set.of(304);
            }
        } else if (modifiedSince != null && !modifiedSince.isBefore(modified)) {
            return Set.of(304);
        }
        String ifRange = request.field("If-Range");
        boolean applies = ifRange == null || ifRange.equals(target.etag()) || modified.equals(date(ifRange));
        List<BitSet> asked = asked(request, target.size());
        if (request.method().equals("HEAD") || !applies || asked == null || asked.size() > MOST_PARTS) {
            return Set.of(200);
        }
        if (asked.isEmpty()) {
            return Set.of(416);
        }
        // with what is around them, parts may be longer than the file, which is sent then
        return asked.size() > 1 && target.size() <= bytes(asked) + AROUND * (asked.size() + 1)
                ? Set.of(200, 206)
                : Set.of(206);
    }

    /** Whether a list of tags, which names nothing where it is malformed, has the tag. */
    private static boolean matches(String field, String etag, boolean weakly) {
        if (field.equals("*")) {
            return true;
        }
        return TAGS.matcher(field).matches()
                && TAG.matcher(field)
                        .results()
                        .anyMatch(tag -> tag.group(2).equals(etag) && (weakly || tag.group(1) == null));
    }

    private static @Nullable Instant date(@Nullable String field) {
        return field == null ? null : HttpDates.parse(field);
    }

    private static int bytes(List<BitSet> ranges) {
        return ranges.stream().mapToInt(BitSet::cardinality).sum();
    }

    // ---- the bytes

    private void whole(RandomRequest request, RandomRequest.Target target, RawHttp.Response answer) {
        assertThat(answer.header("Content-Length")).hasValue(Integer.toString(target.size()));
        if (request.method().equals("HEAD")) {
            assertThat(answer.body()).isEmpty();
        } else {
            assertThat(Arrays.equals(answer.body(), files.get(target)))
                    .as("the file's bytes")
                    .isTrue();
        }
    }

    private void part(RandomRequest request, RandomRequest.Target target, RawHttp.Response answer) {
        assertThat(request.method()).isEqualTo("GET");
        List<BitSet> sent = new ArrayList<>();
        Multiparts multipart = Multiparts.of(answer);
        if (multipart == null) {
            Matcher range = CONTENT_RANGE.matcher(answer.header("Content-Range").orElseThrow());
            assertThat(range.matches()).isTrue();
            assertThat(Integer.parseInt(range.group(3))).isEqualTo(target.size());
            sent.add(
                    compare(target, Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)), answer.body()));
        } else {
            for (Multiparts.Part part : multipart.parts()) {
                assertThat(part.size()).isEqualTo(target.size());
                byte[] content = part.content().getBytes(StandardCharsets.ISO_8859_1);
                sent.add(compare(target, part.first(), part.last(), content));
            }
            assertThat(sent).hasSizeBetween(2, MOST_PARTS);
        }
        assertThat(sent).as("ranges sent and asked for, in their order").isEqualTo(asked(request, target.size()));
        int around = multipart == null ? 0 : AROUND * (sent.size() + 1);
        assertThat(answer.body().length).isLessThanOrEqualTo(Math.min(target.size(), bytes(sent) + around));
    }

    private BitSet compare(RandomRequest.Target target, int first, int last, byte[] bytes) {
        assertThat(Arrays.equals(bytes, 0, bytes.length, files.get(target), first, last + 1))
                .as("bytes %d-%d of %s", first, last, target.path())
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
            Matcher one = ONE.matcher(RandomRequest.trim(element));
            if (RandomRequest.trim(element).isEmpty()) {
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
