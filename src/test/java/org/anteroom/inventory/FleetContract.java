package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.jdbc.DatabaseException;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;

/** What two instances do at once to the same few rows. */
abstract class FleetContract extends InventoryContract {
    private static final int THREADS = 8;
    private static final int STEPS = 60;
    private static final int FILES = 5;

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger planned = new AtomicInteger();

    @Test
    void whateverInstancesDoToTheSameFilesTheRowsAgree() throws Exception {
        // room for some of the files only, so that there is always one to make room for
        long fast = volume("fast", 500);
        long bulk = volume("bulk", 400);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Instance instance = new Instance(i, fast, bulk);
                running.add(threads.submit(instance::work));
            }
            for (Future<Boolean> one : running) {
                assertThat(one.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(backend().deadlocks(test))
                .as("transactions that waited crosswise")
                .isZero();
        assertThat(begun.get()).isPositive();
        assertThat(made.get()).isPositive();
        assertThat(planned.get()).isPositive();
        for (VolumeRow volume : volumes.all()) {
            assertThat(volume.used() + volume.reserved()).isBetween(0L, volume.capacity());
            assertThat(volume.reserved()).isGreaterThanOrEqualTo(0);
        }
        assertThat(count("SELECT COUNT(*) FROM (SELECT 1 AS one FROM copies WHERE state = 'cached'"
                        + " GROUP BY objid, volume_id HAVING COUNT(*) > 1) d"))
                .as("files with two copies in one volume")
                .isZero();
        assertThat(count("SELECT COUNT(*) FROM (SELECT 1 AS one FROM fills WHERE state IN ('queued', 'running')"
                        + " GROUP BY objid HAVING COUNT(*) > 1) d"))
                .as("files that are filled twice at once")
                .isZero();
        assertThat(count("SELECT COUNT(*) FROM copies c WHERE NOT EXISTS"
                        + " (SELECT 1 FROM copy_use u WHERE u.copy_id = c.id)"))
                .as("copies without their uses")
                .isZero();
        for (ItemState state :
                new ItemState[] {ItemState.CONDEMNED, ItemState.FREED, ItemState.SKIPPED, ItemState.FAILED}) {
            assertThat(count("SELECT COUNT(*) FROM plans p WHERE " + state.text() + "_copies <> (SELECT COUNT(*)"
                            + " FROM plan_items i WHERE i.plan_id = p.id AND i.state = '" + state.text() + "')"))
                    .as("plans whose sums are not those of their items: " + state)
                    .isZero();
        }
    }

    /** On a connection of its own: these statements look at whole tables, as none of the inventory's may. */
    private long count(String sql) throws SQLException {
        try (Connection connection = test.outside();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }

    /** One of several that work on the same files, at random but the same in each run. */
    private final class Instance {
        private final Random random;
        private final Owner owner;
        private final long fast;
        private final long bulk;

        Instance(int number, long fast, long bulk) {
            this.random = new Random(number);
            this.owner = number % 2 == 0 ? ONE : TWO;
            this.fast = fast;
            this.bulk = bulk;
        }

        boolean work() throws DatabaseException {
            for (int i = 0; i < STEPS; i++) {
                String objid = "a/" + random.nextInt(FILES);
                switch (random.nextInt(10)) {
                    case 0 -> delete(objid);
                    case 1 -> plan();
                    case 2 -> reap();
                    case 3 -> recover();
                    case 4 -> spoil(objid);
                    default -> fill(objid);
                }
            }
            return true;
        }

        private long either() {
            return random.nextBoolean() ? fast : bulk;
        }

        private void fill(String objid) throws DatabaseException {
            Long[] candidates = random.nextBoolean() ? new Long[] {fast, bulk} : new Long[] {bulk, fast};
            long size = 60L + random.nextInt(60);
            BeginResult result = begin(objid, size, owner, candidates);
            if (result instanceof BeginResult.Begun fill) {
                begun.incrementAndGet();
                fills.renew(fill.ticket(), owner, LEASE, 1);
                switch (random.nextInt(6)) {
                    case 0 -> fills.fail(fill.ticket(), owner, "on purpose");
                    case 1 -> fills.cancel(fill.ticket().fillId());
                    // its owner is not heard of any more
                    case 2 -> test.advance(LEASE);
                    default -> {
                        if (fills.complete(fill.ticket(), owner, facts(size)).isPresent()) {
                            made.incrementAndGet();
                        }
                    }
                }
            } else if (result instanceof BeginResult.Cached cached) {
                assertThat(cached.copies()).isNotEmpty();
                test.advance(Duration.ofMillis(1));
                Instant now = test.now();
                uses.record(cached.copies().stream()
                        .map(copy -> new Use(copy.id(), now, 1))
                        .toList());
            }
        }

        private void delete(String objid) throws DatabaseException {
            fills.cancel(objid);
            copies.condemn(objid, CondemnedBy.DELETE);
        }

        private void spoil(String objid) throws DatabaseException {
            for (CopyRow copy : copies.find(objid, WAIT)) {
                if (random.nextBoolean()) {
                    copies.suspect(copy.id());
                } else {
                    copies.removeMissing(copy.id(), WAIT);
                }
            }
        }

        private void plan() throws DatabaseException {
            long volume = either();
            Optional<Lease> lease = leases.acquire("plan:" + volume, owner, LEASE);
            if (lease.isEmpty()) {
                return;
            }
            volumes.takePlanWanted(lease.get(), volume);
            Optional<PlanRow> plan = plans.running(volume);
            if (plan.isEmpty()) {
                plan = plans.create(
                        lease.get(),
                        new NewPlan(volume, "lru", 150, Duration.ofHours(1)),
                        plans.leastRecentlyUsed(volume, Duration.ZERO));
                if (plan.isPresent() && !plans.start(lease.get(), plan.get().id())) {
                    plan = Optional.empty();
                }
            }
            if (plan.isPresent()
                    && plans.condemnNext(lease.get(), plan.get().id(), 10).isPresent()) {
                planned.incrementAndGet();
            }
            leases.release(lease.get());
        }

        private void reap() throws DatabaseException {
            for (CopyRow copy : copies.due(either(), Duration.ZERO, 0, 10)) {
                if (random.nextInt(3) == 0) {
                    copies.rescue(copy.id());
                } else if (copies.beginDeleting(copy.id(), Duration.ZERO)) {
                    copies.deleted(copy.id());
                } else {
                    plans.itemFailed(copy.id(), "on purpose");
                }
            }
        }

        private void recover() throws DatabaseException {
            fills.releaseExpired(TWO, Set.of());
            fills.pruneEnded(Duration.ofMinutes(1), 3);
            plans.expire();
            plans.pruneEnded(Duration.ofSeconds(5), 3);
            test.advance(Duration.ofSeconds(10));
        }
    }

    /** The second one waits for the row of the first, and then finds it, whatever became of the bytes meanwhile. */
    @Test
    void whoBeginsTheSameFileWhileTheFirstHasNotCommittedFindsItsFill() throws Exception {
        long id = volume("fast", 100);
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Future<Integer> holder = threads.submit(() -> test.database().write("hold", WAIT, handle -> {
                int rows = lockVolume(handle, id);
                held.countDown();
                await(go);
                return rows;
            }));
            held.await();
            List<Future<BeginResult>> results = new ArrayList<>();
            for (Owner owner : new Owner[] {ONE, TWO, ONE}) {
                results.add(threads.submit(() -> begin("a/1", 10, owner, id)));
            }
            go.countDown();
            assertThat(holder.get()).isEqualTo(1);
            int first = 0;
            for (Future<BeginResult> result : results) {
                first += result.get() instanceof BeginResult.Begun ? 1 : 0;
            }
            assertThat(first).isEqualTo(1);
            assertThat(row(id).reserved()).isEqualTo(10);
        } finally {
            threads.shutdownNow();
        }
    }

    private static int lockVolume(Handle handle, long id) {
        return handle.createUpdate("UPDATE volumes SET used = used WHERE id = :id")
                .bind("id", id)
                .execute();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
