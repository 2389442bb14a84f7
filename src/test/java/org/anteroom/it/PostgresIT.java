package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole application on PostgreSQL, with the operators' descriptor: several instances, and what is wrong or away. */
class PostgresIT {
    private static final String HIT = "anteroom; hit";
    private static final String STORED = "anteroom; fwd=uri-miss; stored";
    private static final String NO_INVENTORY = "anteroom; fwd=bypass; detail=inventory-unavailable";

    @TempDir
    static Path servers;

    private static TestPostgres server;

    @TempDir
    Path folder;

    private String database;

    @BeforeAll
    static void start() throws Exception {
        server = TestPostgres.start(servers);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void create() throws Exception {
        database = server.createDatabase();
    }

    private Site site(String name, String... settings) throws Exception {
        return Site.startOnPostgres(folder, server, database, name, settings);
    }

    @Test
    void whatOneInstanceCachesTheOtherServesAndNoFileIsFilledTwice() throws Exception {
        try (Site one = site("one");
                Site two = site("two")) {
            byte[] first = one.put("first.bin", 200_000);
            assertThat(Site.cacheStatus(one.get("first.bin"))).isEqualTo(STORED);
            one.getHit("first.bin");
            RawHttp.Response other = two.get("first.bin");
            assertThat(Site.cacheStatus(other)).isEqualTo(HIT);
            assertThat(other.body()).isEqualTo(first);
            assertThat(two.archive().opens("first.bin")).isZero();

            byte[] crowd = one.put("crowd.bin", 3 << 20);
            ExecutorService threads = Executors.newFixedThreadPool(20);
            try {
                List<Future<RawHttp.Response>> clients = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    Site site = i % 2 == 0 ? one : two;
                    clients.add(threads.submit(() -> site.get("crowd.bin")));
                }
                for (Future<RawHttp.Response> client : clients) {
                    assertThat(client.get().body()).isEqualTo(crowd);
                }
            } finally {
                threads.shutdownNow();
            }
            one.getHit("crowd.bin");
            two.getHit("crowd.bin");
            assertThat(one.row("SELECT COUNT(*) FROM fills")[0]).isEqualTo(2);
            assertThat(one.row("SELECT SUM(copies), SUM(used), SUM(reserved) FROM volumes"))
                    .containsExactly(2, 200_000 + (3 << 20), 0);
            assertThat(one.copyFiles()).hasSize(2);
        }
    }

    @Test
    void whatIsDeletedOnOneInstanceIsSoonServedByNoneAndWhatAnotherFillsIsNotStored() throws Exception {
        try (Site one = site("one", "inventory.location-ttl", "500ms");
                Site two = site("two", "inventory.location-ttl", "500ms")) {
            byte[] old = one.put("f", 200_000);
            one.getHit("f");
            String tag = two.getHit("f").header("ETag").orElseThrow();
            byte[] changed = one.put("f", 200_001);
            assertThat(one.delete("f")).isTrue();
            Site.await("the other one has noticed", () -> {
                RawHttp.Response answer = two.get("f");
                boolean isOld = answer.header("ETag").orElseThrow().equals(tag);
                assertThat(answer.body()).isEqualTo(isOld ? old : changed);
                return !isOld;
            });
            assertThat(two.getHit("f").body()).isEqualTo(changed);

            byte[] filled = two.put("g", 3 << 20);
            SteeredArchive.Hold half = two.archive().hold("g", 1 << 20);
            ExecutorService threads = Executors.newSingleThreadExecutor();
            try {
                Future<RawHttp.Response> reader = threads.submit(() -> two.get("g"));
                half.awaitReached();
                assertThat(one.delete("g")).as("its fill is ended").isTrue();
                half.release();
                assertThat(reader.get().body()).isEqualTo(filled);
            } finally {
                threads.shutdownNow();
            }
            Site.await("it has ended", () -> two.figure("anteroom_fills_running") == 0);
            assertThat(one.row("SELECT COUNT(*) FROM copies WHERE objid = 'd/g'"))
                    .containsExactly(0);
            assertThat(one.row("SELECT SUM(reserved) FROM volumes")).containsExactly(0);
        }
    }

