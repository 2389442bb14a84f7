package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.inventory.PlanRow.Tally;
import org.anteroom.jdbc.TestDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What happens between two transactions, which only a database with several writers has: the other one is ours, by hand. */
class PostgresFleetTest extends InventoryContract {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Connection other;
    private Statement statement;

    @Override
    Backend backend() {
        return new Backend() {
            @Override
            public TestDatabase create() throws Exception {
                return TestDatabase.postgresWithClock();
            }

            @Override
            public void checkStatements(TestDatabase test) {
                // the contracts' tests do
            }
        };
    }

    @BeforeEach
    void connect() throws SQLException {
        other = test.outside();
        other.setAutoCommit(false);
        statement = other.createStatement();
        statement.execute("SET lock_timeout = '20s'");
        other.commit();
    }

    @AfterEach
    void disconnect() throws SQLException {
        threads.shutdownNow();
        other.close();
    }

    /** Waits until a transaction of the pool waits for a row of the other one's. */
    private void awaitBlocked() throws SQLException {
        try (Connection connection = test.outside();
                Statement look = connection.createStatement()) {
            Awaitility.await().atMost(WAIT).until(() -> {
                try (ResultSet row = look.executeQuery("SELECT COUNT(*) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND wait_event_type = 'Lock'")) {
                    row.next();
                    return row.getLong(1) == 1;
                }
            });
        }
    }

    private static NewPlan plan(long volume, long free) {
        return new NewPlan(volume, "lru", free, Duration.ofHours(1));
    }

    @Test
    void aPlanThatTwoDropAtOnceIsDroppedWithoutAConflict() throws Exception {
        long volume = volume("fast", 100);
        Lease lease = leases.acquire("plan:" + volume, ONE, LEASE).orElseThrow();
        List<Candidate> items = new ArrayList<>();
        for (int i = 1; i <= 600; i++) {
            items.add(new Candidate(i, "a/" + i, 1, test.now(), 0, test.now()));
        }
        int[] at = {0};
        PlanRow plan = plans.create(lease, plan(volume, 600), limit -> {
                    List<Candidate> page = items.subList(at[0], Math.min(at[0] + limit, items.size()));
                    at[0] += page.size();
                    return page;
                })
                .orElseThrow();
        statement.executeUpdate("DELETE FROM plan_items WHERE plan_id = " + plan.id() + " AND position <= 500");
        Future<Boolean> drop = threads.submit(() -> plans.drop(plan.id()));
        awaitBlocked();
        other.commit();
        assertThat(drop.get()).isTrue();
        // what was left to the other one, who has died, goes with the next look
        assertThat(plans.pruneEnded(Duration.ZERO, 10)).isEqualTo(1);
        assertThat(plans.get(plan.id())).isEmpty();
    }

    @Test
    void aLostFillIsEndedBeforeBytesOfAnotherVolumeAreWaitedFor() throws Exception {
        long first = volume("first", 100);
        long second = volume("second", 100);
        begun("a/1", 10, TWO, first);
        test.advance(LEASE);
        statement.executeUpdate("UPDATE volumes SET used = used WHERE id = " + second);
        Future<BeginResult> begin = threads.submit(() -> begin("a/1", 20, ONE, second));
        awaitBlocked();
        // the other way round, which would be a deadlock were the first one's row held meanwhile
        assertThat(statement.executeUpdate("UPDATE volumes SET used = used WHERE id = " + first))
                .isEqualTo(1);
        other.commit();
        assertThat(begin.get()).isInstanceOf(BeginResult.Begun.class);
        assertThat(row(first).reserved()).isZero();
        assertThat(row(second).reserved()).isEqualTo(20);
        other.close();
        assertThat(test.deadlocks()).isZero();
    }

    @Test
    void anItemThatIsNotedAsFailedWhileItsCopyGoesIsFreed() throws Exception {
        long volume = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, volume);
        Lease lease = leases.acquire("plan:" + volume, ONE, LEASE).orElseThrow();
        PlanRow plan = plans.create(lease, plan(volume, 10), plans.leastRecentlyUsed(volume, Duration.ZERO))
                .orElseThrow();
        assertThat(plans.start(lease, plan.id())).isTrue();
        assertThat(plans.condemnNext(lease, plan.id(), 10)).isPresent();
        test.advance(GRACE);
        assertThat(copies.beginDeleting(copy.id(), GRACE)).isTrue();
        statement.executeUpdate("UPDATE plan_items SET state = 'failed', reason = 'x' WHERE plan_id = " + plan.id());
        statement.executeUpdate("UPDATE plans SET condemned_copies = 0, condemned_bytes = 0, failed_copies = 1,"
                + " failed_bytes = 10 WHERE id = " + plan.id());
        Future<Boolean> deleted = threads.submit(() -> copies.deleted(copy.id()));
        awaitBlocked();
        other.commit();
        assertThat(deleted.get()).isTrue();
        assertThat(plans.items(plan.id(), 0, 10)).extracting(PlanItem::state).containsExactly(ItemState.FREED);
        PlanRow now = plans.get(plan.id()).orElseThrow();
        assertThat(now.freed()).isEqualTo(new Tally(1, 10));
        assertThat(now.failed()).isEqualTo(new Tally(0, 0));
        assertThat(now.condemned()).isEqualTo(new Tally(0, 0));
    }

    /** The next version adds a column to every table while this one is at work. */
    @Test
    void columnsThatAreAddedUnderAWarmPoolDisturbNothing() throws Exception {
        long volume = volume("fast", 10_000);
        for (int i = 0; i < 10; i++) {
            useEverything(volume, i);
        }
        for (String table : new String[] {"volumes", "copies", "copy_use", "fills", "plans", "plan_items", "leases"}) {
            statement.execute("ALTER TABLE " + table + " ADD COLUMN more TEXT");
        }
        other.commit();
        for (int i = 10; i < 20; i++) {
            useEverything(volume, i);
        }
    }

    private void useEverything(long volume, int number) throws Exception {
        CopyRow copy = cached("a/" + number, 10, volume);
        assertThat(copies.find("a/" + number, WAIT)).containsExactly(copy);
        uses.record(List.of(new Use(copy.id(), test.now(), 1)));
        assertThat(copies.objects("a/" + number, "", 1)).hasSize(1);
        assertThat(volumes.all()).hasSize(1);
        test.advance(Duration.ofSeconds(1));
        Lease lease = leases.acquire("plan:" + volume, ONE, LEASE).orElseThrow();
        PlanRow plan = plans.create(lease, plan(volume, 10), plans.leastRecentlyUsed(volume, Duration.ZERO))
                .orElseThrow();
        assertThat(plans.start(lease, plan.id())).isTrue();
        assertThat(plans.running(volume)).isPresent();
        assertThat(plans.condemnNext(lease, plan.id(), 10)).isPresent();
        test.advance(GRACE);
        for (CopyRow due : copies.due(volume, GRACE, 0, 10)) {
            assertThat(copies.beginDeleting(due.id(), GRACE)).isTrue();
            assertThat(copies.deleted(due.id())).isTrue();
        }
        assertThat(plans.get(plan.id()).orElseThrow().state()).isEqualTo(PlanState.DONE);
        leases.release(lease);
        assertThat(fills.list(null, Long.MAX_VALUE, 10)).isNotEmpty();
        assertThat(fills.releaseExpired(ONE, Set.of())).isZero();
    }
}
