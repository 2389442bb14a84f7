package org.anteroom.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NeedTest {

    @ParameterizedTest
    @CsvSource({
        "1000, 950, 0, 0",
        "1000, 951, 0, 51",
        "1000, 900, 50, 0",
        "1000, 900, 51, 51",
        "1000, 1000, 0, 100",
        "500, 1000, 0, 550",
        "0, 0, 0, 0"
    })
    void leads_from_above_the_high_watermark_down_to_the_low_one(long capacity, long used, long reserved, long free) {
        VolumeEviction how = new VolumeEviction("lru", 0.95, 0.90);
        assertThat(Need.ofWatermarks(volume(capacity, used, reserved), how)).isEqualTo(free);
    }

    @ParameterizedTest
    @CsvSource({
        "1000, 1000, 0, 300, 300",
        "1000, 800, 100, 300, 200",
        "1000, 700, 0, 300, 0",
        "500, 600, 0, 300, 400",
        "1000, 1000, 0, 0, 0"
    })
    void is_what_is_missing_for_a_file_that_found_no_room(
            long capacity, long used, long reserved, long wanted, long free) {
        assertThat(Need.ofWish(volume(capacity, used, reserved), wanted)).isEqualTo(free);
    }

    private static VolumeRow volume(long capacity, long used, long reserved) {
        return new VolumeRow(
                1, "fast", "", "filesystem", "/", null, capacity, VolumeStatus.ACTIVE, used, reserved, 0, 0, 0);
    }
}
