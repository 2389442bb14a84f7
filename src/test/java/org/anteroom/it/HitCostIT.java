package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What ten thousand hits cost, counted: no SQL, no look into the archive, one open each, no line in the log. */
class HitCostIT {
    private static final int FILES = 100;
    private static final int CLIENTS = 4;
    private static final int HITS = 10_000;
    private static final Pattern OPERATION = Pattern.compile("operation=\"([^\"]*)\"");

    /** What the instance asks of the inventory by itself, whether it is read from or not. */
    private static final Set<String> BACKGROUND = Set.of(
            "probe",
            "list-volumes",
            "get-volume",
            "due-copies",
            "expire-plans",
            "old-plans",
            "running-plan",
            "record-uses",
            "release-expired-fills",
            "fill-leftovers",
            "prune-fills",
            "prune-failed-fills",
            "look-at-queue",
            "measure-queue");

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @ParameterizedTest
    @EnumSource
    void aHitCostsNoSqlAndOneOpen(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder, "inventory.location-ttl", "10m", "eviction.grace", "30m")) {
            List<byte[]> files = new ArrayList<>();
            for (int i = 0; i < FILES; i++) {
                files.add(site.put("f" + i, 1000 + 97 * i));
                assertThat(site.get("f" + i).status()).isEqualTo(200);
            }
            Site.await("all are cached", () -> site.figure("anteroom_fills_total", "result=\"stored\"") == FILES);
            Map<String, Double> reads = site.figures("anteroom_location_reads_total");
            Map<String, Double> calls = readsOfArchive(site);
            Map<String, Double> statements = statements(site);
            long opens = site.volume().opens();
            // a first reader may have come so late that its copy was there
            double hits = site.figure("anteroom_requests_total", "cache=\"hit\"");

            try (LogLines lines = LogLines.open()) {
                hit(site, files);
                assertThat(lines.all()).isEmpty();
            }

            assertThat(site.volume().opens() - opens).isEqualTo(HITS);
            assertThat(site.figures("anteroom_location_reads_total")).isEqualTo(reads);
            assertThat(readsOfArchive(site)).isEqualTo(calls);
            Map<String, Double> grown = statements(site);
            grown.values().removeIf(value -> value == 0);
            statements.forEach((operation, before) -> grown.remove(operation, before));
            assertThat(grown.keySet()).isSubsetOf(BACKGROUND);
            assertThat(site.figure("anteroom_requests_total", "cache=\"hit\"") - hits)
                    .isEqualTo(HITS);
        } finally {
            threads.shutdownNow();
        }
    }

    private void hit(Site site, List<byte[]> files) throws Exception {
        List<Future<?>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            clients.add(threads.submit(() -> {
                try (RawHttp http = RawHttp.connect(site.uri())) {
                    for (int i = 0; i < HITS / CLIENTS; i++) {
                        http.request("GET", Site.target("f" + i % FILES));
                        RawHttp.Response answer = http.response("GET");
                        assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; hit");
                        assertThat(answer.body()).isEqualTo(files.get(i % FILES));
                    }
                }
                return null;
            }));
        }
        for (Future<?> client : clients) {
            client.get();
        }
    }

    private static Map<String, Double> statements(Site site) throws Exception {
        Map<String, Double> statements = new HashMap<>();
        site.figures("anteroom_sql_statements_total").forEach((series, value) -> {
            Matcher operation = OPERATION.matcher(series);
            assertThat(operation.find()).isTrue();
            statements.put(operation.group(1), value);
        });
        return statements;
    }

    /** Calls to the archive but for the probes. */
    private static Map<String, Double> readsOfArchive(Site site) throws Exception {
        Map<String, Double> calls = site.figures("anteroom_archive_calls_total");
        calls.keySet().removeIf(series -> series.contains("kind=\"probe\""));
        assertThat(calls).isNotEmpty();
        return calls;
    }
}
