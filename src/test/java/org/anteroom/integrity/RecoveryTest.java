package org.anteroom.integrity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.anteroom.eviction.TestCache;
import org.anteroom.inventory.BeginResult;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.FillTicket;
import org.anteroom.inventory.Owner;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileFacts;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.Figures;
import org.anteroom.volume.CopyWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a kill leaves in a real volume and a real inventory, and what becomes of it. */
class RecoveryTest {
    private static final int SIZE = 1000;
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration UNAWARE = Duration.ofMinutes(10);

    @TempDir
    Path folder;

    private TestCache cache;
    private final Metrics metrics = new Metrics();
    private final Owner now = new Owner("one", "boot-2");
    private final Owner other = new Owner("two", "boot");
    private Recovery recovery;

    @BeforeEach
    void open() throws IOException {
        cache = new TestCache(folder, 100 * SIZE);
        recovery = new Recovery(cache.fills, cache.leases, cache.volumes, now, metrics);
    }

    @AfterEach
    void close() {
        cache.close();
    }

    private void abandonTemporary(FillTicket ticket) throws IOException {
        // a writer that is never closed is what a kill leaves
        CopyWriter writer = cache.write(ticket, SIZE);
        assertThat(writer.written()).isEqualTo(SIZE);
    }

    private double removed(String kind) {
        return Figures.value(metrics, "anteroom_leftovers_removed", "volume", "fast", "kind", kind);
    }

    @Test
    void a_kill_in_the_middle_of_a_fill_leaves_nothing() throws IOException {
        abandonTemporary(cache.begun("set/1", SIZE, cache.owner));
        assertThat(cache.volume().reserved()).isEqualTo(SIZE);
        recovery.start();
        recovery.clean(cache.guards());
        assertThat(cache.files("tmp")).isEmpty();
        assertThat(removed("temporary")).isEqualTo(1);
        cache.assertAllAgree();
        assertThat(cache.begin("set/1", SIZE, now)).isInstanceOf(BeginResult.Begun.class);
    }

    @Test
    void a_kill_between_the_name_and_the_row_leaves_nothing() throws IOException {
        CopyRow kept = cache.copy("set/0", SIZE);
        cache.writeNamed(cache.begun("set/1", SIZE, cache.owner), SIZE);
        recovery.start();
        recovery.clean(cache.guards());
        assertThat(cache.files("copies")).containsExactly(kept.name());
        assertThat(removed("copy")).isEqualTo(1);
        cache.assertAllAgree();
        assertThat(cache.fills.leftovers(cache.volumeId(), now, 10)).isEmpty();
    }

    @Test
    void a_kill_after_the_row_leaves_a_copy() throws IOException {
        CopyRow copy = cache.copy("set/1", SIZE);
        recovery.start();
        recovery.clean(cache.guards());
        assertThat(cache.copies.find("set/1", TestCache.WAIT)).containsExactly(copy);
        cache.assertAllAgree();
    }

    @Test
    void a_kill_of_the_recovery_itself_forgets_nothing() throws IOException {
        cache.writeNamed(cache.begun("set/1", SIZE, cache.owner), SIZE);
        recovery.start();
        Owner later = new Owner("one", "boot-3");
        Recovery next = new Recovery(cache.fills, cache.leases, cache.volumes, later, new Metrics());
        next.start();
        next.clean(cache.guards());
        cache.assertAllAgree();
    }

    @Test
    void a_volume_that_is_away_is_cleaned_when_it_is_back() throws Exception {
        cache.writeNamed(cache.begun("set/1", SIZE, cache.owner), SIZE);
        abandonTemporary(cache.begun("set/2", SIZE, cache.owner));
        try (AutoCloseable away = cache.withoutMarker()) {
            assertThat(away).isNotNull();
            recovery.start();
            // once while nobody has noticed yet, once degraded
            recovery.clean(cache.guards());
            recovery.clean(cache.guards());
            assertThat(cache.files("copies")).hasSize(1);
            assertThat(cache.files("tmp")).hasSize(1);
            assertThat(cache.volume().reserved()).isZero();
        }
        recovery.clean(cache.guards());
        assertThat(cache.files("tmp")).isEmpty();
        cache.assertAllAgree();
    }

    @Test
    void the_work_of_another_instance_is_left_alone_until_it_is_lost_for_good() throws IOException {
        FillTicket running = cache.begun("set/1", SIZE, other);
        abandonTemporary(running);
        recovery.start();
        recovery.clean(cache.guards());
        recovery.releaseLost(Set.of());
        assertThat(cache.files("tmp")).containsExactly(running.temporary());
        assertThat(cache.volume().reserved()).isEqualTo(SIZE);

        cache.advance(LEASE);
        recovery.releaseLost(Set.of());
        recovery.clean(cache.guards());
        // its bytes are free, but it may not know yet
        assertThat(cache.volume().reserved()).isZero();
        assertThat(cache.files("tmp")).containsExactly(running.temporary());

        cache.advance(UNAWARE);
        recovery.clean(cache.guards());
        assertThat(cache.files("tmp")).isEmpty();
    }

