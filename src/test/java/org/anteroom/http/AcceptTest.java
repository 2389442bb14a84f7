package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9110, section 12.5.1: what a client would rather have. */
class AcceptTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "null",
            value = {
                "null                                                            | false",
                "''                                                              | false",
                "*/*                                                             | false",
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | true",
                "text/html                                                       | true",
                "TEXT/HTML                                                       | true",
                "text/*                                                          | true",
                "text/html, application/json                                     | false",
                "text/html;q=0.9, application/problem+json                       | false",
                "text/html, application/json;q=0.5                               | true",
                "text/html;q=0, */*                                              | false",
                "text/html;level=1;q=0.5, */*;q=0.1                              | true",
                "application/*, text/html;q=0.4                                  | false",
                "text/html;q=zero, */*;q=0                                       | false",
                "text/html;q=7, application/json;q=0.9                           | true",
                ",;,;q=,/                                                        | false"
            })
    void prefersHtml(@Nullable String field, boolean expected) {
        assertThat(Accept.prefersHtml(field)).isEqualTo(expected);
    }
}
