package org.anteroom.eviction;

import static org.anteroom.eviction.TestCache.GRACE;
import static org.anteroom.eviction.TestCache.MIN_AGE;
import static org.anteroom.eviction.TestCache.WAIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.anteroom.inventory.BeginResult;
import org.anteroom.inventory.CondemnedBy;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.CopyState;
import org.anteroom.inventory.ItemState;
import org.anteroom.inventory.Lease;
import org.anteroom.inventory.NewPlan;
import org.anteroom.inventory.Owner;
import org.anteroom.inventory.PlanItem;
import org.anteroom.inventory.PlanRow;
import org.anteroom.inventory.PlanState;
import org.anteroom.inventory.Use;
import org.anteroom.inventory.VolumeStatus;
import org.anteroom.metrics.Metrics;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.Figures;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Plans and their execution, on a real volume and a real inventory. */
class EvictionTest {
    private static final int SIZE = 10_000;
    private static final int CAPACITY = 10 * SIZE;

    @TempDir
    Path folder;

    private TestCache cache;
    private Evictor evictor;
    private Reaper reaper;

    @BeforeEach
    void open() throws IOException {
        cache = new TestCache(folder, CAPACITY);
        evictor = evictor(cache.owner, cache.metrics());
        reaper = reaper(cache.metrics());
    }

    @AfterEach
    void close() {
        cache.close();
    }

    private Evictor evictor(Owner owner, Metrics metrics) {
        return new Evictor(
                cache.volumes,
                cache.plans,
                cache.leases,
                owner,
                cache.guards(),
                cache.locations,
                cache.settings(0.95, 0.70),
                metrics);
    }

    private Reaper reaper(Metrics metrics) {
        return new Reaper(
                cache.copies,
                cache.plans,
                cache.volumes,
                cache.guards(),
                cache.locations,
                cache.settings(0.95, 0.70),
                metrics);
    }

    /** A full volume of ten copies, the first of them the oldest, all old enough to go. */
    private List<CopyRow> full() throws IOException {
        List<CopyRow> copies = new ArrayList<>();
        for (int i = 0; i < CAPACITY / SIZE; i++) {
            copies.add(cache.copy("set/" + i, SIZE));
        }
        cache.advance(MIN_AGE);
        return copies;
    }

    private PlanRow running() throws IOException {
        return cache.plans.running(cache.volumeId()).orElseThrow();
    }

    private PlanRow plan(long id) throws IOException {
        return cache.plans.get(id).orElseThrow();
    }

    private CopyState state(CopyRow copy) throws IOException {
        return cache.copies.names(cache.volumeId(), "", 100).stream()
                .filter(row -> row.id() == copy.id())
                .findFirst()
                .orElseThrow()
                .state();
    }

    private void used(CopyRow copy) throws IOException {
        cache.advance(Duration.ofMillis(1));
        cache.uses.record(List.of(new Use(copy.id(), cache.test().now(), 1)));
    }

    @Test
    void nothing_goes_below_the_high_watermark() throws IOException {
        for (int i = 0; i < 9; i++) {
            cache.copy("set/" + i, SIZE);
        }
        cache.advance(MIN_AGE);
        evictor.tick();
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isZero();
    }

    @Test
    void a_plan_leads_down_to_the_low_watermark_and_frees_what_it_promised() throws IOException {
        List<CopyRow> copies = full();
        long before = cache.onDisk();
        evictor.tick();

        PlanRow plan = running();
        assertThat(plan.promised()).isEqualTo(new PlanRow.Tally(3, 3 * SIZE));
        assertThat(plan.condemned()).isEqualTo(plan.promised());
        assertThat(cache.onDisk()).isEqualTo(before);

        cache.advance(GRACE.minusMillis(1));
        reaper.run();
        evictor.tick();
        assertThat(cache.onDisk()).isEqualTo(before);
        assertThat(Figures.value(cache.metrics(), "anteroom_plans_running")).isEqualTo(1);

        cache.advance(Duration.ofMillis(1));
        reaper.run();
        evictor.tick();
        PlanRow done = plan(plan.id());
        assertThat(done.state()).isEqualTo(PlanState.DONE);
        assertThat(done.freed()).isEqualTo(plan.promised());
        assertThat(before - cache.onDisk()).isEqualTo(plan.promised().bytes());
        assertThat(cache.names())
                .doesNotContain(
                        copies.get(0).name(),
                        copies.get(1).name(),
                        copies.get(2).name());
        cache.assertAllAgree();
        assertThat(Figures.value(cache.metrics(), "anteroom_evicted_bytes", "volume", "fast"))
                .isEqualTo(3 * SIZE);
        assertThat(Figures.value(cache.metrics(), "anteroom_plans", "end", "done"))
                .isEqualTo(1);
        assertThat(Figures.value(cache.metrics(), "anteroom_plans_running")).isZero();
    }

