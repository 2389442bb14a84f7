package org.anteroom.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import org.anteroom.model.FileFacts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9110, section 14: range requests. */
class Rfc9110Section14Test {

    @ParameterizedTest(name = "{0} of {1} bytes")
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=0-16384              | 1048576    | 0          | 16384",
                "bytes=0-0                  | 1048576    | 0          | 0",
                "bytes=0-                   | 1048576    | 0          | 1048575",
                "bytes=1048575-             | 1048576    | 1048575    | 1048575",
                "bytes=5-1048576            | 1048576    | 5          | 1048575",
                "bytes=-1                   | 1048576    | 1048575    | 1048575",
                "bytes=-1048577             | 1048576    | 0          | 1048575",
                "BYTES=1-2                  | 1048576    | 1          | 2",
                "bytes= 1-2                 | 1048576    | 1          | 2",
                "bytes=001-002              | 1048576    | 1          | 2",
                "bytes=,1-2,                | 1048576    | 1          | 2",
                "bytes=0-99999999999999999999999 | 10    | 0          | 9",
                "bytes=-99999999999999999999999  | 10    | 0          | 9",
                "bytes=4294967296-4294967297 | 5368709120 | 4294967296 | 4294967297",
                "bytes=-1                   | 5368709120 | 5368709119 | 5368709119",
                "bytes=0-0,10-              | 10         | 0          | 0",
                "bytes=20-30,5-,-0          | 10         | 5          | 9",
                "bytes=0-4,5-9              | 10         | 0          | 9",
                "bytes=5-9,0-4              | 10         | 0          | 9",
                "bytes=0-6 , 3-8,\t4-5      | 10         | 0          | 8"
            })
    void whatComesDownToOneRangeIsThatRange(String field, long size, long first, long last) {
        ResponsePlan plan = plan(field, size);
        assertThat(plan.status()).isEqualTo(206);
        assertThat(plan.header("Content-Range")).isEqualTo("bytes " + first + "-" + last + "/" + size);
        assertThat(plan.contentLength()).isEqualTo(last - first + 1);
        assertThat(plan.offset()).isEqualTo(first);
        assertThat(plan.sendsBody()).isTrue();
    }

    @ParameterizedTest(name = "{0} of {1} bytes")
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=1048576-              | 1048576",
                "bytes=1048576-1048577       | 1048576",
                "bytes=-0                    | 1048576",
                "bytes=10-,20-30,-0          | 10",
                "bytes=99999999999999999999- | 10",
                "bytes=0-                    | 0",
                "bytes=0-0                   | 0",
                "bytes=-0                    | 0"
            })
    void whatLiesOutsideIsNotSatisfiable(String field, long size) {
        ResponsePlan plan = plan(field, size);
        assertThat(plan.status()).isEqualTo(416);
        assertThat(plan.sendsBody()).isFalse();
        assertThat(plan.contentLength()).isEqualTo(ResponsePlan.NO_LENGTH);
        assertThat(Plans.headers(plan))
                .containsOnlyKeys("Content-Range", "Accept-Ranges")
                .containsEntry("Content-Range", "bytes */" + size);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bytes",
                "bytes=",
                "bytes=,",
                "bytes= ",
                "bytes=-",
                "bytes=1",
                "bytes=a-b",
                "bytes=1-b",
                "bytes=2-1",
                "bytes=--1",
                "bytes=1--2",
                "bytes=1-2-3",
                "bytes=+1-2",
                "bytes=1 -2",
                "bytes=1- 2",
                "bytes=0-0 1-1",
                "bytes=0-0;1-1",
                "bytes=0-0,x",
                "bytes=0-0, bytes=2-3",
                "bytes =0-0",
                " bytes=0-0",
                "byte=0-0",
                "lines=0-0",
                "bytes=\u0661-\u0662",
                "0-0"
            })
    void whatIsMalformedOrInAnotherUnitIsIgnored(String field) {
        assertThat(plan(field, 10).status()).isEqualTo(200);
        assertThat(plan(field, 10).contentLength()).isEqualTo(10);
    }

    @Test
    void aSuffixOfAnEmptyFileIsTheWholeOfIt() {
        ResponsePlan plan = plan("bytes=-5", 0);
        assertThat(plan.status()).isEqualTo(200);
        assertThat(plan.contentLength()).isZero();
    }

    @Test
    void severalRangesApartAreAnsweredWithTheWhole() {
        String six = "bytes=0-19,30-49,60-79,90-109,120-139,150-169";
        ResponsePlan plan = plan(six, 200);
        assertThat(plan.status()).isEqualTo(200);
        assertThat(plan.contentLength()).isEqualTo(200);
        assertThat(plan.header("Content-Range")).isNull();
        assertThat(Ranges.parse(six, 200).ranges()).hasSize(6);
    }

    @Test
    void tooManyRangesAreIgnored() {
        String most = "bytes=" + "0-0,".repeat(Ranges.MAX_RANGES);
        assertThat(plan(most, 10).status()).isEqualTo(206);
        assertThat(plan(most + "0-0", 10).status()).isEqualTo(200);
    }

    @Test
    void headIgnoresRanges() {
        for (String field : new String[] {"bytes=0-0", "bytes=9999999-"}) {
            ResponsePlan plan = Plans.decide(Plans.head("Range", field));
            assertThat(plan.status()).isEqualTo(200);
            assertThat(plan.contentLength()).isEqualTo(Plans.SIZE);
            assertThat(plan.sendsBody()).isFalse();
        }
    }

    @Test
    void aFileOfUnknownSizeHasNoRanges() {
        FileHeaders file = Plans.file(new FileFacts(FileFacts.UNKNOWN_SIZE, Plans.MODIFIED, Plans.ETAG, null, null));
        for (String field : new String[] {"bytes=0-0", "bytes=-1"}) {
            ResponsePlan plan = Plans.decide(Plans.get("Range", field), file);
            assertThat(plan.status()).isEqualTo(200);
            assertThat(plan.header("Accept-Ranges")).isEqualTo("none");
            assertThat(plan.contentLength()).isEqualTo(ResponsePlan.NO_LENGTH);
            assertThat(plan.sendsBody()).isTrue();
        }
    }

    private static ResponsePlan plan(String range, long size) {
        return Plans.decide(Plans.get("Range", range), Plans.file(new FileFacts(size, null, null, null, null)));
    }
}
