package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.fill.Fills;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestPgBouncer;
import org.anteroom.testing.TestPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three instances on one PostgreSQL under load, while one after the other is killed, or paused for so long that others take
 * its work over: nothing wrong is served, no file is filled twice at once, and nothing is left over, whatever their clocks
 * tell.
 */
class FleetIT {
    private static final int FILES = 60;
    private static final int SMALLEST = 10_000;
    private static final int LARGEST = 4_000_000;

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    /** So long that the database ends the transaction that an instance was stopped in. */
    private static final Duration SHORT_PAUSE = Duration.ofSeconds(7);

    /** So long that whatever an instance has is somebody else's by then. */
    private static final Duration LONG_PAUSE = Fills.LEASE.plusSeconds(3);

    @TempDir
    Path folder;

    private final List<byte[]> files = new ArrayList<>();
    private final AtomicInteger kills = new AtomicInteger();
    private final AtomicInteger pauses = new AtomicInteger();
    private long seed;

    @Test
    void aMinuteWithClocksTenMinutesApart() throws Exception {
        onPostgres(Duration.ofMinutes(1), Clocks.APART);
    }

    @Test
    @Tag("full")
    void tenMinutes() throws Exception {
        onPostgres(Duration.ofMinutes(10), Clocks.RIGHT);
    }

    @Test
    @Tag("full")
    void tenMinutesThroughPgBouncer() throws Exception {
        TestPgBouncer.require();
        try (TestPostgres server = TestPostgres.start(folder);
                TestPgBouncer bouncer = TestPgBouncer.start(folder, server)) {
            disturb(server, bouncer.port(), Duration.ofMinutes(10), Clocks.RIGHT, "prepareThreshold=0");
        }
    }

    private void onPostgres(Duration time, Clocks clocks) throws Exception {
        try (TestPostgres server = TestPostgres.start(folder)) {
            disturb(server, server.port(), time, clocks);
        }
    }