    @Test
    void the_longest_unused_goes_first_and_the_young_stay() throws IOException {
        List<CopyRow> copies = full();
        used(copies.get(0));
        cache.sql("UPDATE copies SET filled_at = filled_at + 60000 WHERE id = "
                + copies.get(1).id());
        evictor.tick();
        assertThat(cache.plans.items(running().id(), 0, 10))
                .extracting(PlanItem::copyId)
                .containsExactly(
                        copies.get(2).id(), copies.get(3).id(), copies.get(4).id());
    }

    @Test
    void a_volume_has_one_plan_until_it_is_done() throws IOException {
        full();
        evictor.tick();
        long first = running().id();
        cache.advance(Duration.ofMinutes(1));
        evictor.tick();
        evictor(new Owner("two", "boot"), new Metrics()).tick();
        assertThat(running().id()).isEqualTo(first);
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isEqualTo(1);
    }

    @Test
    void instances_that_look_at_the_same_time_make_one_plan() throws Exception {
        full();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Void>> looks = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Evictor other = evictor(new Owner("instance-" + i, "boot"), new Metrics());
                looks.add(() -> {
                    other.tick();
                    return null;
                });
            }
            for (Future<Void> look : threads.invokeAll(looks)) {
                look.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(running().promised()).isEqualTo(new PlanRow.Tally(3, 3 * SIZE));
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isEqualTo(1);
    }

    @Test
    void a_smaller_capacity_leads_to_a_plan() throws IOException {
        full();
        cache.sql("UPDATE volumes SET capacity = " + CAPACITY / 2);
        evictor.tick();
        // down to 70 % of 50,000 by whole copies
        assertThat(running().promised().bytes()).isEqualTo(7 * SIZE);
    }

    @Test
    void a_fill_that_found_no_room_gets_it() throws IOException {
        full();
        assertThat(cache.begin("set/new", 4 * SIZE, cache.owner)).isInstanceOf(BeginResult.NoRoom.class);
        assertThat(cache.volume().planWanted()).isEqualTo(4 * SIZE);

        evictor.shortTick();
        assertThat(running().promised().bytes()).isEqualTo(4 * SIZE);
        assertThat(cache.volume().planWanted()).isZero();
        // while that runs, nobody plans for those who ask again
        assertThat(cache.begin("set/new", 4 * SIZE, cache.owner)).isInstanceOf(BeginResult.NoRoom.class);
        evictor.shortTick();
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isEqualTo(1);

        cache.advance(GRACE);
        reaper.run();
        assertThat(cache.begin("set/new", 4 * SIZE, cache.owner)).isInstanceOf(BeginResult.Begun.class);
        evictor.shortTick();
        assertThat(cache.number("SELECT COUNT(*) FROM plans WHERE state = 'running'"))
                .isZero();
    }

    @Test
    void a_wish_that_fits_by_now_is_dropped() throws IOException {
        cache.copy("set/1", SIZE);
        cache.advance(MIN_AGE);
        cache.sql("UPDATE volumes SET plan_wanted = " + SIZE);
        evictor.shortTick();
        assertThat(cache.volume().planWanted()).isZero();
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isZero();
    }

