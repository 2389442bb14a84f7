package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.jdbc.TestDatabase;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who writes to SQLite all the time, and who reads: nobody is told that the database is locked, and no reader waits. */
class SqliteWritersTest {
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Owner OWNER = new Owner("one", "boot");
    private static final int CHANGES = 60;
    private static final int KNOWN = 50;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger condemned = new AtomicInteger();
    private final Semaphore turns = new Semaphore(1);
    private final List<Long> copyIds = new ArrayList<>();
    private TestDatabase test;
    private VolumeStore volumes;
    private CopyStore copies;
    private FillStore fills;
    private PlanStore plans;
    private LeaseStore leases;
    private UseStore uses;
    private long volume;

    @BeforeEach
    void open() throws Exception {
        test = TestDatabase.open(folder);
        volumes = new VolumeStore(test.database(), WAIT);
        copies = new CopyStore(test.database(), WAIT);
        fills = new FillStore(test.database(), WAIT);
        plans = new PlanStore(test.database(), WAIT);
        leases = new LeaseStore(test.database(), WAIT);
        uses = new UseStore(test.database(), WAIT, InstantSource.system());
        volume = volumes.register(new NewVolume("v", "", "filesystem", "/v", 1 << 20, VolumeStatus.ACTIVE, 10))
                .id();
        for (int i = 0; i < KNOWN; i++) {
            copyIds.add(fill("known/" + i));
        }
    }

    @AfterEach
    void close() {
        stop.set(true);
        threads.shutdownNow();
        test.close();
    }

    @Test
    void eightWritersAReaderAndAnotherProcess() throws Exception {
        List<Callable<Integer>> writers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int number = i;
            writers.add(() -> again(change -> fill("new/" + number + "/" + change)));
            writers.add(() -> again(change -> use()));
            writers.add(() -> again(change -> lose("lost/" + number + "/" + change)));
        }
        writers.add(() -> again(change -> plan()));
        writers.add(() -> again(change -> delete(change % KNOWN)));
        assertThat(writers).hasSize(8);

        Future<Integer> reader = threads.submit(this::read);
        Future<Integer> other = threads.submit(this::lockNowAndThen);
        // each ends in the exception of the first change that failed
        for (Future<Integer> writer : threads.invokeAll(writers)) {
            assertThat(writer.get()).isEqualTo(CHANGES);
        }
        stop.set(true);
        assertThat(reader.get()).isPositive();
        assertThat(other.get()).isPositive();
        assertThat(condemned.get()).isPositive();
        Drift drift = volumes.drift(volume, WAIT).orElseThrow();
        assertThat(drift.counted()).isEqualTo(drift.summed());
    }

    /** By construction: the transaction has changed rows and goes on only when the reads have ended. */
    @Test
    void readersGoOnWhileAChangeIsBeingMade() throws Exception {
        CountDownLatch changed = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        Future<Integer> writer = threads.submit(() -> test.database().write("slow", WAIT, handle -> {
            int rows = handle.execute("UPDATE copies SET state = 'suspect'");
            changed.countDown();
            return await(read, handle) * rows;
        }));
        changed.await();
        for (int i = 0; i < 500; i++) {
            assertThat(copies.find("known/" + i % KNOWN, WAIT)).hasSize(1);
        }
        assertThat(copies.objects("known/", "", KNOWN)).hasSize(KNOWN);
        read.countDown();
        assertThat(writer.get()).isEqualTo(KNOWN);
        assertThat(copies.find("known/1", WAIT)).isEmpty();
    }

    /** The same for the lock of another process, which no change gets past, and every read does. */
    @Test
    void readersGoOnWhileAnotherProcessWrites() throws Exception {
        Future<Long> writer;
        try (Connection other = test.lock();
                Statement statement = other.createStatement()) {
            statement.execute("UPDATE copies SET state = 'suspect'");
            writer = threads.submit(() -> fill("new/1"));
            for (int i = 0; i < 500; i++) {
                assertThat(copies.find("known/" + i % KNOWN, WAIT)).hasSize(1);
            }
            assertThat(writer).isNotDone();
            statement.execute("ROLLBACK");
        }
        assertThat(writer.get()).isPositive();
    }

    @FunctionalInterface
    private interface Change {
        long make(int number) throws Exception;
    }

    private int again(Change change) throws Exception {
        int made = 0;
        for (int i = 0; i < CHANGES; i++) {
            change.make(i);
            made++;
            turns.release();
        }
        return made;
    }

    private FillTicket begin(String objid) throws Exception {
        String name = "%032x".formatted(objid.hashCode());
        NewFill fill = new NewFill(objid, InventoryContract.facts(10), name, OWNER, LEASE, Set.of(volume));
        return ((BeginResult.Begun) fills.begin(fill, List.of(volume), WAIT, late -> {})).ticket();
    }

    private long fill(String objid) throws Exception {
        FillTicket ticket = begin(objid);
        assertThat(fills.renew(ticket, OWNER, LEASE, 5)).isTrue();
        return fills.complete(ticket, OWNER, InventoryContract.facts(10))
                .orElseThrow()
                .id();
    }

    private long lose(String objid) throws Exception {
        assertThat(fills.fail(begin(objid), OWNER, "for the test")).isTrue();
        return 1;
    }

    private long use() throws Exception {
        uses.record(copyIds.stream()
                .map(id -> new Use(id, InstantSource.system().instant(), 1))
                .toList());
        return 1;
    }

    private long plan() throws Exception {
        Lease lease = leases.acquire("plan:" + volume, OWNER, LEASE).orElseThrow();
        PlanRow plan = plans.create(
                        lease,
                        new NewPlan(volume, "lru", 30, Duration.ofHours(1)),
                        plans.leastRecentlyUsed(volume, Duration.ZERO))
                .orElseThrow();
        if (plans.start(lease, plan.id())) {
            // a plan without candidates is done at once
            plans.condemnNext(lease, plan.id(), 10).ifPresent(step -> condemned.addAndGet(step.condemned()));
            plans.stop(plan.id());
        }
        leases.release(lease);
        return 1;
    }

    private long delete(int known) throws Exception {
        long changed = fills.cancel("known/" + known);
        changed += copies.condemn("known/" + known, CondemnedBy.DELETE).size();
        for (CopyRow due : copies.due(volume, Duration.ZERO, 0, 5)) {
            if (copies.beginDeleting(due.id(), Duration.ZERO)) {
                assertThat(copies.deleted(due.id())).isTrue();
            }
        }
        return changed;
    }

    private int read() throws Exception {
        int reads = 0;
        while (!stop.get()) {
            assertThat(copies.find("known/" + reads % KNOWN, WAIT)).hasSizeLessThanOrEqualTo(1);
            reads++;
        }
        return reads;
    }

    /** As a backup or an operator's shell does. */
    private int lockNowAndThen() throws Exception {
        int locked = 0;
        try (Connection connection = test.outside();
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 30000");
            while (!stop.get()) {
                statement.execute("BEGIN IMMEDIATE");
                statement.execute("UPDATE volumes SET priority = priority");
                statement.execute("COMMIT");
                locked++;
                // one change for each time: a lock without a queue is had by who comes back soonest
                while (!turns.tryAcquire(20, TimeUnit.MILLISECONDS) && !stop.get()) {
                    Thread.onSpinWait();
                }
            }
        }
        return locked;
    }

    private static int await(CountDownLatch latch, Handle handle) {
        try {
            latch.await();
            return handle.createQuery("SELECT 1").mapTo(Integer.class).one();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
