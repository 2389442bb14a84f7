package org.anteroom.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.anteroom.model.ByteRange;
import org.anteroom.model.FileFacts;
import org.anteroom.testing.Samples;
import org.junit.jupiter.api.Test;

/** What holds for every request and every file. */
class DeliveryPropertyTest {
    private final Samples samples = new Samples();

    @Test
    void ranges_lie_in_the_file_and_never_overlap() {
        for (int i = 0; i < Samples.TRIES; i++) {
            String field = rangeField();
            long size = samples.number(0, 50);
            long free = 0;
            List<ByteRange> ranges = new ArrayList<>(Ranges.parse(field, size).ranges());
            ranges.sort(Comparator.comparingLong(ByteRange::first));
            for (ByteRange range : ranges) {
                assertThat(range.first()).as("%s of %d", field, size).isGreaterThanOrEqualTo(free);
                assertThat(range.last()).as("%s of %d", field, size).isLessThan(size);
                free = range.end();
            }
        }
    }

    /** A byte is sent exactly if some range of the field holds it, and each range begins where the first of its own stood. */
    @Test
    void coalescing_keeps_what_was_asked_for_and_its_order() {
        for (int i = 0; i < Samples.TRIES; i++) {
            List<ByteRange> asked = new ArrayList<>();
            StringBuilder field = new StringBuilder("bytes=");
            for (long n = samples.number(1, 6); n > 0; n--) {
                long first = samples.number(0, 45);
                ByteRange range = new ByteRange(first, first + samples.number(0, 10));
                asked.add(range);
                field.append(range.first()).append('-').append(range.last()).append(',');
            }
            long size = samples.number(1, 40);
            List<ByteRange> got = Ranges.parse(field.toString(), size).ranges();
            for (long at = 0; at < size; at++) {
                assertThat(holds(got, at))
                        .as("byte %d of %s of %d", at, field, size)
                        .isEqualTo(holds(asked, at));
            }
            List<ByteRange> order = asked.stream()
                    .filter(range -> range.first() < size)
                    .map(range -> within(got, range.first()))
                    .distinct()
                    .toList();
            assertThat(got).as("%s of %d", field, size).isEqualTo(order);
        }
    }

    private static ByteRange within(List<ByteRange> ranges, long at) {
        return ranges.stream()
                .filter(range -> range.first() <= at && at <= range.last())
                .findFirst()
                .orElseThrow();
    }

    /** Never more than the file, nor than what was asked for and the headers of the parts. */
    @Test
    void an_answer_is_no_longer_than_what_was_asked_for() {
        for (int i = 0; i < Samples.TRIES; i++) {
            List<String> asked = new ArrayList<>();
            long bytes = 0;
            for (long n = samples.number(1, 30); n > 0; n--) {
                long first = samples.number(0, 99_999);
                long length = samples.number(1, 20);
                asked.add(first + "-" + (first + length - 1));
                bytes += Math.min(length, 100_000 - first);
            }
            String field = "bytes=" + String.join(", ", asked);
            ResponsePlan plan =
                    Plans.decide(Plans.get("Range", field), Plans.file(new FileFacts(100_000, null, null, null, null)));
            assertThat(plan.status()).isEqualTo(206);
            assertThat(plan.contentLength()).as(field).isLessThanOrEqualTo(bytes + 200L * (asked.size() + 1));
        }
    }

    private static boolean holds(List<ByteRange> ranges, long at) {
        return ranges.stream().anyMatch(r -> r.first() <= at && at <= r.last());
    }

    @Test
    void a_plan_never_throws_and_its_bytes_lie_in_the_file() {
        for (int i = 0; i < Samples.TRIES; i++) {
            String first = field();
            String second = field();
            String third = field();
            boolean head = samples.flag();
            boolean inline = samples.flag();
            long size = samples.number(-1, 50);
            FileHeaders file = Plans.file(new FileFacts(size, Plans.MODIFIED, "\"1\"", null, null));
            for (FileRequest request : List.of(
                    new FileRequest(head, inline, first, second, null, null, second, null, third),
                    new FileRequest(head, inline, null, first, null, second, first, second, third),
                    new FileRequest(head, inline, null, null, first, second, first, null, third),
                    new FileRequest(head, inline, null, null, null, null, first, second, third))) {
                ResponsePlan plan = Plans.decide(request, file);
                assertThat(plan.status()).as("%s", request).isIn(200, 206, 304, 412, 416);
                assertThat(plan.sendsBody()).as("%s", request).isEqualTo(!head && plan.status() < 300);
                Multipart parts = plan.multipart();
                if (parts != null) {
                    assertThat(parts.length()).as("%s", request).isEqualTo(plan.contentLength());
                    assertThat(parts.length()).as("%s", request).isLessThan(size);
                } else if (plan.sendsBody() && size >= 0) {
                    assertThat(plan.offset()).as("%s", request).isGreaterThanOrEqualTo(0);
                    assertThat(plan.offset() + plan.contentLength())
                            .as("%s", request)
                            .isLessThanOrEqualTo(size);
                }
            }
        }
    }

    @Test
    void dates_come_back() {
        for (int i = 0; i < Samples.TRIES; i++) {
            Instant time = Instant.ofEpochSecond(samples.number(-62_167_219_200L, 253_402_300_799L));
            String text = String.valueOf(HttpDate.format(time));
            assertThat(text).hasSize(29);
            assertThat(HttpDate.parse(text, Plans.CLOCK)).as(text).isEqualTo(time);
        }
    }

    @Test
    void names_make_fields_of_visible_ascii() {
        for (int i = 0; i < Samples.TRIES; i++) {
            String name = samples.text(40);
            String field = ContentDisposition.attachment(name);
            assertThat(field.chars()).as(field).allMatch(c -> c >= 0x20 && c < 0x7f);
            assertThat(field.chars().filter(c -> c == '"').count()).as(field).isEqualTo(2);
        }
    }

    private String rangeField() {
        return "bytes=" + samples.text("0123456789-, \tx", 0, 30);
    }

    private String field() {
        return switch ((int) samples.number(0, 3)) {
            case 0 -> rangeField();
            case 1 -> samples.text(40);
            case 2 -> samples.text("\"W/1,* \t", 0, 12);
            default ->
                samples.oneOf(
                        "\"1\"",
                        "W/\"1\"",
                        "*",
                        Plans.MODIFIED_TEXT,
                        "Monday, 06-May-24 07:08:09 GMT",
                        "Mon May  6 07:08:09 2024",
                        "bytes=0-0",
                        "bytes=-5",
                        "sha-256=0");
        };
    }
}
