package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** RFC 9110, section 13: conditions over the wire, alike whether the file is cold, being filled, or cached. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Rfc9110Section13IT {
    private static final int SIZE = 70_000;

    /** The status and the lines of the request; E stands for the file's tag. */
    private static final String[][] VECTORS = {
        // 13.1.1: If-Match, by strong comparison
        {"200", "If-Match: E"},
        {"200", "If-Match: *"},
        {"200", "If-Match: \"x\", E"},
        {"200", "If-Match: \"a,b\",E,\"c\""},
        {"200", "If-Match: , E ,"},
        {"200", "If-Match: \"x\"", "If-Match: E"},
        {"412", "If-Match: \"x\""},
        {"412", "If-Match: \"x\", \"y\"", "If-Match: W/\"z\""},
        {"412", "If-Match: W/E"},
        {"412", "If-Match: unquoted"},
        {"412", "If-Match: "},
        {"412", "If-Match: *, E"},
        // 13.1.2: If-None-Match, by weak comparison
        {"304", "If-None-Match: E"},
        {"304", "If-None-Match: W/E"},
        {"304", "If-None-Match: *"},
        {"304", "If-None-Match: \"a,b\", E"},
        {"304", "If-None-Match: \"a,b\",W/E , \"c\""},
        {"304", "If-None-Match: \"x\"", "If-None-Match: E"},
        {"304", "if-none-match:E"},
        {"200", "If-None-Match: \"x\""},
        {"200", "If-None-Match: \"x,E\""},
        {"200", "If-None-Match: w/E"},
        {"200", "If-None-Match: unquoted"},
        {"200", "If-None-Match: "},
        // 13.1.3: If-Modified-Since, in the three forms of dates
        {"304", "If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT"},
        {"304", "If-Modified-Since: Mon, 06 May 2024 07:08:10 GMT"},
        {"304", "If-Modified-Since: Monday, 06-May-24 07:08:09 GMT"},
        {"304", "If-Modified-Since: Mon May  6 07:08:09 2024"},
        {"304", "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT"},
        {"200", "If-Modified-Since: Mon, 06 May 2024 07:08:08 GMT"},
        {"200", "If-Modified-Since: Monday, 06-May-24 07:08:08 GMT"},
        {"200", "If-Modified-Since: Mon May  6 07:08:08 2024"},
        {"200", "If-Modified-Since: Mon, 06 May 2024 09:08:09 +0200"},
        {"200", "If-Modified-Since: 2024-05-06T07:08:09Z"},
        {"200", "If-Modified-Since: Tue, 31 Jun 2025 00:00:00 GMT"},
        {"200", "If-Modified-Since: "},
        {"200", "If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT", "If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT"},
        // 13.1.4: If-Unmodified-Since
        {"200", "If-Unmodified-Since: Mon, 06 May 2024 07:08:09 GMT"},
        {"200", "If-Unmodified-Since: Monday, 06-May-24 07:08:10 GMT"},
        {"412", "If-Unmodified-Since: Mon, 06 May 2024 07:08:08 GMT"},
        {"412", "If-Unmodified-Since: Monday, 06-May-24 07:08:08 GMT"},
        {"412", "If-Unmodified-Since: Mon May  6 07:08:08 2024"},
        {"200", "If-Unmodified-Since: some day"},
        // 13.1.5: If-Range, by strong comparison
        {"206", "Range: bytes=0-9", "If-Range: E"},
        {"206", "Range: bytes=0-9", "If-Range: Mon, 06 May 2024 07:08:09 GMT"},
        {"206", "Range: bytes=0-9", "If-Range: Monday, 06-May-24 07:08:09 GMT"},
        {"206", "Range: bytes=0-9", "If-Range: Mon May  6 07:08:09 2024"},
        {"206", "Range: bytes=0-9,20-29", "If-Range: E"},
        {"200", "Range: bytes=0-9", "If-Range: W/E"},
        {"200", "Range: bytes=0-9", "If-Range: \"x\""},
        {"200", "Range: bytes=0-9", "If-Range: E, \"x\""},
        {"200", "Range: bytes=0-9", "If-Range: *"},
        {"200", "Range: bytes=0-9", "If-Range: Mon, 06 May 2024 07:08:08 GMT"},
        {"200", "Range: bytes=0-9", "If-Range: Mon, 06 May 2024 07:08:10 GMT"},
        {"200", "Range: bytes=0-9", "If-Range: some day"},
        {"200", "Range: bytes=0-9,20-29", "If-Range: \"x\""},
        {"200", "Range: bytes=70000-", "If-Range: \"x\""},
        {"416", "Range: bytes=70000-", "If-Range: E"},
        {"200", "If-Range: \"x\""},
        // 13.2.2: precedence
        {"200", "If-Match: E", "If-Unmodified-Since: Mon, 06 May 2024 07:08:08 GMT"},
        {"412", "If-Match: \"x\"", "If-Unmodified-Since: Mon, 06 May 2024 07:08:09 GMT"},
        {"412", "If-Match: \"x\"", "If-None-Match: E"},
        {"304", "If-Match: E", "If-None-Match: E"},
        {"412", "If-Unmodified-Since: Mon, 06 May 2024 07:08:08 GMT", "If-None-Match: E"},
        {"200", "If-None-Match: \"x\"", "If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT"},
        {"304", "If-None-Match: E", "If-Modified-Since: Mon, 06 May 2024 07:08:08 GMT"},
        {"304", "If-None-Match: E", "Range: bytes=0-9"},
        {"304", "If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT", "Range: bytes=70000-"},
        {"412", "If-Match: \"x\"", "Range: bytes=70000-"},
        {"412", "If-Match: \"x\"", "Range: bytes=0-9", "If-Range: E"},
        {"206", "If-Match: E", "If-None-Match: \"x\"", "Range: bytes=0-9", "If-Range: E"}
    };

    private ThreeStates states;
    private String etag = "";
    private final Map<Vector, ThreeStates.Answers> answers = new HashMap<>();

    /** A request and the status of its answer. */
    record Vector(int status, String method, List<String> lines) {
        ThreeStates.Ask ask(String etag) {
            List<String> fields = lines.stream()
                    .map(line -> line.replaceAll(
                            "(?<![A-Za-z])E(?![A-Za-z])", java.util.regex.Matcher.quoteReplacement(etag)))
                    .toList();
            return new ThreeStates.Ask(SIZE, method, fields, method.equals("GET") && status < 300);
        }

        @Override
        public String toString() {
            return method + " " + String.join(" & ", lines) + ": " + status;
        }
    }

    static List<Vector> vectors() {
        List<Vector> vectors = new ArrayList<>();
        for (String[] row : VECTORS) {
            int status = Integer.parseInt(row[0]);
            List<String> lines = Arrays.asList(row).subList(1, row.length);
            vectors.add(new Vector(status, "GET", lines));
            // 9.3.2: HEAD is GET without the body; and without ranges (14.2)
            vectors.add(new Vector(status == 206 || status == 416 ? 200 : status, "HEAD", lines));
        }
        return vectors;
    }

    @BeforeAll
    void ask(@TempDir Path folder) throws Exception {
        states = new ThreeStates(Site.start(Site.Server.TOMCAT, folder));
        etag = states.etag(SIZE);
        Map<Vector, ThreeStates.Ask> asks = new LinkedHashMap<>();
        for (Vector vector : vectors()) {
            asks.put(vector, vector.ask(etag));
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
    void theConditionsAreHeeded(Vector vector) {
        answers(vector).all().forEach(answer -> {
            assertThat(answer.status()).isEqualTo(vector.status());
            if (vector.status() == 200) {
                assertThat(answer.header("ETag")).hasValue(etag);
                assertThat(answer.header("Content-Length")).hasValue("70000");
                assertThat(answer.body())
                        .isEqualTo(vector.method().equals("HEAD") ? new byte[0] : ThreeStates.bytes(SIZE));
            } else if (vector.status() == 304) {
                // 15.4.5: what guides the update of a cache, and no more
                assertThat(answer.headers().stream().map(header -> header.substring(0, header.indexOf(':'))))
                        .containsOnlyOnce("ETag", "Cache-Control", "Date")
                        .doesNotContain("Content-Type", "Content-Disposition", "Content-Length", "Repr-Digest");
                assertThat(answer.header("ETag")).hasValue(etag);
            } else if (vector.status() >= 400) {
                assertThat(answer.header("Content-Type")).hasValue("application/problem+json");
                assertThat(answer.header("Repr-Digest")).isEmpty();
                assertThat(answer.header("ETag")).isEmpty();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void everyStateAnswersAlike(Vector vector) {
        answers(vector).assertAlike();
    }
}
