package org.anteroom.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9110, section 5.6.7: dates. */
class Rfc9110Section5Test {
    private static final InstantSource IN_2026 = InstantSource.fixed(Instant.parse("2026-06-15T12:00:00Z"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Sun, 06 Nov 1994 08:49:37 GMT  | 1994-11-06T08:49:37Z",
                "Sunday, 06-Nov-94 08:49:37 GMT | 1994-11-06T08:49:37Z",
                "Sun Nov  6 08:49:37 1994       | 1994-11-06T08:49:37Z",
                "Wed Nov 16 08:49:37 1994       | 1994-11-16T08:49:37Z",
                "Thu, 29 Feb 2024 23:59:59 GMT  | 2024-02-29T23:59:59Z",
                "Sat, 31 Dec 2016 23:59:60 GMT  | 2017-01-01T00:00:00Z",
                "Sat, 01 Jan 0000 00:00:00 GMT  | 0000-01-01T00:00:00Z",
                "Fri, 31 Dec 9999 23:59:59 GMT  | 9999-12-31T23:59:59Z"
            })
    void readsAllForms(String text, Instant expected) {
        assertThat(HttpDate.parse(text, IN_2026)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Monday, 15-Jun-76 11:59:59 GMT  | 2076-06-15T11:59:59Z",
                "Monday, 15-Jun-76 12:00:00 GMT  | 2076-06-15T12:00:00Z",
                "Tuesday, 15-Jun-76 12:00:01 GMT | 1976-06-15T12:00:01Z",
                "Friday, 01-Jan-99 00:00:00 GMT  | 1999-01-01T00:00:00Z",
                "Thursday, 01-Jan-26 00:00:00 GMT| 2026-01-01T00:00:00Z"
            })
    void aTwoDigitYearIsAtMostFiftyYearsAhead(String text, Instant expected) {
        assertThat(HttpDate.parse(text, IN_2026)).isEqualTo(expected);
    }

    @Test
    void nearTheEndOfACenturyTheYearMayBeOfTheNext() {
        InstantSource in2080 = InstantSource.fixed(Instant.parse("2080-01-01T00:00:00Z"));
        assertThat(HttpDate.parse("Friday, 01-Jan-05 00:00:00 GMT", in2080))
                .isEqualTo(Instant.parse("2105-01-01T00:00:00Z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "garbage",
                "1994-11-06T08:49:37Z",
                "Sun, 06 Nov 1994 08:49:37",
                "Sun, 06 Nov 1994 08:49:37 UTC",
                "Sun, 06 Nov 1994 08:49:37 +0000",
                "Sun, 6 Nov 1994 08:49:37 GMT",
                "sun, 06 nov 1994 08:49:37 gmt",
                "Xxx, 06 Nov 1994 08:49:37 GMT",
                "Sun, 31 Feb 1994 08:49:37 GMT",
                "Sun, 29 Feb 2023 08:49:37 GMT",
                "Sun, 00 Nov 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 24:00:00 GMT",
                "Sun, 06 Nov 1994 08:60:37 GMT",
                "Sun, 06 Nov 1994 08:49:61 GMT",
                "Sun, 06 Nov 1994 08-49-37 GMT",
                "Sun, -6 Nov 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
                "Sun, 06-Nov-94 08:49:37 GMT",
                "Sunday, 06-Nov-1994 08:49:37 GMT",
                "Sunday, 31-Feb-94 08:49:37 GMT",
                "Sunday, 06-Nov-xx 08:49:37 GMT",
                "Sunday, 06 Nov 94 08:49:37 GMT",
                "Sun Nov 06 08:49:37 94",
                "Sun Nov  0 08:49:37 1994",
                "Sun Xxx  6 08:49:37 1994"
            })
    void whatIsNoDateIsNull(String text) {
        assertThat(HttpDate.parse(text, IN_2026)).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1994-11-06T08:49:37Z           | Sun, 06 Nov 1994 08:49:37 GMT",
                "1994-11-06T08:49:37.999999999Z | Sun, 06 Nov 1994 08:49:37 GMT",
                "1969-12-31T23:59:59.5Z         | Wed, 31 Dec 1969 23:59:59 GMT",
                "0099-01-01T00:00:00Z           | Thu, 01 Jan 0099 00:00:00 GMT"
            })
    void writesImfFixdate(Instant time, String expected) {
        assertThat(HttpDate.format(time)).isEqualTo(expected);
    }

    @Test
    void yearsOfFiveDigitsCannotBeWritten() {
        assertThat(HttpDate.format(Instant.parse("+10000-01-01T00:00:00Z"))).isNull();
        assertThat(HttpDate.format(Instant.parse("-0001-01-01T00:00:00Z"))).isNull();
    }
}
