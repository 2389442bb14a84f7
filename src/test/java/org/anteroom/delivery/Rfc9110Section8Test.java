package org.anteroom.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import org.anteroom.model.FileFacts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9110, section 8: validators and the metadata of a representation. */
class Rfc9110Section8Test {

    @ParameterizedTest(name = "{0} names {1}: strongly {2}, weakly {3}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "\"1\"                 | \"1\"   | true  | true",
                "W/\"1\"               | \"1\"   | false | true",
                "\"1\"                 | \"2\"   | false | false",
                "W/\"1\"               | \"2\"   | false | false",
                "\"1\", \"2\"          | \"2\"   | true  | true",
                "\"1\",\"2\"           | \"2\"   | true  | true",
                ", ,\"1\",, \"2\" ,    | \"2\"   | true  | true",
                "\"1\", W/\"2\"        | \"2\"   | false | true",
                "W/\"2\", \"2\"        | \"2\"   | true  | true",
                "\"a,b\"               | \"a,b\" | true  | true",
                "\"a,b\", \"c\"        | \"c\"   | true  | true",
                "\"a, \", \"b\"        | \"b\"   | true  | true",
                "\"a,b\"               | \"a\"   | false | false",
                "\"\"                  | \"\"    | true  | true",
                "\"a\\\"               | \"a\\\" | true  | true",
                "\"a b\"               | \"a b\" | true  | true",
                "*                     | \"1\"   | true  | true",
                "\"A\"                 | \"a\"   | false | false"
            })
    void comparesTags(String field, String etag, boolean strongly, boolean weakly) {
        assertThat(EntityTags.matchStrongly(field, etag)).isEqualTo(strongly);
        assertThat(EntityTags.matchWeakly(field, etag)).isEqualTo(weakly);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ",",
                "1",
                "\"1",
                "1\"",
                "\"1\" \"1\"",
                "\"1\"x",
                "\"1\", x",
                "\"1\", *",
                "*, \"1\"",
                "**",
                "w/\"1\"",
                "W/",
                "W/1",
                "W/ \"1\"",
                "\"1\", \"2"
            })
    void whatIsNoListOfTagsMatchesNothing(String field) {
        assertThat(EntityTags.matchStrongly(field, "\"1\"")).isFalse();
        assertThat(EntityTags.matchWeakly(field, "\"1\"")).isFalse();
    }

    @Test
    void aFileWithoutTagIsMatchedByTheStarAlone() {
        assertThat(EntityTags.matchWeakly("*", null)).isTrue();
        assertThat(EntityTags.matchWeakly("\t* ", null)).isTrue();
        assertThat(EntityTags.matchWeakly("\"1\"", null)).isFalse();
    }

    @Test
    void aFileWithoutValidatorsIsSentWithoutThem() {
        ResponsePlan plan = Plans.decide(FileRequest.GET, Plans.file(new FileFacts(7, null, null, null, null)));
        assertThat(Plans.headers(plan)).doesNotContainKeys("ETag", "Last-Modified", "Repr-Digest");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a\r\nSet-Cookie: x\"", "\"\u20ac\"", "\"a\"b\"", "\"\u0000\""})
    void aTagThatNoFieldCanCarryIsNotSent(String etag) {
        FileFacts facts = new FileFacts(7, null, etag, null, null);
        assertThat(Plans.decide(FileRequest.GET, Plans.file(facts)).header("ETag"))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "application/x-test, application/x-test",
                "text/csv;charset=latin1, text/csv;charset=latin1",
                "null, text/csv",
                "nonsense, text/csv",
                "'text/html\r\nX: y', text/csv"
            })
    void theArchivesTypeGoesBeforeTheSuffixUnlessNoFieldCanCarryIt(String type, String expected) {
        FileFacts facts = new FileFacts(7, null, null, null, type);
        assertThat(Plans.decide(FileRequest.GET, Plans.file(facts)).header("Content-Type"))
                .isEqualTo(expected);
    }

    @Test
    void aChangeInTheFutureIsNotTold() {
        InstantSource before = InstantSource.fixed(Plans.MODIFIED.minusSeconds(3600));
        for (FileRequest request :
                new FileRequest[] {FileRequest.GET, FileRequest.HEAD, Plans.get("If-Modified-Since", Plans.SECOND_AFTER)
                }) {
            ResponsePlan plan = ResponsePlan.decide(request, Plans.file(), before);
            assertThat(plan.status()).isEqualTo(200);
            assertThat(plan.header("Last-Modified")).isNull();
            assertThat(plan.header("ETag")).isEqualTo(Plans.ETAG);
        }
    }

    @Test
    void aTimeThatTheFormatCannotExpressIsNotTold() {
        FileFacts facts = new FileFacts(7, Instant.MIN, null, null, null);
        assertThat(Plans.decide(FileRequest.GET, Plans.file(facts)).header("Last-Modified"))
                .isNull();
    }
}