    @Test
    void where_nothing_can_go_no_plan_is_kept() throws IOException {
        full();
        cache.sql("UPDATE copies SET filled_at = filled_at + 60000");
        evictor.tick();
        evictor.tick();
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isZero();
        assertThat(cache.number("SELECT COUNT(*) FROM copies WHERE state = 'cached'"))
                .isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(value = VolumeStatus.class, mode = EnumSource.Mode.EXCLUDE, names = "ACTIVE")
    void room_is_made_in_active_volumes_alone(VolumeStatus status) throws IOException {
        full();
        cache.volumes.setStatus(cache.volumeId(), status);
        evictor.tick();
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isZero();
    }

    @Test
    void what_is_used_during_its_grace_is_rescued() throws IOException {
        List<CopyRow> copies = full();
        evictor.tick();
        long plan = running().id();
        used(copies.get(1));
        cache.advance(GRACE);
        reaper.run();

        assertThat(state(copies.get(1))).isEqualTo(CopyState.CACHED);
        assertThat(plan(plan).freed().copies()).isEqualTo(2);
        assertThat(plan(plan).skipped().copies()).isEqualTo(1);
        assertThat(plan(plan).state()).isEqualTo(PlanState.DONE);
        cache.assertAllAgree();
    }

    @Test
    void a_reader_who_asks_the_inventory_during_the_grace_gets_the_copy_back() throws IOException {
        List<CopyRow> copies = full();
        cache.locations.put("set/0", List.of(copies.get(0)));
        evictor.tick();
        assertThat(cache.locations.get("set/0")).isNull();
        assertThat(cache.begin("set/0", SIZE, cache.owner)).isInstanceOf(BeginResult.Cached.class);
        cache.advance(GRACE);
        reaper.run();
        assertThat(state(copies.get(0))).isEqualTo(CopyState.CACHED);
        assertThat(cache.files("copies")).contains(copies.get(0).name());
        cache.assertAllAgree();
    }

    @Test
    void what_delete_condemned_is_never_rescued() throws IOException {
        List<CopyRow> copies = full();
        evictor.tick();
        long plan = running().id();
        // one that eviction had condemned before, and one that it had not
        cache.copies.condemn("set/0", CondemnedBy.DELETE);
        cache.copies.condemn("set/9", CondemnedBy.DELETE);
        used(copies.get(0));
        used(copies.get(9));
        assertThat(cache.copies.find("set/9", WAIT)).isEmpty();
        cache.advance(GRACE);
        reaper.run();
        assertThat(cache.names())
                .doesNotContain(copies.get(0).name(), copies.get(9).name());
        assertThat(plan(plan).state()).isEqualTo(PlanState.DONE);
        cache.assertAllAgree();
    }

    @Test
    void a_volume_without_its_marker_loses_nothing() throws Exception {
        List<CopyRow> copies = full();
        try (AutoCloseable away = cache.withoutMarker()) {
            assertThat(away).isNotNull();
            cache.guard().probe();
            evictor.tick();
            assertThat(cache.number("SELECT COUNT(*) FROM plans")).isZero();
        }
        evictor.tick();
        cache.copies.condemn("set/9", CondemnedBy.DELETE);
        cache.advance(GRACE);
        try (AutoCloseable away = cache.withoutMarker()) {
            assertThat(away).isNotNull();
            reaper.run();
            assertThat(cache.names()).hasSize(10);
            assertThat(cache.files("copies")).hasSize(10);
            assertThat(cache.number("SELECT COUNT(*) FROM copies WHERE state = 'deleting'"))
                    .isZero();
        }
        reaper.run();
        assertThat(cache.names()).hasSize(6).contains(copies.get(3).name());
        cache.assertAllAgree();
    }

    @Test
    void an_offline_volume_is_left_alone_and_a_read_only_one_gives_up_what_was_deleted() throws IOException {
        full();
        cache.copies.condemn("set/9", CondemnedBy.DELETE);
        cache.advance(GRACE);
        cache.volumes.setStatus(cache.volumeId(), VolumeStatus.OFFLINE);
        reaper.run();
        assertThat(cache.files("copies")).hasSize(10);
        cache.volumes.setStatus(cache.volumeId(), VolumeStatus.READ_ONLY);
        reaper.run();
        assertThat(cache.files("copies")).hasSize(9);
        cache.assertAllAgree();
    }

    @Test
    void a_copy_that_cannot_be_deleted_keeps_no_other_waiting_and_goes_later() throws IOException {
        List<CopyRow> copies = full();
        evictor.tick();
        long plan = running().id();
        Path stubborn = cache.file(copies.get(0).name());
        Files.delete(stubborn);
        Files.createDirectories(stubborn.resolve("child"));
        cache.advance(GRACE);
        reaper.run();
        PlanItem item = cache.plans.items(plan, 0, 1).get(0);
        assertThat(item.state()).isEqualTo(ItemState.FAILED);
        assertThat(item.reason()).isNotBlank().doesNotContain(folder.toString());
        assertThat(cache.volume().used()).isEqualTo(CAPACITY);

        reaper.run();
        assertThat(plan(plan).freed().copies()).isEqualTo(2);
        assertThat(plan(plan).failed()).isEqualTo(new PlanRow.Tally(1, SIZE));
        assertThat(plan(plan).state()).isEqualTo(PlanState.DONE);

        Files.delete(stubborn.resolve("child"));
        reaper.run();
        assertThat(plan(plan).freed()).isEqualTo(plan(plan).promised());
        cache.assertAllAgree();
    }

    // ---- what a kill leaves

    private enum Kill {
        PLAN_MADE,
        PLAN_STARTED,
        SOME_CONDEMNED,
        ALL_CONDEMNED,
        DELETION_BEGUN,
        FILE_DELETED
    }

    @ParameterizedTest
    @EnumSource(Kill.class)
    void what_was_broken_off_anywhere_is_carried_on(Kill kill) throws IOException {
        List<CopyRow> copies = full();
        workUntil(kill, copies);

        Owner next = new Owner(cache.owner.instance(), "boot-2");
        Metrics metrics = new Metrics();
        Evictor evictorAfter = evictor(next, metrics);
        Reaper reaperAfter = reaper(metrics);
        evictorAfter.tick();
        if (kill.compareTo(Kill.ALL_CONDEMNED) < 0) {
            // the lease of the dead is not taken from them before its time
            assertThat(cache.number("SELECT COUNT(*) FROM copies WHERE state = 'condemned'"))
                    .isEqualTo(kill == Kill.SOME_CONDEMNED ? 1 : 0);
        }
        cache.leases.releaseEarlierBoots(next);
        evictorAfter.tick();
        cache.advance(GRACE);
        reaperAfter.run();
        evictorAfter.tick();

        assertThat(cache.number("SELECT SUM(freed_bytes) FROM plans")).isEqualTo(3 * SIZE);
        assertThat(cache.number("SELECT COUNT(*) FROM plans WHERE state = 'running'"))
                .isZero();
        assertThat(cache.onDisk()).isEqualTo(7 * SIZE);
        cache.assertAllAgree();
        assertThat(Figures.value(metrics, "anteroom_plans", "end", "done")).isEqualTo(1);
    }

    private void workUntil(Kill kill, List<CopyRow> copies) throws IOException {
        long volume = cache.volumeId();
        Lease lease = cache.leases
                .acquire("plan:" + volume, cache.owner, Duration.ofSeconds(30))
                .orElseThrow();
        long plan = cache.plans
                .create(
                        lease,
                        new NewPlan(volume, "lru", 3 * SIZE, Duration.ofDays(1)),
                        cache.plans.leastRecentlyUsed(volume, MIN_AGE))
                .orElseThrow()
                .id();
        if (kill == Kill.PLAN_MADE) {
            return;
        }
        assertThat(cache.plans.start(lease, plan)).isTrue();
        if (kill == Kill.PLAN_STARTED) {
            return;
        }
        cache.plans.condemnNext(lease, plan, kill == Kill.SOME_CONDEMNED ? 1 : 10);
        if (kill.compareTo(Kill.ALL_CONDEMNED) <= 0) {
            return;
        }
        cache.advance(GRACE);
        CopyRow first = copies.get(0);
        assertThat(cache.copies.beginDeleting(first.id(), GRACE)).isTrue();
        if (kill == Kill.FILE_DELETED) {
            assertThat(cache.guard().delete(first.name())).isTrue();
        }
    }

    @Test
    void a_volume_without_settings_is_not_evicted_from_and_an_unknown_strategy_is_refused() throws IOException {
        full();
        EvictionSettings none =
                new EvictionSettings(Duration.ofMinutes(5), MIN_AGE, GRACE, Duration.ofDays(1), Map.of());
        new Evictor(
                        cache.volumes,
                        cache.plans,
                        cache.leases,
                        cache.owner,
                        cache.guards(),
                        cache.locations,
                        none,
                        new Metrics())
                .tick();
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isZero();
        assertThatThrownBy(() -> Strategy.named("random"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("random");
    }

    @Test
    void old_plans_that_cannot_be_dropped_keep_no_volume_waiting() throws IOException {
        full();
        cache.sql("INSERT INTO plans (volume_id, strategy, free, state, created, expires, ended)"
                + " SELECT id, 'lru', 1, 'done', 0, 0, 0 FROM volumes");
        cache.sql("CREATE TRIGGER broken BEFORE DELETE ON plans BEGIN SELECT RAISE(ABORT, 'on purpose'); END");
        evictor.tick();
        assertThat(running().pending().copies()).isZero();
        cache.sql("DROP TRIGGER broken");
        evictor.tick();
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isEqualTo(1);
    }

    @Test
    void a_boot_that_has_lost_its_name_makes_no_plan() throws Exception {
        full();
        CountDownLatch asked = new CountDownLatch(3);
        EvictionSettings often = new EvictionSettings(
                Duration.ofMillis(10),
                MIN_AGE,
                GRACE,
                Duration.ofDays(1),
                Map.of(TestCache.NAME, new VolumeEviction("lru", 0.5, 0.4)));
        Evictor lost = new Evictor(
                cache.volumes,
                cache.plans,
                cache.leases,
                cache.owner,
                cache.guards(),
                cache.locations,
                often,
                new Metrics());
        try (Tasks tasks = new Tasks(new Metrics())) {
            BooleanSupplier never = () -> {
                asked.countDown();
                return false;
            };
            lost.schedule(tasks, never);
            asked.await();
            assertThat(tasks.stop(Duration.ofSeconds(20))).isEmpty();
        }
        assertThat(cache.number("SELECT COUNT(*) FROM plans")).isZero();
    }
}
