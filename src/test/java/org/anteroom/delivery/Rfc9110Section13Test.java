package org.anteroom.delivery;

import static org.anteroom.delivery.Plans.ETAG;
import static org.anteroom.delivery.Plans.MODIFIED_TEXT;
import static org.anteroom.delivery.Plans.SECOND_AFTER;
import static org.anteroom.delivery.Plans.SECOND_BEFORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.InstantSource;
import java.util.stream.Stream;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** RFC 9110, section 13: conditional requests. */
class Rfc9110Section13Test {
    private static final String OTHER = "\"other\"";
    private static final String WEAK = "W/" + ETAG;

    private static Arguments of(int status, @Nullable String... fields) {
        return arguments(status, fields);
    }

    static Stream<Arguments> singleConditions() {
        return Stream.of(
                of(200, "If-Match", ETAG),
                of(200, "If-Match", "*"),
                of(200, "If-Match", OTHER + ", " + ETAG),
                of(412, "If-Match", OTHER),
                of(412, "If-Match", WEAK),
                of(412, "If-Match", "unquoted"),
                of(412, "If-Match", ""),
                of(304, "If-None-Match", ETAG),
                of(304, "If-None-Match", WEAK),
                of(304, "If-None-Match", "*"),
                of(304, "If-None-Match", "\"x\", \"a,b\", \"y\""),
                of(200, "If-None-Match", OTHER),
                of(200, "If-None-Match", "unquoted"),
                of(200, "If-None-Match", "\"a\", \"b\""),
                of(304, "If-Modified-Since", MODIFIED_TEXT),
                of(304, "If-Modified-Since", SECOND_AFTER),
                of(200, "If-Modified-Since", SECOND_BEFORE),
                of(200, "If-Modified-Since", "yesterday"),
                of(200, "If-Modified-Since", MODIFIED_TEXT + ", " + MODIFIED_TEXT),
                of(304, "If-Modified-Since", "Monday, 06-May-24 07:08:09 GMT"),
                of(304, "If-Modified-Since", "Mon May  6 07:08:09 2024"),
                of(200, "If-Unmodified-Since", MODIFIED_TEXT),
                of(200, "If-Unmodified-Since", SECOND_AFTER),
                of(412, "If-Unmodified-Since", SECOND_BEFORE),
                of(200, "If-Unmodified-Since", "yesterday"));
    }

    static Stream<Arguments> precedence() {
        return Stream.of(
                // step 1 and 2: a date counts only without tags
                of(200, "If-Match", ETAG, "If-Unmodified-Since", SECOND_BEFORE),
                of(412, "If-Match", OTHER, "If-Unmodified-Since", SECOND_AFTER),
                of(412, "If-Match", "broken", "If-Unmodified-Since", SECOND_AFTER),
                // step 3 after step 1
                of(412, "If-Match", OTHER, "If-None-Match", ETAG),
                of(304, "If-Match", ETAG, "If-None-Match", ETAG),
                of(412, "If-Unmodified-Since", SECOND_BEFORE, "If-None-Match", ETAG),
                of(304, "If-Unmodified-Since", SECOND_AFTER, "If-Modified-Since", SECOND_AFTER),
                // step 4 only without step 3
                of(200, "If-None-Match", OTHER, "If-Modified-Since", SECOND_AFTER),
                of(200, "If-None-Match", "broken", "If-Modified-Since", SECOND_AFTER),
                of(304, "If-None-Match", ETAG, "If-Modified-Since", SECOND_BEFORE),
                // step 5 last
                of(304, "If-None-Match", ETAG, "Range", "bytes=0-0"),
                of(412, "If-Match", OTHER, "Range", "bytes=0-0"),
                of(304, "If-None-Match", ETAG, "Range", "bytes=9999999-"),
                of(206, "If-Match", ETAG, "Range", "bytes=0-0"),
                of(206, "If-None-Match", OTHER, "Range", "bytes=0-0"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource({"singleConditions", "precedence"})
    void get(int status, @Nullable String[] fields) {
        assertThat(Plans.decide(Plans.get(fields)).status()).isEqualTo(status);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource({"singleConditions", "precedence"})
    void headHasTheSameStatusButNoRanges(int status, @Nullable String[] fields) {
        ResponsePlan plan = Plans.decide(Plans.head(fields));
        assertThat(plan.status()).isEqualTo(status == 206 ? 200 : status);
        assertThat(plan.sendsBody()).isFalse();
    }

    static Stream<Arguments> ifRange() {
        return Stream.of(
                of(206, "If-Range", ETAG),
                of(206, "If-Range", " " + ETAG + " "),
                of(206, "If-Range", MODIFIED_TEXT),
                of(206, "If-Range", "Mon May  6 07:08:09 2024"),
                of(200, "If-Range", OTHER),
                of(200, "If-Range", WEAK),
                of(200, "If-Range", "W/\"x\""),
                of(200, "If-Range", "*"),
                of(200, "If-Range", ETAG + ", " + OTHER),
                of(200, "If-Range", SECOND_BEFORE),
                of(200, "If-Range", SECOND_AFTER),
                of(200, "If-Range", "garbage"),
                of(200, "If-Range", ""));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("ifRange")
    void ifRangeWantsTheVerySameValidator(int status, @Nullable String[] field) {
        assertThat(Plans.decide(Plans.get("Range", "bytes=0-0", field[0], field[1]))
                        .status())
                .isEqualTo(status);
    }

    @Test
    void ifRangeThatFailsHidesAnUnsatisfiableRange() {
        assertThat(Plans.decide(Plans.get("Range", "bytes=9999999-", "If-Range", OTHER))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void ifRangeWithoutRangeMeansNothing() {
        FileHeaders file = Plans.file();
        assertThat(Plans.decide(Plans.get("If-Range", OTHER), file)).isSameAs(Plans.decide(FileRequest.GET, file));
    }

    @Test
    void aDateIsNoStrongValidatorWithinItsSecond() {
        FileRequest request = Plans.get("Range", "bytes=0-0", "If-Range", MODIFIED_TEXT);
        InstantSource sameSecond = InstantSource.fixed(Plans.MODIFIED);
        InstantSource nextSecond = InstantSource.fixed(Plans.MODIFIED.plusSeconds(1));
        assertThat(ResponsePlan.decide(request, Plans.file(), sameSecond).status())
                .isEqualTo(200);
        assertThat(ResponsePlan.decide(request, Plans.file(), nextSecond).status())
                .isEqualTo(206);
    }

    static Stream<Arguments> withoutValidators() {
        return Stream.of(
                of(200, "If-Match", "*"),
                of(412, "If-Match", ETAG),
                of(304, "If-None-Match", "*"),
                of(200, "If-None-Match", ETAG),
                of(200, "If-Modified-Since", SECOND_AFTER),
                of(200, "If-Unmodified-Since", SECOND_BEFORE),
                of(206, "Range", "bytes=0-0"),
                of(200, "Range", "bytes=0-0", "If-Range", ETAG),
                of(200, "Range", "bytes=0-0", "If-Range", MODIFIED_TEXT));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("withoutValidators")
    void aFileWithoutValidators(int status, @Nullable String[] fields) {
        FileHeaders bare = Plans.file(new FileFacts(Plans.SIZE, null, null, null, null));
        assertThat(Plans.decide(Plans.get(fields), bare).status()).isEqualTo(status);
    }
}
