package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.anteroom.testing.Samples;
import org.junit.jupiter.api.Test;

/** What holds for all texts and all numbers. */
class ValueTypesPropertyTest {

    private final Samples samples = new Samples();

    private static final List<ValueType<?>> TYPES = List.of(
            ValueTypes.BOOLEAN,
            ValueTypes.RATIO,
            ValueTypes.NAMES,
            ValueTypes.FOLDER,
            ValueTypes.NAME,
            ValueTypes.size(0),
            ValueTypes.duration(Duration.ZERO),
            ValueTypes.number(0, 9, "1"),
            ValueTypes.oneOf("a", "b"));

    @Test
    void a_text_is_parsed_or_refused_with_a_message() {
        for (int i = 0; i < Samples.TRIES; i++) {
            String text = samples.text(30);
            for (ValueType<?> type : TYPES) {
                try {
                    assertThat(type.parse(text)).as("%s: %s", type.name(), text).isNotNull();
                } catch (BadValueException e) {
                    assertThat(e).as("%s: %s", type.name(), text).message().isNotBlank();
                }
            }
        }
    }

    @Test
    void a_number_of_bytes_is_itself() throws BadValueException {
        for (int i = 0; i < Samples.TRIES; i++) {
            long bytes = samples.number(0, Long.MAX_VALUE);
            assertThat(ValueTypes.size(0).parse(Long.toString(bytes))).isEqualTo(bytes);
        }
    }

    @Test
    void a_unit_multiplies() throws BadValueException {
        Map<String, Long> units = Map.of("KiB", 10L, "MiB", 20L, "GiB", 30L, "TiB", 40L, "PiB", 50L);
        for (int i = 0; i < Samples.TRIES; i++) {
            long count = samples.number(0, 8191);
            for (Map.Entry<String, Long> unit : units.entrySet()) {
                assertThat(ValueTypes.size(0).parse(count + unit.getKey())).isEqualTo(count << unit.getValue());
            }
        }
    }

    @Test
    void a_time_is_never_negative_and_fits_nanoseconds() {
        for (int i = 0; i < Samples.TRIES; i++) {
            String text = samples.text("0123456789", 1, 30) + samples.oneOf("ms", "s", "m", "h", "d");
            try {
                Duration time = ValueTypes.duration(Duration.ZERO).parse(text);
                assertThat(time.toNanos()).as(text).isNotNegative();
            } catch (BadValueException e) {
                assertThat(e).as(text).hasMessage("too long; the most is 36500d");
            }
        }
    }

    @Test
    void a_ratio_of_hundredths_is_itself() throws BadValueException {
        for (int hundredths = 0; hundredths < 100; hundredths++) {
            String text = hundredths < 10 ? "0.0" + hundredths : "0." + hundredths;
            assertThat(ValueTypes.RATIO.parse(text)).isEqualTo(hundredths / 100.0);
        }
    }
}
