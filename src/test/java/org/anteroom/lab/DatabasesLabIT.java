package org.anteroom.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.anteroom.inventory.BulkRows;
import org.anteroom.inventory.CopyStore;
import org.anteroom.jdbc.TestDatabase;
import org.anteroom.testing.TestPostgres;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL against SQLite over inventories of {@code -Dlab.rows} copies (10): the first lookup of a file, and hits in
 * alternating pairs. Two Tomcats as {@code tomcat-conf/} sets them up, both pinned to core 0, wrk to core 1. Needs wrk and
 * taskset.
 *
 * <p>Pairs: {@code -Dlab.pairs} (10, more until the interval is narrow, at most {@code -Dlab.pairs.most}), seconds of each run: {@code -Dlab.seconds} (2).
 */
@Tag("lab")
class DatabasesLabIT {
    private static final int ROWS = Integer.getInteger("lab.rows", 10);
    private static final int PAIRS = Integer.getInteger("lab.pairs", 10);
    private static final int SECONDS = Integer.getInteger("lab.seconds", 2);
    private static final int[] CONNECTIONS = {1, 16, 64, 128};
    private static final int LOOKUPS = 5_000;
    private static final Duration WAIT = Duration.ofMinutes(2);

    private static final Map<String, Integer> SIZES = new LinkedHashMap<>();

    static {
        SIZES.put("10 KB", 10_000);
        SIZES.put("1 MB", 1_000_000);
        SIZES.put("10 MB", 10_000_000);
    }

    @TempDir
    Path temp;

    private final StringBuilder table = new StringBuilder();

    @Test
    void postgres_against_sqlite() throws Exception {
        Path archive = temp.resolve("archive");
        Files.createDirectories(archive.resolve("set"));
        for (int size : SIZES.values()) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            Files.write(archive.resolve("set/" + size + ".bin"), bytes);
        }
        Path sqliteBase = temp.resolve("on-sqlite");
        Path inventory = Files.createDirectories(sqliteBase.resolve("anteroom")).resolve("inventory.db");
        try (TestPostgres server = TestPostgres.start(temp)) {
            String database = server.createDatabase();
            line("| database | first lookups | statements | p50, ms | p99, ms | longest, ms |");
            line("|---|---|---|---|---|---|");
            try (TestDatabase sqlite = TestDatabase.unreached(inventory, WAIT)) {
                firstLookups("SQLite", sqlite);
            }
            try (TestDatabase postgres = TestDatabase.unreached(server.dataSource(database), 4, WAIT)) {
                firstLookups("PostgreSQL", postgres);
            }
            line("");
            try (TomcatProcess onSqlite = tomcat(sqliteBase, archive).start();
                    TomcatProcess onPostgres = tomcat(temp.resolve("on-postgres"), archive)
                            .conf("anteroom.xml", Files.readString(Path.of("tomcat-conf/anteroom-postgresql.xml")))
                            .property("anteroom.db.port", Integer.toString(server.port()))
                            .property("anteroom.db.name", database)
                            .property("anteroom.db.user", "postgres")
                            .property("anteroom.instance.name", "lab")
                            .start()) {
                hits(onSqlite, onPostgres);
            }
        }
        Path report = Path.of("target/lab/databases-" + ROWS + ".md");
        Files.createDirectories(report.getParent());
        Files.writeString(report, table);
    }

    private static TomcatProcess.Builder tomcat(Path base, Path archive) {
        return TomcatProcess.tomcat11(base).property("anteroom.archive.location", archive.toString());
    }

    /** Looks files up one after the other, each the first time, in an inventory that has just been opened. */
    private void firstLookups(String name, TestDatabase test) throws Exception {
        test.database().probe(WAIT);
        BulkRows.write(test, ROWS);
        CopyStore copies = new CopyStore(test.database(), WAIT);
        int lookups = Math.min(LOOKUPS, ROWS);
        long[] nanos = new long[lookups];
        long before = test.statementsRun("find-copies");
        Random random = new Random(ROWS);
        for (int i = 0; i < lookups; i++) {
            String objid = "bulk/" + (1_000_000_001L + random.nextInt(ROWS));
            long start = System.nanoTime();
            copies.find(objid, WAIT);
            nanos[i] = System.nanoTime() - start;
        }
        long statements = test.statementsRun("find-copies") - before;
        assertThat(statements).as("one query for each lookup").isEqualTo(lookups);
        Arrays.sort(nanos);
        line(String.format(
                Locale.ROOT,
                "| %s, %,d rows | %,d | %,d | %.2f | %.2f | %.2f |",
                name,
                ROWS,
                lookups,
                statements,
                nanos[lookups / 2] / 1e6,
                nanos[Math.min(lookups - 1, lookups * 99 / 100)] / 1e6,
                nanos[lookups - 1] / 1e6));
    }

    private void hits(TomcatProcess onSqlite, TomcatProcess onPostgres) throws Exception {
        Wrk.pinServer(onSqlite.pid());
        Wrk.pinServer(onPostgres.pid());
        line("| size | connections | PostgreSQL, requests/s | SQLite, requests/s | ratio [95 %] | pairs |");
        line("|---|---|---|---|---|---|");
        for (Map.Entry<String, Integer> size : SIZES.entrySet()) {
            String file = "files/set/" + size.getValue() + ".bin";
            URI sqlite = onSqlite.uri().resolve(file);
            URI postgres = onPostgres.uri().resolve(file);
            Wrk.awaitHit(sqlite, size.getValue());
            Wrk.awaitHit(postgres, size.getValue());
            for (int connections : CONNECTIONS) {
                Wrk load = new Wrk(connections, SECONDS);
                for (URI uri : new URI[] {sqlite, postgres, sqlite, postgres}) {
                    load.rate(uri);
                }
                Pairs pairs = Pairs.measure(PAIRS, () -> load.rate(postgres), () -> load.rate(sqlite));
                line("| " + size.getKey() + " | " + connections + " | " + pairs.first() + " | " + pairs.second() + " | "
                        + pairs.ratio().text() + " | " + pairs.ratio().pairs() + " |");
            }
        }
    }

    private void line(String text) {
        System.out.println(text);
        table.append(text).append('\n');
    }
}