    /** What runs beside the requests, as PostgreSQL keeps its texts: all that is not of these is a request's. */
    private static final String BACKGROUND = String.join(
            "|",
            "pg_stat_statements",
            "^(BEGIN|COMMIT|ROLLBACK|SET LOCAL)",
            // a connection is made
            "^SET (application_name|extra_float_digits)",
            // the probe
            "^SELECT \\$1$",
            // leases and lost fills
            "^UPDATE leases",
            "^UPDATE fills SET (expires|state = \\$1, reason)",
            "^DELETE FROM fills",
            "FROM fills\\s+WHERE volume_id = ",
            // the queue of fills
            "^SELECT CASE WHEN EXISTS \\(SELECT \\$[0-9]+ FROM fills",
            "^SELECT\\s+\\(SELECT COUNT\\(\\*\\) FROM \\(SELECT \\$[0-9]+ FROM fills",
            "^INSERT INTO fill_offers",
            // volumes, plans, copies that are due, in turns
            "FROM volumes\\s+(v\\s+)?(WHERE|ORDER)",
            "^UPDATE plans SET state = .*skip locked",
            "FROM plans\\s+WHERE (ended|volume_id)",
            "FROM copies c\\s+WHERE c.volume_id = .* c.id > ",
            // uses, in batches
            "^UPDATE copy_use");

    /** Counted by the database itself: every statement but those that run beside the requests. */
    @Test
    void hitsAskTheDatabaseNothing() throws Exception {
        try (Site site = site("one", "inventory.location-ttl", "10m", "eviction.grace", "1h")) {
            byte[] hot = site.put("hot.bin", 10_000);
            site.get("hot.bin");
            site.getHit("hot.bin");
            try (Connection connection = site.inventory();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE EXTENSION pg_stat_statements");
            }
            // a lookup is seen, so that none would be
            assertThat(site.get("missing.bin").status()).isEqualTo(404);
            Map<String, Long> before = statements(site);
            assertThat(before.keySet()).anyMatch(query -> query.contains("FROM copies c WHERE c.objid"));
            for (int i = 0; i < 200; i++) {
                RawHttp.Response hit = site.get("hot.bin");
                assertThat(Site.cacheStatus(hit)).isEqualTo(HIT);
                assertThat(hit.body()).isEqualTo(hot);
            }
            assertThat(statements(site)).isEqualTo(before);
        }
    }

