package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** What holds for all texts and all numbers. */
class ValueTypesPropertyTest {

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

    @Property
    void aTextIsParsedOrRefusedWithAMessage(@ForAll String text) {
        for (ValueType<?> type : TYPES) {
            try {
                assertThat(type.parse(text)).as(type.name()).isNotNull();
            } catch (BadValueException e) {
                assertThat(e).as(type.name()).message().isNotBlank();
            }
        }
    }

    @Property
    void aNumberOfBytesIsItself(@ForAll @LongRange(min = 0) long bytes) throws BadValueException {
        assertThat(ValueTypes.size(0).parse(Long.toString(bytes))).isEqualTo(bytes);
    }

    @Property
    void aUnitMultiplies(@ForAll @LongRange(min = 0, max = 8191) long count) throws BadValueException {
        Map<String, Long> units = Map.of("KiB", 10L, "MiB", 20L, "GiB", 30L, "TiB", 40L, "PiB", 50L);
        for (Map.Entry<String, Long> unit : units.entrySet()) {
            assertThat(ValueTypes.size(0).parse(count + unit.getKey())).isEqualTo(count << unit.getValue());
        }
    }

    @Property
    void aTimeIsNeverNegativeAndFitsNanoseconds(@ForAll("digits") String digits, @ForAll("units") String unit) {
        try {
            Duration time = ValueTypes.duration(Duration.ZERO).parse(digits + unit);
            assertThat(time.toNanos()).isNotNegative();
        } catch (BadValueException e) {
            assertThat(e).hasMessage("too long; the most is 36500d");
        }
    }

    @Property
    void aRatioOfHundredthsIsItself(@ForAll @IntRange(min = 0, max = 99) int hundredths) throws BadValueException {
        String text = hundredths < 10 ? "0.0" + hundredths : "0." + hundredths;
        assertThat(ValueTypes.RATIO.parse(text)).isEqualTo(hundredths / 100.0);
    }

    @Provide
    Arbitrary<String> digits() {
        return Arbitraries.strings().numeric().ofMinLength(1).ofMaxLength(30);
    }

    @Provide
    Arbitrary<String> units() {
        return Arbitraries.of("ms", "s", "m", "h", "d");
    }
}
