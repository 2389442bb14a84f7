package org.anteroom.eviction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.UseLog;
import org.anteroom.inventory.UseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UseWriterTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration GRACE = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    private TestCache cache;
    private UseLog log;

    @BeforeEach
    void open() throws IOException {
        cache = new TestCache(folder, 1_000_000);
        log = new UseLog(cache.clock());
    }

    @AfterEach
    void close() {
        cache.close();
    }

    @Test
    void writes_in_batches_and_leaves_nothing() throws IOException {
        UseWriter writer = new UseWriter(log, cache.uses, TTL, GRACE, cache.metrics());
        CopyRow copy = cache.copy("set/1", 10);
        // uses of copies that are gone fill the batches up
        for (long id = 1000; id < 2200; id++) {
            log.used(id);
        }
        cache.advance(Duration.ofSeconds(5));
        log.used(copy.id());
        log.used(copy.id());
        writer.flush();
        assertThat(cache.number("SELECT uses FROM copy_use")).isEqualTo(2);
        assertThat(cache.number("SELECT last_use FROM copy_use"))
                .isEqualTo(cache.test().now().toEpochMilli());
        assertThat(log.drain()).isEmpty();
        // 1,201 copies in batches of 500
        assertThat(cache.test().statementsRun("record-uses")).isEqualTo(3);
    }

    @Test
    void keeps_what_could_not_be_written() throws Exception {
        UseStore impatient = new UseStore(
                cache.test().database(), Duration.ofMillis(50), cache.test().clock());
        UseWriter writer = new UseWriter(log, impatient, TTL, GRACE, cache.metrics());
        CopyRow copy = cache.copy("set/1", 10);
        log.used(copy.id());
        try (Connection lock = cache.test().lock()) {
            assertThat(lock.isClosed()).isFalse();
            writer.flush();
        }
        assertThat(cache.number("SELECT uses FROM copy_use")).isZero();
        new UseWriter(log, cache.uses, TTL, GRACE, new org.anteroom.metrics.Metrics()).flush();
        assertThat(cache.number("SELECT uses FROM copy_use")).isEqualTo(1);
    }

    @Test
    void is_done_before_a_condemned_copy_may_go() {
        assertThat(UseWriter.period(TTL, GRACE)).isEqualTo(Duration.ofSeconds(20));
        assertThat(UseWriter.period(Duration.ofSeconds(1), Duration.ofSeconds(2)))
                .isEqualTo(Duration.ofMillis(500));
        assertThatThrownBy(() -> UseWriter.period(TTL, TTL)).isInstanceOf(IllegalArgumentException.class);
    }
}
