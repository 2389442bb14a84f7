package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Misses by 128 clients from an archive that takes 200 ms for each file, with a pool of 5 connections and with one of 128, in
 * alternating groups: how long an answer takes, and how many connections are in use while the archive is waited for.
 *
 * <p>All in one JVM, which has both cores. Groups of each: {@code -Dlab.pairs} (15).
 */
@Tag("lab")
class PoolWaitLabIT {
    private static final int CLIENTS = 128;
    private static final int GROUPS = Integer.getInteger("lab.pairs", 15);
    private static final int SIZE = 1_000;
    private static final Duration ARCHIVE = Duration.ofMillis(200);

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    private final AtomicInteger files = new AtomicInteger();
    private final StringBuilder table = new StringBuilder();

    /** What one group of clients saw. */
    private record Group(double p95, double inUse, long sessions, double waits, double waited) {}

    @Test
    void aPoolOfFiveAgainstOneOfAHundredAndTwentyEight() throws Exception {
        try (TestPostgres server = TestPostgres.start(folder)) {
            server.execute("ALTER SYSTEM SET max_connections = 300");
            server.stopFast();
            server.startAgain();
            try (Site five = start(server, "five", 5);
                    Site many = start(server, "many", 128)) {
                for (int i = 0; i < 3; i++) {
                    group(five);
                    group(many);
                }
                List<Group> ofFive = new ArrayList<>();
                List<Group> ofMany = new ArrayList<>();
                for (int i = 0; i < GROUPS; i++) {
                    if (i % 2 == 0) {
                        ofFive.add(group(five));
                        ofMany.add(group(many));
                    } else {
                        ofMany.add(group(many));
                        ofFive.add(group(five));
                    }
                }
                line("| pool | p95, ms: median | least | most | in use while the archive is waited for, most | sessions"
                        + " not idle, most | waits for a connection in a group | waited in all, ms |");
                line("|---|---|---|---|---|---|---|---|");
                show("5", ofFive);
                show("128", ofMany);
                double[] ratios = new double[GROUPS];
                for (int i = 0; i < GROUPS; i++) {
                    ratios[i] = ofFive.get(i).p95() / ofMany.get(i).p95();
                }
                Arrays.sort(ratios);
                line(String.format(
                        Locale.ROOT,
                        "%nRatio of the p95 of each pair: median %.3f, from %.3f to %.3f, %d pairs.",
                        ratios[GROUPS / 2],
                        ratios[0],
                        ratios[GROUPS - 1],
                        GROUPS));
            }
        } finally {
            threads.shutdownNow();
        }
        Path report = Path.of("target/lab/pool-wait.md");
        Files.createDirectories(report.getParent());
        Files.writeString(report, table);
    }

    private Site start(TestPostgres server, String name, int connections) throws Exception {
        Site site = Site.startOnPostgres(
                folder.resolve(name),
                server,
                server.createDatabase(),
                name,
                "archive.concurrency",
                Integer.toString(CLIENTS),
                "db.connections",
                Integer.toString(connections));
        assertThat(site.figure("anteroom_sql_pool_connections_max")).isEqualTo(connections);
        site.archive().takes(ARCHIVE);
        return site;
    }

    /** All clients at once ask for a file each that nobody has asked for. */
    private Group group(Site site) throws Exception {
        List<Callable<Long>> asks = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            String path = "cold" + files.incrementAndGet();
            byte[] bytes = site.put(path, SIZE);
            asks.add(() -> {
                long start = System.nanoTime();
                RawHttp.Response answer = site.get(path);
                long nanos = System.nanoTime() - start;
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo(bytes);
                return nanos;
            });
        }
        double waits = waits(site);
        double waited = waited(site);
        List<Future<Long>> answers = new ArrayList<>();
        for (Callable<Long> ask : asks) {
            answers.add(threads.submit(ask));
        }
        double inUse = -1;
        long sessions = -1;
        while (inUse < 0 && !answers.get(CLIENTS - 1).isDone()) {
            if (site.archive().waiting() >= CLIENTS * 9 / 10) {
                sessions = site.row("SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'anteroom'"
                        + " AND datname = current_database() AND state <> 'idle'")[0];
                inUse = site.figure("anteroom_sql_pool_connections_active");
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        long[] nanos = new long[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            nanos[i] = answers.get(i).get();
        }
        Arrays.sort(nanos);
        Site.await("all copies are made", () -> site.figure("anteroom_fills_running") == 0);
        return new Group(nanos[CLIENTS * 95 / 100] / 1e6, inUse, sessions, waits(site) - waits, waited(site) - waited);
    }

    private static double waits(Site site) throws IOException {
        return site.figure("anteroom_sql_pool_waits_total");
    }

    private static double waited(Site site) throws IOException {
        return 1000 * site.figure("anteroom_sql_pool_wait_seconds_total");
    }

    private void show(String pool, List<Group> groups) {
        double[] p95 = groups.stream().mapToDouble(Group::p95).sorted().toArray();
        line(String.format(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.0f | %.0f | %d | %.0f | %.0f |",
                pool,
                p95[p95.length / 2],
                p95[0],
                p95[p95.length - 1],
                groups.stream().mapToDouble(Group::inUse).max().orElse(-1),
                groups.stream().mapToLong(Group::sessions).max().orElse(-1),
                groups.stream().mapToDouble(Group::waits).average().orElse(-1),
                groups.stream().mapToDouble(Group::waited).average().orElse(-1)));
    }

    private void line(String text) {
        System.out.println(text);
        table.append(text).append('\n');
    }
}
