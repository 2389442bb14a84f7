package org.anteroom.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
                "bytes=0-4,4-9              | 10         | 0          | 9",
                "bytes=5-9,0-5              | 10         | 0          | 9",
                "bytes=0-0,0-0,0-0          | 1048576    | 0          | 0",
                "bytes=0-1048575,5-6,-1     | 1048576    | 0          | 1048575",
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
                "bytes=9223372036854775807-9223372036854775808 | 10",
                "bytes=99999999999999999999-099999999999999999999 | 10",
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
                "bytes=99999999999999999999-88888888888888888888",
                "bytes=9223372036854775808-9223372036854775807",
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

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=0-9,20-29            | 0-9 20-29",
                "bytes=20-29,0-9            | 20-29 0-9",
                "bytes=0-9,10-19            | 0-9 10-19",
                "bytes=-5,0-0               | 1048571-1048575 0-0",
                "bytes=0-0,-1               | 0-0 1048575-1048575",
                "bytes=500-600,0-9,601-700  | 500-600 0-9 601-700",
                "bytes=0-0,2000000-,5-5,-0  | 0-0 5-5",
                "bytes=1000000-,0-0         | 1000000-1048575 0-0",
                // overlapping ones in the place of the first of them
                "bytes=50-60,0-9,55-70      | 50-70 0-9",
                "bytes=0-9,50-60,5-52,99-99 | 0-60 99-99",
                "bytes=99-99,5-6,0-20,7-8   | 99-99 0-20"
            })
    void severalRangesArePartsInTheOrderAsked(String field, String parts) {
        Multipart multipart =
                java.util.Objects.requireNonNull(plan(field, 1_048_576).multipart());
        List<String> ranges = IntStream.range(0, multipart.count())
                .mapToObj(multipart::range)
                .map(range -> range.first() + "-" + range.last())
                .toList();
        assertThat(ranges).containsExactly(parts.split(" "));
    }

    @Test
    void aMultipartIsMadeAsTheRfcHasIt() {
        ResponsePlan plan = Plans.decide(Plans.get("Range", "bytes=1000-1009,0-4"));
        Multipart parts = java.util.Objects.requireNonNull(plan.multipart());
        String type = String.valueOf(plan.header("Content-Type"));
        assertThat(type).matches("multipart/byteranges; boundary=[0-9a-f-]{36}");
        String boundary = type.substring(type.indexOf('=') + 1);
        assertThat(plan.status()).isEqualTo(206);
        assertThat(plan.header("Content-Range")).isNull();
        assertThat(plan.header("ETag")).isEqualTo(Plans.ETAG);
        assertThat(plan.offset()).isEqualTo(1000);
        assertThat(text(parts.preamble(0)))
                .isEqualTo("--" + boundary
                        + "\r\nContent-Type: text/csv\r\nContent-Range: bytes 1000-1009/1048576\r\n\r\n");
        assertThat(text(parts.preamble(1)))
                .isEqualTo(
                        "\r\n--" + boundary + "\r\nContent-Type: text/csv\r\nContent-Range: bytes 0-4/1048576\r\n\r\n");
        assertThat(text(parts.closing())).isEqualTo("\r\n--" + boundary + "--\r\n");
        assertThat(plan.contentLength())
                .isEqualTo(parts.preamble(0).length + 10 + parts.preamble(1).length + 5 + parts.closing().length);
    }

    @Test
    void theBoundaryIsNewInEachAnswer() {
        FileRequest request = Plans.get("Range", "bytes=0-0,5-5");
        assertThat(Plans.decide(request).header("Content-Type"))
                .isNotEqualTo(Plans.decide(request).header("Content-Type"));
    }

    @Test
    void partsThatWouldBeLongerThanTheFileAreTheWhole() {
        ResponsePlan plan = plan("bytes=0-4,6-9", 10);
        assertThat(plan.status()).isEqualTo(200);
        assertThat(plan.contentLength()).isEqualTo(10);
        assertThat(plan.multipart()).isNull();
    }

    @Test
    void tooManyPartsAreIgnored() {
        String most = IntStream.range(0, Ranges.MAX_PARTS)
                .mapToObj(i -> 2 * i + "-" + 2 * i)
                .collect(Collectors.joining(",", "bytes=", ""));
        ResponsePlan plan = plan(most, 1 << 20);
        assertThat(plan.status()).isEqualTo(206);
        assertThat(plan.contentLength()).isLessThan(Ranges.MAX_PARTS * 200L);
        assertThat(plan(most + ",-1", 1 << 20).status()).isEqualTo(200);
        // those that are one by overlapping are counted once
        assertThat(plan(most + ",0-0".repeat(1000), 1 << 20).status()).isEqualTo(206);
        assertThat(plan("bytes=0-0" + ",0-0".repeat(1000), 1 << 20).contentLength())
                .isEqualTo(1);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
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
