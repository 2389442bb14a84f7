package org.anteroom.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.anteroom.delivery.FileHeaders;
import org.anteroom.delivery.HeaderPolicy;
import org.anteroom.delivery.HeaderSettings;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.CopyState;
import org.anteroom.inventory.InventorySettings;
import org.anteroom.inventory.Locations;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.junit.jupiter.api.Test;

/** What a location costs in memory, as docs/configuration.md tells it. */
class LocationMemoryTest {
    private static final int ENTRIES = 100_000;

    @Test
    void aLocationTakesWhatTheManualSays() throws Exception {
        HeaderPolicy policy = new HeaderPolicy(new HeaderSettings("public, no-cache, no-transform", Map.of()));
        Locations<FileHeaders> locations = new Locations<>(
                new InventorySettings(Duration.ofSeconds(30), Duration.ofSeconds(1), 2 * ENTRIES),
                objid -> List.of(),
                (objid, facts) -> policy.headers(FileKey.parse(objid), facts),
                Runnable::run,
                Ticker.systemTicker(),
                new Metrics());
        long before = used();
        for (int i = 0; i < ENTRIES; i++) {
            // as the driver makes it, nothing in it is shared with another row
            locations.put(objid(i), List.of(row(i)));
        }
        long each = (used() - before) / ENTRIES;
        System.out.printf("LocationMemoryTest: %d bytes for each of %,d locations%n", each, ENTRIES);
        assertThat(locations.get(objid(0))).isNotNull();
        assertThat(locations.get(objid(ENTRIES - 1))).isNotNull();
        assertThat(each).isBetween(told() * 3 / 4, told());
    }

    /** 66 characters. */
    private static String objid(int i) {
        return "dataset-%06d/data/observations/2024/station-12/site-%08d.csv".formatted(i / 100, i);
    }

    private static CopyRow row(int i) {
        FileFacts facts = new FileFacts(
                1_000_000 + i,
                Instant.ofEpochSecond(1_700_000_000L + i, 123_456_789),
                "\"%016x-%x\"".formatted(i * 7919L, i),
                Sha256.of(new byte[] {(byte) i, (byte) (i >> 8), (byte) (i >> 16)}),
                null);
        Instant since = Instant.ofEpochMilli(1_700_000_000_000L + i);
        return new CopyRow(
                i,
                1,
                objid(i),
                "%032x".formatted(i),
                facts,
                CopyState.CACHED,
                since,
                Instant.ofEpochMilli(since.toEpochMilli()),
                Instant.ofEpochMilli(since.toEpochMilli()));
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long told() throws Exception {
        MatchResult found = Pattern.compile("`inventory\\.location-max`.*?([0-9,]+) bytes")
                .matcher(Files.readString(Path.of("docs/configuration.md")))
                .results()
                .findFirst()
                .orElseThrow();
        return Long.parseLong(found.group(1).replace(",", ""));
    }
}
