package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.anteroom.testing.FaultServer;
import org.anteroom.testing.Origin;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thousand cold files for 64 connections, from a server that takes 200 ms for each answer: as many as it allows. */
@Tag("lab")
@Timeout(600)
class ColdThroughputIT {
    private static final Logger log = LoggerFactory.getLogger(ColdThroughputIT.class);
    private static final int FILES = 1000;
    private static final int CONNECTIONS = 64;
    private static final long LATENCY_NANOS = 200_000_000;
    private static final int CONCURRENCY = 32;
    private static final int ROUNDS = Integer.getInteger("lab.rounds", 5);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {10_000, 1_000_000})
    void coldFilesComeAsFastAsTheArchiveAllows(int size) throws Exception {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Origin origin = new Origin();
        FaultServer.Behaviour late = exchange -> {
            LockSupport.parkNanos(LATENCY_NANOS);
            origin.answer(exchange);
        };
        ExecutorService clients = Executors.newFixedThreadPool(CONNECTIONS);
        try (FaultServer server = FaultServer.start(late);
                Site site = Site.start(
                        Site.Server.TOMCAT,
                        folder,
                        "archive.kind",
                        "http",
                        "archive.location",
                        server.uri().toString(),
                        "volume.cache.capacity",
                        "20GiB",
                        "archive.concurrency",
                        Integer.toString(CONCURRENCY))) {
            double allowed = CONCURRENCY / (LATENCY_NANOS / 1e9);
            for (int round = 0; round < ROUNDS; round++) {
                AtomicInteger next = new AtomicInteger();
                for (int i = 0; i < FILES; i++) {
                    origin.put("/" + Site.DATASET + "/r" + round + "-" + i, bytes);
                }
                long begin = System.nanoTime();
                List<Future<Integer>> ends = new ArrayList<>();
                int number = round;
                for (int i = 0; i < CONNECTIONS; i++) {
                    ends.add(clients.submit(() -> download(site, "r" + number + "-", next, size)));
                }
                int count = 0;
                for (Future<Integer> end : ends) {
                    count += end.get();
                }
                double rate = count / ((System.nanoTime() - begin) / 1e9);
                assertThat(count).isEqualTo(FILES);
                log.info(
                        "{} bytes: {} cold files/s of the {} that are allowed: {}",
                        size,
                        rate,
                        allowed,
                        rate / allowed);
            }
        } finally {
            clients.shutdownNow();
        }
    }

    private static int download(Site site, String prefix, AtomicInteger next, int size) throws Exception {
        int count = 0;
        try (RawHttp http = RawHttp.connect(site.uri())) {
            for (int i = next.getAndIncrement(); i < FILES; i = next.getAndIncrement()) {
                http.request("GET", Site.target(prefix + i));
                RawHttp.Response answer = http.response("GET");
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.body()).hasSize(size);
                count++;
            }
        }
        return count;
    }
}