    @Test
    void a_fill_that_was_taken_over_leaves_no_file_of_its_first_owner() throws IOException {
        FillTicket first = cache.begun("set/1", SIZE, other);
        cache.writeNamed(first, SIZE);
        cache.advance(LEASE);
        FillTicket second = cache.begun("set/1", SIZE, now);
        cache.writeNamed(second, SIZE);
        assertThat(cache.fills.complete(second, now, new FileFacts(SIZE, null, null, null, null)))
                .isPresent();
        assertThat(cache.fills.complete(first, other, new FileFacts(SIZE, null, null, null, null)))
                .isEmpty();
        assertThat(cache.files("copies")).hasSize(2);

        cache.advance(UNAWARE);
        recovery.clean(cache.guards());
        assertThat(cache.files("copies")).containsExactly(second.name());
        cache.assertAllAgree();
    }

    @Test
    void a_fill_of_this_boot_that_was_cancelled_keeps_its_files_for_its_own_end() throws IOException {
        FillTicket ticket = cache.begun("set/1", SIZE, now);
        abandonTemporary(ticket);
        cache.fills.cancel("set/1");
        cache.advance(UNAWARE);
        recovery.clean(cache.guards());
        assertThat(cache.files("tmp")).containsExactly(ticket.temporary());
    }

    @Test
    void temporary_files_that_no_fill_knows_are_removed() throws IOException {
        abandonTemporary(new FillTicket(77, 1, cache.volumeId(), "f".repeat(32)));
        abandonTemporary(new FillTicket(0, 12345, cache.volumeId(), "e".repeat(32)));
        recovery.clean(cache.guards());
        assertThat(cache.files("tmp")).isEmpty();
        assertThat(removed("temporary")).isEqualTo(2);
    }

    @Test
    void roles_of_earlier_boots_are_free_at_once_and_those_of_others_are_not() throws IOException {
        cache.leases.acquire("plan:1", cache.owner, LEASE);
        cache.leases.acquire("plan:2", other, LEASE);
        recovery.start();
        assertThat(cache.leases.holder("plan:1")).isEmpty();
        assertThat(cache.leases.holder("plan:2")).contains(other);
    }

    @Test
    void counters_that_are_wrong_are_corrected() throws IOException {
        cache.copy("set/1", SIZE);
        cache.sql("UPDATE volumes SET used = used + 5, copies = copies - 1");
        recovery.start();
        recovery.compareCounters(cache.guards());
        cache.assertAllAgree();
        assertThat(Figures.value(metrics, "anteroom_counters_repaired", "volume", "fast"))
                .isEqualTo(1);
        recovery.compareCounters(cache.guards());
        assertThat(Figures.value(metrics, "anteroom_counters_repaired", "volume", "fast"))
                .isEqualTo(1);
    }

    @Test
    void volumes_are_cleaned_at_once_when_work_begins() throws IOException {
        abandonTemporary(cache.begun("set/1", SIZE, cache.owner));
        recovery.start();
        try (Tasks tasks = new Tasks(metrics)) {
            recovery.schedule(tasks, cache.guards(), () -> true, Set::of);
            // what was begun is ended first
            assertThat(tasks.stop(Duration.ofSeconds(20))).isEmpty();
        }
        assertThat(cache.files("tmp")).isEmpty();
    }

    @Test
    void a_boot_that_has_lost_its_name_cleans_nothing() throws IOException {
        abandonTemporary(cache.begun("set/1", SIZE, cache.owner));
        recovery.start();
        try (Tasks tasks = new Tasks(metrics)) {
            recovery.schedule(tasks, cache.guards(), () -> false, Set::of);
            assertThat(tasks.stop(Duration.ofSeconds(20))).isEmpty();
        }
        assertThat(cache.files("tmp")).hasSize(1);
    }

    @Test
    void nothing_is_scheduled_without_volumes() throws IOException {
        Recovery none = new Recovery(cache.fills, cache.leases, cache.volumes, now, new Metrics());
        none.start();
        try (Tasks tasks = new Tasks(metrics)) {
            none.schedule(tasks, Map.of(), () -> true, Set::of);
            assertThat(tasks.stop(Duration.ofSeconds(5))).isEmpty();
        }
    }
}