    /** How often each ran so far. */
    private static Map<String, Long> statements(Site site) throws SQLException {
        Map<String, Long> calls = new TreeMap<>();
        try (Connection connection = site.inventory();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT query, calls FROM pg_stat_statements s"
                        + " JOIN pg_database d ON d.oid = s.dbid"
                        + " WHERE d.datname = current_database() AND query !~* '" + BACKGROUND + "'")) {
            while (row.next()) {
                calls.merge(row.getString(1), row.getLong(2), Long::sum);
            }
        }
        return calls;
    }

    /** As after kill -9: the name of the last boot is not free yet. */
    @Test
    void copiesAreReadAtOnceThoughTheNameOfAKilledBootIsNotFreeYet() throws Exception {
        byte[] cached;
        try (Site site = site("one")) {
            cached = site.put("cached.bin", 100_000);
            site.get("cached.bin");
            site.getHit("cached.bin");
        }
        try (Connection connection = server.dataSource(database).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE leases SET boot = 'killed', epoch = epoch + 1,"
                    + " expires = 1000 * EXTRACT(EPOCH FROM clock_timestamp() + INTERVAL '1 hour')"
                    + " WHERE name = 'boot:one'");
            try (Site next = site("one")) {
                RawHttp.Response hit = next.get("cached.bin");
                assertThat(Site.cacheStatus(hit)).isEqualTo(HIT);
                assertThat(hit.body()).isEqualTo(cached);
                next.put("new.bin", 1000);
                assertThat(Site.cacheStatus(next.get("new.bin"))).isEqualTo(NO_INVENTORY);
                assertThat(RawHttp.get(next.uri(), "/health/ready").text())
                        .contains("no copies are made yet: another boot has not given up the name of this instance");
                statement.execute("UPDATE leases SET expires = 0 WHERE name = 'boot:one'");
                next.getHit("new.bin");
            }
        }
    }

    @Test
    void hitsGoOnWithoutTheDatabaseMissesPassThroughAndAllComesBackByItself() throws Exception {
        try (Site site = site("one", "inventory.location-ttl", "1s")) {
            byte[] hot = site.put("hot.bin", 300_000);
            byte[] cold = site.put("cold.bin", 300_000);
            site.get("hot.bin");
            site.getHit("hot.bin");

            server.kill();
            try {
                for (int i = 0; i < 50; i++) {
                    RawHttp.Response hit = site.get("hot.bin");
                    assertThat(Site.cacheStatus(hit)).isEqualTo(HIT);
                    assertThat(hit.body()).isEqualTo(hot);
                }
                RawHttp.Response missed = site.get("cold.bin");
                assertThat(Site.cacheStatus(missed)).isEqualTo(NO_INVENTORY);
                assertThat(missed.body()).isEqualTo(cold);
            } finally {
                server.startAgain();
            }
            assertThat(site.getHit("cold.bin").body()).isEqualTo(cold);

            server.hold();
            try {
                assertThat(Site.cacheStatus(site.get("hot.bin"))).isEqualTo(HIT);
                byte[] colder = site.put("colder.bin", 300_000);
                RawHttp.Response missed = site.get("colder.bin");
                assertThat(Site.cacheStatus(missed)).isEqualTo(NO_INVENTORY);
                assertThat(missed.body()).isEqualTo(colder);
            } finally {
                server.goOn();
            }
            site.getHit("colder.bin");
            Site.await(
                    "the pool has all its connections back",
                    () -> site.figure("anteroom_sql_pool_connections_active") == 0);
            assertThat(site.row("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND state LIKE 'idle in transaction%'")[0])
                    .isZero();
        }
    }

    @Test
    void aWrongPasswordIsOneClearLineAndHealsWithoutARestart() throws Exception {
        server.createRole("locked", "right");
        try (LogLines log = LogLines.open();
                Site site = site("one", "db.user", "locked", "db.password", "wrong")) {
            byte[] file = site.put("file.bin", 1000);
            RawHttp.Response passed = site.get("file.bin");
            assertThat(Site.cacheStatus(passed)).isEqualTo(NO_INVENTORY);
            assertThat(passed.body()).isEqualTo(file);
            assertThat(log.warnings())
                    .filteredOn(line -> line.contains("password authentication failed for user \"locked\""))
                    .filteredOn(line -> line.contains("jdbc/anteroom/inventory"))
                    .hasSize(1);
            server.execute("ALTER ROLE locked PASSWORD 'wrong'");
            assertThat(site.getHit("file.bin").body()).isEqualTo(file);
        }
    }

    @Test
    void aSecondBootOfTheSameNamePassesThroughUntilTheFirstHasGivenItUp() throws Exception {
        try (LogLines log = LogLines.open();
                Site second = secondBoot()) {
            second.put("file.bin", 1000);
            second.getHit("file.bin");
            assertThat(log.warnings())
                    .filteredOn(line -> line.startsWith("Another boot of the instance one has not given up its name"))
                    .hasSize(1);
        }
    }

    /** A boot that came while another of its name lived, which has stopped by now. */
    private Site secondBoot() throws Exception {
        try (Site first = site("one")) {
            Site second = site("one");
            second.put("passed.bin", 1000);
            assertThat(Site.cacheStatus(second.get("passed.bin"))).isEqualTo(NO_INVENTORY);
            assertThat(Site.cacheStatus(first.get("passed.bin"))).isEqualTo(STORED);
            return second;
        }
    }

    @Test
    void anInstanceWithoutANameIsRefused() throws Exception {
        try (LogLines log = LogLines.open()) {
            assertThatThrownBy(() ->
                            Site.startOnPostgres(folder, server, database, null).close())
                    .isInstanceOf(IllegalStateException.class);
            assertThat(log.warnings()).anyMatch(line -> line.contains("instance.name is missing"));
        }
    }
}
