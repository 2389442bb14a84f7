package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** RFC 9110, section 14: ranges over the wire, alike whether the file is cold, being filled, or cached. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Rfc9110Section14IT {
    private static final int SIZE = 1_048_576;

    /** Field, and what is to come: the whole file, nothing, or these ranges in this order. Several lines are parted by |. */
    private static final String[][] VECTORS = {
        // 14.1.2: one range of bytes
        {"bytes=0-16384", "0-16384"},
        {"bytes=0-0", "0-0"},
        {"bytes=0-", "0-1048575"},
        {"bytes=0-1048575", "0-1048575"},
        {"bytes=0-1048576", "0-1048575"},
        {"bytes=0-99999999999999999999", "0-1048575"},
        {"bytes=524288-", "524288-1048575"},
        {"bytes=1048575-", "1048575-1048575"},
        {"bytes=1048575-1048575", "1048575-1048575"},
        {"bytes=65535-65536", "65535-65536"},
        {"bytes=131071-131072", "131071-131072"},
        {"bytes=131072-262143", "131072-262143"},
        {"bytes=983039-983040", "983039-983040"},
        {"bytes=983040-1048575", "983040-1048575"},
        {"bytes=0000-0009", "0-9"},
        {"BYTES=0-9", "0-9"},
        {"bytes=,0-9,", "0-9"},
        // 14.1.2: suffixes
        {"bytes=-1", "1048575-1048575"},
        {"bytes=-65536", "983040-1048575"},
        {"bytes=-65537", "983039-1048575"},
        {"bytes=-1048576", "0-1048575"},
        {"bytes=-1048577", "0-1048575"},
        {"bytes=-99999999999999999999", "0-1048575"},
        // 14.4, 15.5.17: outside of the file
        {"bytes=1048576-", "none"},
        {"bytes=1048576-1048577", "none"},
        {"bytes=99999999999999999999-", "none"},
        {"bytes=-0", "none"},
        {"bytes=1048576-,2000000-2000009,-0", "none"},
        // 14.6, 15.3.7.2: several
        {"bytes=0-9,20-29", "0-9 20-29"},
        {"bytes=20-29,0-9", "20-29 0-9"},
        {"bytes=0-9,10-19", "0-9 10-19"},
        {"bytes=10-19,0-9", "10-19 0-9"},
        {"bytes=0-0,-1", "0-0 1048575-1048575"},
        {"bytes=-1,0-0", "1048575-1048575 0-0"},
        {"bytes=1000000-,0-99", "1000000-1048575 0-99"},
        {"bytes=0-9,500000-600000,-9", "0-9 500000-600000 1048567-1048575"},
        {"bytes=900000-909999,0-9,524288-524289,131071-131072", "900000-909999 0-9 524288-524289 131071-131072"},
        {
            "bytes=0-99999,200000-299999,400000-499999,600000-699999,800000-899999,1000000-1009999",
            "0-99999 200000-299999 400000-499999 600000-699999 800000-899999 1000000-1009999"
        },
        {"bytes=,0-9,,20-29,", "0-9 20-29"},
        {"bytes=0-9 , 20-29", "0-9 20-29"},
        {"bytes=0-9,\t20-29", "0-9 20-29"},
        {"bytes=0-9,2000000-,20-29", "0-9 20-29"},
        {"bytes=2000000-,20-29", "20-29"},
        {"bytes=-0,20-29", "20-29"},
        {"bytes=0-9|20-29", "0-9 20-29"},
        // 15.3.7.2: overlapping, many, tiny
        {"bytes=0-9,5-14", "0-14"},
        {"bytes=5-14,0-9", "0-14"},
        {"bytes=0-0,0-0,0-0", "0-0"},
        {"bytes=0-,5-9", "0-1048575"},
        {"bytes=50-60,0-9,55-70", "50-70 0-9"},
        {"bytes=99-99,5-6,0-20,7-8", "99-99 0-20"},
        {"bytes=0-524287,524288-", "all"},
        {"bytes=-1048570,0-4", "all"},
        {"bytes=" + singles(32), singles(32).replace(',', ' ')},
        {"bytes=" + singles(33), "all"},
        // 14.2: what is malformed, or in another unit
        {"", "all"},
        {"bytes", "all"},
        {"bytes=", "all"},
        {"bytes=,", "all"},
        {"bytes=-", "all"},
        {"bytes=5", "all"},
        {"bytes=a-b", "all"},
        {"bytes=5-4", "all"},
        {"bytes=0-9,5-4", "all"},
        {"bytes=0-9,x", "all"},
        {"bytes=0-9;20-29", "all"},
        {"bytes=0-9 20-29", "all"},
        {"bytes=0-9-19", "all"},
        {"bytes=0-9/1048576", "all"},
        {"bytes=+0-9", "all"},
        {"bytes=0x0-0x9", "all"},
        {"bytes=0 - 9", "all"},
        {"bytes =0-9", "all"},
        {"bytes 0-9", "all"},
        {"bytes=*", "all"},
        {"bytes=\"0-9\"", "all"},
        {"bytes=0-9|bytes=20-29", "all"},
        {"none", "all"},
        {"items=0-9", "all"}
    };

    private static final String[][] SMALL = {
        {"0", "bytes=0-", "none"},
        {"0", "bytes=0-0", "none"},
        {"0", "bytes=-0", "none"},
        {"0", "bytes=0-0,5-9", "none"},
        {"0", "bytes=-1", "all"},
        {"1", "bytes=0-0", "0-0"},
        {"1", "bytes=-5", "0-0"},
        {"1", "bytes=1-", "none"},
        {"1", "bytes=0-0,-1", "0-0"},
        {"100", "bytes=0-9,20-29", "all"}
    };

    private ThreeStates states;
    private final Map<Vector, ThreeStates.Answers> answers = new HashMap<>();

    /** A request and what is to come. */
    record Vector(int size, String method, String field, String wanted) {
        ThreeStates.Ask ask() {
            List<String> lines = Arrays.stream(field.split("\\|", -1))
                    .map(line -> "Range: " + line)
                    .toList();
            return new ThreeStates.Ask(size, method, lines, method.equals("GET") && size > 0 && !wanted.equals("none"));
        }

        @Override
        public String toString() {
            return method + " " + (field.length() > 80 ? field.substring(0, 80) + "..." : field) + " of " + size;
        }
    }

    private static String singles(int count) {
        return IntStream.range(0, count).mapToObj(i -> 5 * i + "-" + 5 * i).collect(Collectors.joining(","));
    }

    static List<Vector> vectors() {
        List<Vector> vectors = new ArrayList<>();
        Stream.of(VECTORS).map(row -> new Vector(SIZE, "GET", row[0], row[1])).forEach(vectors::add);
        Stream.of(SMALL)
                .map(row -> new Vector(Integer.parseInt(row[0]), "GET", row[1], row[2]))
                .forEach(vectors::add);
        // 14.2: ranges are for GET
        for (String field : List.of("bytes=0-0", "bytes=0-9,20-29", "bytes=1048576-", "bytes=5-4")) {
            vectors.add(new Vector(SIZE, "HEAD", field, "all"));
        }
        return vectors;
    }

    @BeforeAll
    void ask(@TempDir Path folder) throws Exception {
        states = new ThreeStates(Site.start(Site.Server.TOMCAT, folder));
        Map<Vector, ThreeStates.Ask> asks = new LinkedHashMap<>();
        for (Vector vector : vectors()) {
            asks.put(vector, vector.ask());
        }
        answers.putAll(states.answers(asks));
    }

    private ThreeStates.Answers answers(Vector vector) {
        return Objects.requireNonNull(answers.get(vector));
    }

    @AfterAll
    void stop() throws Exception {
        states.close();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void theRangesAreAnswered(Vector vector) {
        answers(vector).all().forEach(answer -> check(vector, answer));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void everyStateAnswersAlike(Vector vector) {
        answers(vector).assertAlike();
    }

    private static void check(Vector vector, RawHttp.Response answer) {
        byte[] file = ThreeStates.bytes(vector.size());
        assertThat(answer.header("Accept-Ranges")).hasValue("bytes");
        switch (vector.wanted()) {
            case "all" -> {
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("Content-Range")).isEmpty();
                assertThat(answer.header("Content-Length")).hasValue(Integer.toString(vector.size()));
                assertThat(answer.body()).isEqualTo(vector.method().equals("HEAD") ? new byte[0] : file);
            }
            case "none" -> {
                assertThat(answer.status()).isEqualTo(416);
                assertThat(answer.header("Content-Range")).hasValue("bytes */" + vector.size());
            }
            default -> {
                assertThat(answer.status()).isEqualTo(206);
                checkParts(vector, answer, file);
            }
        }
    }

    private static void checkParts(Vector vector, RawHttp.Response answer, byte[] file) {
        List<String> ranges = List.of(vector.wanted().split(" "));
        long bytes =
                ranges.stream().mapToInt(range -> slice(file, range).length).sum();
        if (ranges.size() == 1) {
            assertThat(answer.header("Content-Range")).hasValue("bytes " + ranges.get(0) + "/" + file.length);
            assertThat(answer.header("Content-Type")).hasValue("text/csv");
            assertThat(answer.body()).isEqualTo(slice(file, ranges.get(0)));
            return;
        }
        Multiparts multipart = Objects.requireNonNull(Multiparts.of(answer), "several parts");
        assertThat(answer.header("Content-Range")).isEmpty();
        assertThat(multipart.parts()).extracting(Multiparts.Part::range).isEqualTo(ranges);
        for (Multiparts.Part part : multipart.parts()) {
            assertThat(part.contentType()).isEqualTo("text/csv");
            assertThat(part.size()).isEqualTo(file.length);
            assertThat(part.content().getBytes(StandardCharsets.ISO_8859_1)).isEqualTo(slice(file, part.range()));
        }
        assertThat((long) answer.body().length)
                .isLessThan(file.length)
                .isLessThanOrEqualTo(bytes + 150L * (ranges.size() + 1));
    }

    private static byte[] slice(byte[] file, String range) {
        int dash = range.indexOf('-');
        return Arrays.copyOfRange(
                file, Integer.parseInt(range.substring(0, dash)), Integer.parseInt(range.substring(dash + 1)) + 1);
    }
}
