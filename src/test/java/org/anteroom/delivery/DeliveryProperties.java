package org.anteroom.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.anteroom.model.ByteRange;
import org.anteroom.model.FileFacts;

/** What holds for every request and every file. */
class DeliveryProperties {

    @Property
    void rangesLieInTheFileInOrderAndApart(
            @ForAll("rangeFields") String field, @ForAll @LongRange(max = 50) long size) {
        List<ByteRange> ranges = Ranges.parse(field, size).ranges();
        long free = 0;
        for (ByteRange range : ranges) {
            assertThat(range.first()).isGreaterThanOrEqualTo(free);
            assertThat(range.last()).isLessThan(size);
            free = range.end() + 1; // one byte between two ranges, or they would be one
        }
    }

    /** A byte is sent exactly if some range of the field holds it. */
    @Property
    void mergingKeepsWhatWasAskedFor(
            @ForAll("wellFormed") List<ByteRange> asked, @ForAll @LongRange(min = 1, max = 40) long size) {
        StringBuilder field = new StringBuilder("bytes=");
        asked.forEach(r -> field.append(r.first()).append('-').append(r.last()).append(','));
        List<ByteRange> got = Ranges.parse(field.toString(), size).ranges();
        for (long at = 0; at < size; at++) {
            long position = at;
            assertThat(got.stream().anyMatch(r -> r.first() <= position && position <= r.last()))
                    .isEqualTo(asked.stream().anyMatch(r -> r.first() <= position && position <= r.last()));
        }
    }

    @Property
    void aPlanNeverThrowsAndItsBytesLieInTheFile(
            @ForAll("fields") String first,
            @ForAll("fields") String second,
            @ForAll boolean head,
            @ForAll boolean inline,
            @ForAll @LongRange(min = -1, max = 50) long size) {
        FileHeaders file = Plans.file(new FileFacts(size, Plans.MODIFIED, "\"1\"", null, null));
        for (FileRequest request : List.of(
                new FileRequest(head, inline, first, second, null, null, second, null),
                new FileRequest(head, inline, null, first, null, second, first, second),
                new FileRequest(head, inline, null, null, first, second, first, null),
                new FileRequest(head, inline, null, null, null, null, first, second))) {
            ResponsePlan plan = Plans.decide(request, file);
            assertThat(plan.status()).isIn(200, 206, 304, 412, 416);
            assertThat(plan.sendsBody()).isEqualTo(!head && plan.status() < 300);
            if (plan.sendsBody() && size >= 0) {
                assertThat(plan.offset()).isGreaterThanOrEqualTo(0);
                assertThat(plan.offset() + plan.contentLength()).isLessThanOrEqualTo(size);
            }
        }
    }

    @Property
    void datesComeBack(@ForAll @LongRange(min = -62_167_219_200L, max = 253_402_300_799L) long second) {
        Instant time = Instant.ofEpochSecond(second);
        String text = HttpDate.format(time);
        assertThat(text).hasSize(29);
        assertThat(HttpDate.parse(String.valueOf(text), Plans.CLOCK)).isEqualTo(time);
    }

    @Property
    void namesMakeFieldsOfVisibleAscii(@ForAll String name) {
        String field = ContentDisposition.attachment(name);
        assertThat(field.chars()).allMatch(c -> c >= 0x20 && c < 0x7f);
        assertThat(field.chars().filter(c -> c == '"').count()).isEqualTo(2);
    }

    @Provide
    Arbitrary<String> rangeFields() {
        return Arbitraries.strings()
                .withChars("0123456789-, \tx")
                .ofMaxLength(30)
                .map(s -> "bytes=" + s);
    }

    @Provide
    Arbitrary<List<ByteRange>> wellFormed() {
        Arbitrary<Integer> length = Arbitraries.integers().between(0, 10);
        return Arbitraries.integers()
                .between(0, 45)
                .flatMap(first -> length.map(more -> new ByteRange(first, first + more)))
                .list()
                .ofMinSize(1)
                .ofMaxSize(6);
    }

    @Provide
    Arbitrary<String> fields() {
        return Arbitraries.oneOf(
                rangeFields(),
                Arbitraries.strings().ofMaxLength(40),
                Arbitraries.strings().withChars("\"W/1,* \t").ofMaxLength(12),
                Arbitraries.of(
                        "\"1\"",
                        "W/\"1\"",
                        "*",
                        Plans.MODIFIED_TEXT,
                        "Monday, 06-May-24 07:08:09 GMT",
                        "Mon May  6 07:08:09 2024",
                        "bytes=0-0",
                        "bytes=-5"));
    }
}