    private void disturb(TestPostgres server, int port, Duration time, Clocks clocks, String... options)
            throws Exception {
        seed = Long.getLong("anteroom.test.seed", System.nanoTime());
        System.out.println("FleetIT: -Danteroom.test.seed=" + seed);
        fillArchive();
        String database = server.createDatabase();
        try (Fleet fleet = Fleet.start(
                        folder.resolve("fleet"),
                        archive(),
                        server.dataSource(database),
                        port,
                        database,
                        clocks,
                        options);
                Connection inventory = server.dataSource(database).getConnection();
                Statement statement = inventory.createStatement()) {
            clocks.assertTold(fleet.nodes().stream().map(Fleet.Node::uri).toList());
            logFills(statement);
            FleetLoad load = new FleetLoad(fleet.nodes(), files, seed);
            load.start();
            disturbAll(fleet, load, time);
            load.stop();
            System.out.printf("FleetIT: %s kills, %s pauses, %s%n", kills, pauses, load);

            assertThat(load.wrong()).as("seed %d", seed).isEmpty();
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).untilAsserted(fleet::assertSettled);
            for (Fleet.Node node : fleet.nodes()) {
                assertThat(node.errors()).isEmpty();
                for (int file = 0; file < FILES; file++) {
                    Requests.assertWhole(RawHttp.get(node.uri(), FleetLoad.target(file)), files.get(file));
                }
            }
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).untilAsserted(fleet::assertSettled);
            assertNoFileWasFilledTwiceAtOnce(statement);
            assertThatThereWasSomethingToGoWrong(statement, load);
        }
    }

    /** Sizes from the smallest to the largest, each a little more than the one before by the same factor. */
    private void fillArchive() throws Exception {
        for (int file = 0; file < FILES; file++) {
            double share = (double) file / (FILES - 1);
            int size = (int) Math.round(SMALLEST * Math.pow((double) LARGEST / SMALLEST, share));
            files.add(Archived.put(archive(), "load", file + ".bin", size, file));
        }
    }

    private Path archive() {
        return folder.resolve("archive");
    }

    /** Each instance has a fate of its own, so that several may be away at once. */
    private void disturbAll(Fleet fleet, FleetLoad load, Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        Random random = new Random(seed);
        List<Thread> fates = new ArrayList<>();
        for (Fleet.Node node : fleet.nodes()) {
            Random own = new Random(random.nextLong());
            boolean first = fates.isEmpty();
            Thread fate = new Thread(() -> disturb(node, first, load, own, end), "fate-" + fates.size());
            fate.start();
            fates.add(fate);
        }
        for (Thread fate : fates) {
            fate.join();
        }
    }

    /**
     * Kills and pauses an instance again and again.
     *
     * @param paused whether a long pause comes first, so that there is one
     */
    private void disturb(Fleet.Node node, boolean paused, FleetLoad load, Random random, long end) {
        boolean pause = paused;
        try {
            while (!load.awaitWrong(Duration.ofMillis(1000 + random.nextInt(9000))) && System.nanoTime() < end) {
                Duration away = random.nextInt(3) == 0 ? SHORT_PAUSE : LONG_PAUSE;
                if (pause) {
                    pause(node, LONG_PAUSE, load);
                } else if (random.nextBoolean() && System.nanoTime() + away.toNanos() < end) {
                    pause(node, away, load);
                } else {
                    kill(node, load);
                }
                pause = false;
            }
        } catch (Exception | AssertionError e) {
            load.wrong(node.uri() + " did not come back: " + e);
        }
    }

    private void pause(Fleet.Node node, Duration away, FleetLoad load) throws Exception {
        node.pause();
        try {
            // the time is what is wanted here, that of the leases in the database
            load.awaitWrong(away);
        } finally {
            node.goOn();
        }
        pauses.incrementAndGet();
    }

    private void kill(Fleet.Node node, FleetLoad load) throws Exception {
        List<String> errors = node.errors();
        if (!errors.isEmpty()) {
            load.wrong(node.uri() + " said: " + errors);
        }
        node.killAndRestart();
        kills.incrementAndGet();
    }

    /** Lets the database note, in its own order, when a fill begins to run and when it ends. */
    private static void logFills(Statement statement) throws SQLException {
        statement.execute("CREATE TABLE fill_log (at TIMESTAMPTZ, fill BIGINT, objid TEXT, state TEXT)");
        statement.execute("""
                CREATE FUNCTION log_fill() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    INSERT INTO fill_log VALUES (clock_timestamp(), NEW.id, NEW.objid, NEW.state);
                    RETURN NULL;
                END $$""");
        statement.execute(
                "CREATE TRIGGER log_fill AFTER INSERT OR UPDATE OF state ON fills FOR EACH ROW EXECUTE FUNCTION log_fill()");
    }

    private static void assertNoFileWasFilledTwiceAtOnce(Statement statement) throws SQLException {
        String intervals = """
                WITH fill AS (SELECT objid, fill, MIN(at) FILTER (WHERE state = 'running') AS began,
                        MAX(at) FILTER (WHERE state IN ('done', 'failed')) AS ended
                    FROM fill_log GROUP BY objid, fill
                    -- those that were dropped before anybody saw them never ran
                    HAVING BOOL_OR(state = 'running'))\s""";
        assertThat(Stored.number(statement, intervals + "SELECT COUNT(*) FROM fill WHERE ended IS NULL"))
                .as("fills without an end")
                .isZero();
        assertThat(Stored.number(statement, intervals + """
                        SELECT COUNT(*) FROM fill a JOIN fill b ON a.objid = b.objid AND a.fill < b.fill
                        WHERE a.began < b.ended AND b.began < a.ended"""))
                .as("fills of one file at the same time")
                .isZero();
        assertThat(Stored.number(statement, """
                        SELECT COUNT(*) FROM (SELECT 1 FROM copies c JOIN volumes v ON v.id = c.volume_id
                            WHERE c.state = 'cached' GROUP BY v.id, c.objid HAVING COUNT(*) > 1) twice"""))
                .as("files with two copies in one volume")
                .isZero();
    }

    private void assertThatThereWasSomethingToGoWrong(Statement statement, FleetLoad load) throws SQLException {
        assertThat(kills.get()).isPositive();
        assertThat(pauses.get()).isPositive();
        assertThat(load.whole()).isGreaterThan(FILES);
        assertThat(load.hits()).isPositive();
        assertThat(load.deleted()).isPositive();
        assertThat(load.queued()).isPositive();
        long evicted = Stored.number(statement, "SELECT COALESCE(SUM(freed_copies), 0) FROM plans");
        long filled = Stored.number(statement, "SELECT COUNT(*) FROM fill_log WHERE state = 'done'");
        long lost = Stored.number(statement, "SELECT COUNT(*) FROM fill_log WHERE state = 'failed'");
        System.out.printf("FleetIT: %d copies made, %d fills lost, %d copies evicted%n", filled, lost, evicted);
        assertThat(evicted).isPositive();
    }
}
