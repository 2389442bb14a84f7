package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileFacts;
import org.anteroom.testing.FakeTicker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Locations over a fake inventory, with an executor that runs work when it is told to. */
class LocationsTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    private final FakeTicker ticker = new FakeTicker();
    private final Map<String, List<CopyRow>> rows = new ConcurrentHashMap<>();
    private final List<String> asked = new ArrayList<>();
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private @Nullable DatabaseException failure;
    private boolean full;

    private final Executor executor = work -> {
        if (full) {
            throw new RejectedExecutionException("full");
        }
        queue.add(work);
    };

    private final Locations<String> locations = new Locations<>(
            new InventorySettings(TTL, Duration.ofSeconds(1), 1000),
            objid -> {
                asked.add(objid);
                if (failure != null) {
                    throw failure;
                }
                return rows.getOrDefault(objid, List.of());
            },
            (objid, facts) -> objid + " " + facts.size(),
            executor,
            ticker,
            new Metrics());

    private void runQueued() {
        while (!queue.isEmpty()) {
            queue.remove().run();
        }
    }

    private static CopyRow row(long id, String objid, long size) {
        Instant time = Instant.EPOCH;
        FileFacts facts = new FileFacts(size, time, "\"" + size + "\"", null, null);
        return new CopyRow(id, 1, objid, "%032x".formatted(id), facts, CopyState.CACHED, time, time, time);
    }

    private Located<String> known(String objid) {
        return Objects.requireNonNull(locations.get(objid));
    }

    private static @Nullable Located<String> now(CompletableFuture<@Nullable Located<String>> future) {
        assertThat(future).isCompleted();
        return future.join();
    }

    @Test
    void absent_files_are_looked_up_once_for_all_who_ask_and_remembered() {
        rows.put("a/x", List.of(row(1, "a/x", 10)));
        assertThat(locations.get("a/x")).isNull();
        var first = locations.lookup("a/x");
        var second = locations.lookup("a/x");
        assertThat(first).isNotDone();
        runQueued();
        assertThat(now(first)).isSameAs(now(second));
        assertThat(Objects.requireNonNull(now(first)).derived()).isEqualTo("a/x 10");
        assertThat(locations.get("a/x")).isSameAs(now(first));
        assertThat(asked).containsExactly("a/x");
    }

    @Test
    void absence_is_not_remembered() {
        var first = locations.lookup("a/x");
        runQueued();
        assertThat(now(first)).isNull();
        rows.put("a/x", List.of(row(1, "a/x", 10)));
        var second = locations.lookup("a/x");
        runQueued();
        assertThat(now(second)).isNotNull();
    }

    @Test
    void an_old_entry_is_served_and_refreshed_once_in_the_background() {
        locations.put("a/x", List.of(row(1, "a/x", 10)));
        ticker.advance(TTL);
        rows.put("a/x", List.of(row(2, "a/x", 10)));
        for (int i = 0; i < 5; i++) {
            assertThat(known("a/x").copies().get(0).id()).isEqualTo(1);
        }
        assertThat(queue).hasSize(1);
        runQueued();
        assertThat(known("a/x").copies().get(0).id()).isEqualTo(2);
        assertThat(asked).hasSize(1);
    }

    @Test
    void a_young_entry_asks_nothing() {
        locations.put("a/x", List.of(row(1, "a/x", 10)));
        ticker.advance(TTL.minusNanos(1));
        assertThat(locations.get("a/x")).isNotNull();
        assertThat(queue).isEmpty();
    }

    @Test
    void a_refresh_that_fails_leaves_the_entry_in_use_and_is_tried_again_later() {
        locations.put("a/x", List.of(row(1, "a/x", 10)));
        ticker.advance(TTL);
        failure = new DatabaseException(DatabaseException.Reason.AWAY, "gone", null);
        locations.get("a/x");
        runQueued();
        assertThat(locations.get("a/x")).isNotNull();
        assertThat(queue).as("not before the pause is over").isEmpty();
        ticker.advance(Duration.ofSeconds(5));
        failure = null;
        rows.put("a/x", List.of(row(2, "a/x", 10)));
        locations.get("a/x");
        runQueued();
        assertThat(known("a/x").copies().get(0).id()).isEqualTo(2);
    }

    @Test
    void a_refresh_that_is_refused_leaves_the_entry_in_use() {
        locations.put("a/x", List.of(row(1, "a/x", 10)));
        ticker.advance(TTL);
        full = true;
        assertThat(locations.get("a/x")).isNotNull();
        full = false;
        ticker.advance(Duration.ofSeconds(5));
        locations.get("a/x");
        assertThat(queue).hasSize(1);
    }

    @Test
    void a_refresh_that_finds_nothing_forgets_the_file() {
        locations.put("a/x", List.of(row(1, "a/x", 10)));
        ticker.advance(TTL);
        locations.get("a/x");
        runQueued();
        assertThat(locations.get("a/x")).isNull();
    }

    @Test
    void a_lookup_that_fails_tells_and_is_not_kept() {
        failure = new DatabaseException(DatabaseException.Reason.TIMEOUT, "late", null);
        var first = locations.lookup("a/x");
        runQueued();
        assertThatThrownBy(first::join).hasCause(failure);
        failure = null;
        rows.put("a/x", List.of(row(1, "a/x", 10)));
        var second = locations.lookup("a/x");
        runQueued();
        assertThat(now(second)).isNotNull();
    }

    @Test
    void a_lookup_that_is_refused_tells() {
        full = true;
        assertThatThrownBy(locations.lookup("a/x")::join).hasCauseInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void what_is_read_before_a_file_is_forgotten_is_not_remembered() {
        rows.put("a/x", List.of(row(1, "a/x", 10)));
        var before = locations.lookup("a/x");
        locations.forget("a/x");
        runQueued();
        assertThat(now(before)).isNotNull();
        assertThat(locations.get("a/x")).isNull();
    }

    @Test
    void a_refresh_that_began_before_a_change_does_not_undo_it() {
        locations.put("a/x", List.of(row(1, "a/x", 10)));
        ticker.advance(TTL);
        rows.put("a/x", List.of(row(1, "a/x", 10)));
        locations.get("a/x");
        locations.put("a/x", List.of(row(2, "a/x", 10)));
        runQueued();
        assertThat(known("a/x").copies().get(0).id()).isEqualTo(2);

        ticker.advance(TTL);
        locations.get("a/x");
        locations.forget("a/x");
        runQueued();
        assertThat(locations.get("a/x")).isNull();
    }

    @Test
    void copies_of_older_content_are_left_out() {
        Located<String> located =
                Objects.requireNonNull(locations.put("a/x", List.of(row(2, "a/x", 20), row(1, "a/x", 10))));
        assertThat(located.copies()).extracting(CopyRow::id).containsExactly(2L);
        assertThat(located.facts().size()).isEqualTo(20);
    }
}
