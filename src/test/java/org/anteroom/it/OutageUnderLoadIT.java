package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestPostgres;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** PostgreSQL goes away in every way that there is, while 64 connections read files whose locations are in memory. */
class OutageUnderLoadIT {
    private static final int CLIENTS = 64;
    private static final int FILES = 16;

    /** What each client reads while the database is away; many times longer than a location is trusted. */
    private static final int READS_AWAY = 60;

    private static final String NO_INVENTORY = "anteroom; fwd=bypass; detail=inventory-unavailable";

    @TempDir
    Path folder;

    private TestPostgres server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicIntegerArray reads = new AtomicIntegerArray(CLIENTS);
    private final List<byte[]> files = new ArrayList<>();

    enum Outage {
        /** It ends its sessions and stops. */
        FAST {
            @Override
            void begin(TestPostgres server) throws Exception {
                server.stopFast();
            }
        },
        /** It stops as if it had crashed. */
        IMMEDIATE {
            @Override
            void begin(TestPostgres server) throws Exception {
                server.stopImmediately();
            }
        },
        /** It is there and says nothing. */
        SILENCE {
            @Override
            void begin(TestPostgres server) throws Exception {
                server.hold();
            }

            @Override
            void end(TestPostgres server) throws Exception {
                server.goOn();
            }
        };

        abstract void begin(TestPostgres server) throws Exception;

        void end(TestPostgres server) throws Exception {
            server.startAgain();
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = TestPostgres.start(folder);
    }

    @AfterEach
    void end() throws Exception {
        stop.set(true);
        threads.shutdownNow();
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void noHitFailsAndCachingComesBackByItself(Outage outage) throws Exception {
        try (Site site = Site.startOnPostgres(
                folder, server, server.createDatabase(), "one", "inventory.location-ttl", "500ms")) {
            for (int i = 0; i < FILES; i++) {
                files.add(site.put("hot" + i, 20_000 + 101 * i));
                site.getHit("hot" + i);
            }
            List<Future<?>> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                int number = client;
                clients.add(threads.submit(() -> read(site, number)));
            }
            awaitReads(clients, 5);

            byte[] cold = site.put("cold", 30_000);
            outage.begin(server);
            try {
                assertHitsAloneGoOn(site, clients, cold);
            } finally {
                outage.end(server);
            }
            long back = System.nanoTime();
            assertThat(site.getHit("cold").body()).isEqualTo(cold);
            System.out.printf(
                    "OutageUnderLoadIT: after %s caching again within %d ms%n",
                    outage, Duration.ofNanos(System.nanoTime() - back).toMillis());

            awaitReads(clients, 5);
            stop.set(true);
            for (Future<?> client : clients) {
                client.get();
            }
            assertNoConnectionLeaked(site);
        }
    }

    private void assertHitsAloneGoOn(Site site, List<Future<?>> clients, byte[] cold) throws Exception {
        double failed = site.figure("anteroom_location_reads_total", "kind=\"refresh-failed\"");
        RawHttp.Response missed = site.get("cold");
        assertThat(Site.cacheStatus(missed)).isEqualTo(NO_INVENTORY);
        assertThat(missed.body()).isEqualTo(cold);
        awaitReads(clients, READS_AWAY);
        Site.await(
                "locations are old and cannot be refreshed",
                () -> site.figure("anteroom_location_reads_total", "kind=\"refresh-failed\"") >= failed + FILES);
        assertThat(Site.cacheStatus(site.get("cold"))).isEqualTo(NO_INVENTORY);
    }

    /** One connection that is kept: every answer is a hit with the right bytes, or else this fails. */
    private Void read(Site site, int client) throws IOException {
        try (RawHttp http = RawHttp.connect(site.uri())) {
            for (int i = client; !stop.get(); i++) {
                int file = i % FILES;
                http.request("GET", Site.target("hot" + file));
                RawHttp.Response answer = http.response("GET");
                assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; hit");
                assertThat(answer.body()).isEqualTo(files.get(file));
                reads.incrementAndGet(client);
            }
        }
        return null;
    }

    /** Waits until each client has read so many more files; a client that fails ends the wait. */
    private void awaitReads(List<Future<?>> clients, int more) throws Exception {
        int[] wanted = new int[CLIENTS];
        for (int client = 0; client < CLIENTS; client++) {
            wanted[client] = reads.get(client) + more;
        }
        for (int client = 0; client < CLIENTS; client++) {
            int number = client;
            Site.await(
                    "client " + client + " reads on",
                    () -> reads.get(number) >= wanted[number]
                            || clients.get(number).isDone());
            if (clients.get(client).isDone()) {
                clients.get(client).get();
            }
        }
    }

    private static void assertNoConnectionLeaked(Site site) throws IOException {
        Site.await(
                "the pool has all its connections back",
                () -> site.figure("anteroom_sql_pool_connections_active") == 0);
        double most = site.figure("anteroom_sql_pool_connections_max");
        Site.await(
                "the server has no more sessions than the pool, and none of them in a transaction",
                () -> sessions(site, "TRUE") <= most && sessions(site, "state LIKE 'idle in transaction%'") == 0);
    }

    private static long sessions(Site site, String which) {
        return site.row("SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'anteroom'"
                + " AND datname = current_database() AND " + which)[0];
    }
}
