package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL at random moments of filling, serving and evicting: nothing wrong is served, and nothing is left over. */
class KillIT {
    private static final int FILES = 60;
    private static final int SMALLEST = 10_000;
    private static final int LARGEST = 8_000_000;
    private static final int CLIENTS = 8;
    private static final int RANGE = 5_000;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Files that are wanted at a time: as many bytes as the volume takes before room is made. */
    private static final int WANTED = 15;

    /** A kill waits so long for a moment in which such a one is filled. */
    private static final Duration LONGEST_WAIT_FOR_A_FILL = Duration.ofSeconds(3);

    private static final Duration TURN = Duration.ofMillis(200);

    /** Between one file and the next that is wanted, so that small and large ones are; without a divisor of all. */
    private static final int STRIDE = 7;

    @TempDir
    Path folder;

    private final List<byte[]> files = new ArrayList<>();
    private final AtomicInteger whole = new AtomicInteger();
    private final AtomicInteger hits = new AtomicInteger();
    private final AtomicInteger broken = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final CountDownLatch somethingWrong = new CountDownLatch(1);

    @Test
    void afterFiveKillsNothingIsWrong() throws Exception {
        killAgainAndAgain(5);
    }

    @Test
    @Tag("full")
    void afterFiftyKillsInMidFillNothingIsWrong() throws Exception {
        killAgainAndAgain(50);
    }

    private void killAgainAndAgain(int kills) throws Exception {
        long seed = Long.getLong("anteroom.test.seed", System.nanoTime());
        System.out.println("KillIT: -Danteroom.test.seed=" + seed);
        Random random = new Random(seed);
        fillArchive();
        int midFill = 0;
        try (TomcatProcess tomcat = tomcat().start()) {
            for (int kill = 1; kill <= kills; kill++) {
                killUnderLoad(tomcat, random);
                midFill += running() > 0 ? 1 : 0;
                assertThat(wrong).as("seed %d, kill %d", seed, kill).isEmpty();
                tomcat.restart();
            }
            awaitNothingLeftOver();
            for (int file = 0; file < FILES; file++) {
                Requests.assertWhole(RawHttp.get(tomcat.uri(), target(file)), files.get(file));
            }
            // three times the volume's capacity was asked for
            await().atMost(PATIENCE).until(() -> evicted() > 0);
            awaitNothingLeftOver();
        }
        System.out.printf(
                "KillIT: %d kills, %d of them in mid-fill, %d whole answers (%d hits), %d broken, %d copies evicted%n",
                kills, midFill, whole.get(), hits.get(), broken.get(), evicted());
        assertThat(midFill).as("kills in mid-fill").isPositive();
        assertThat(whole.get()).isGreaterThan(FILES);
        assertThat(hits.get()).isPositive();
    }

    /** Sizes from the smallest to the largest, each a little more than the one before by the same factor. */
    private void fillArchive() throws IOException {
        for (int file = 0; file < FILES; file++) {
            double share = (double) file / (FILES - 1);
            int size = (int) Math.round(SMALLEST * Math.pow((double) LARGEST / SMALLEST, share));
            files.add(Archived.put(folder.resolve("archive"), "load", file + ".bin", size, file));
        }
    }

    private static String target(int file) {
        return "/files/load/" + file + ".bin";
    }

    private TomcatProcess.Builder tomcat() {
        return TomcatProcess.tomcat11(folder.resolve("base"))
                .conf("anteroom.properties", """
                        archive.location = %s
                        volumes = small
                        volume.small.location = ${catalina.base}/small
                        volume.small.capacity = 24MiB
                        volume.small.min-free = 0
                        volume.small.high-watermark = 0.7
                        volume.small.low-watermark = 0.3
                        inventory.location-ttl = 500ms
                        eviction.interval = 1s
                        eviction.min-age = 0s
                        eviction.grace = 1s
                        """.formatted(folder.resolve("archive")));
    }

    private void killUnderLoad(TomcatProcess tomcat, Random random) throws InterruptedException, SQLException {
        CountDownLatch killed = new CountDownLatch(1);
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Random own = new Random(random.nextLong());
            Thread client = new Thread(() -> readUntil(killed, tomcat, own), "client-" + i);
            client.start();
            clients.add(client);
        }
        // the moment is what is random here: copies are deleted from 5 s on; a wrong answer ends the wait
        boolean stop = somethingWrong.await(500 + random.nextInt(8_000), TimeUnit.MILLISECONDS);
        long deadline = System.nanoTime() + LONGEST_WAIT_FOR_A_FILL.toNanos();
        while (!stop && !stoppedInMidFill(tomcat) && System.nanoTime() < deadline) {
            stop = somethingWrong.await(1, TimeUnit.MILLISECONDS);
        }
        killed.countDown();
        tomcat.kill9();
        for (Thread client : clients) {
            client.join();
        }
        assertThat(stop).as("something wrong: %s", wrong).isFalse();
    }

    /** Stops the process, and lets it go on unless a fill runs: looked at alive, that may end before the kill. */
    private boolean stoppedInMidFill(TomcatProcess tomcat) throws InterruptedException, SQLException {
        signal(tomcat, "-STOP");
        if (running() > 0) {
            return true;
        }
        signal(tomcat, "-CONT");
        return false;
    }

    private static void signal(TomcatProcess tomcat, String signal) throws InterruptedException {
        try {
            new ProcessBuilder("kill", signal, Long.toString(tomcat.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readUntil(CountDownLatch killed, TomcatProcess tomcat, Random random) {
        while (killed.getCount() > 0) {
            int file = wanted(random);
            try {
                if (random.nextInt(4) == 0) {
                    readRange(tomcat, file, random);
                } else {
                    readWhole(tomcat, file);
                }
            } catch (IOException e) {
                broken.incrementAndGet();
            }
        }
    }

    /**
     * One of the files that are wanted at this time: others a little later, so that copies grow cold however fast the
     * machine is. Who is asked for all the time is rescued from eviction.
     */
    private static int wanted(Random random) {
        long turn = System.nanoTime() / TURN.toNanos();
        return (int) ((turn + random.nextInt(WANTED)) * STRIDE % FILES);
    }

    private void readWhole(TomcatProcess tomcat, int file) throws IOException {
        RawHttp.Response response = RawHttp.get(tomcat.uri(), target(file));
        check(file, response, 200, files.get(file));
        whole.incrementAndGet();
        if (Requests.cacheStatus(response).equals("anteroom; hit")) {
            hits.incrementAndGet();
        }
    }

    private void readRange(TomcatProcess tomcat, int file, Random random) throws IOException {
        byte[] bytes = files.get(file);
        int from = random.nextInt(bytes.length - RANGE);
        RawHttp.Response response =
                RawHttp.get(tomcat.uri(), target(file), "Range: bytes=" + from + "-" + (from + RANGE - 1));
        check(file, response, 206, Arrays.copyOfRange(bytes, from, from + RANGE));
    }

    private void check(int file, RawHttp.Response response, int status, byte[] bytes) {
        if (response.status() != status) {
            wrong(file + ": " + response.statusLine() + " " + response.text());
        } else if (!Arrays.equals(response.body(), bytes)) {
            wrong(file + ": " + response.body().length + " instead of " + bytes.length + " bytes, wrong from "
                    + Arrays.mismatch(response.body(), bytes) + " on: " + response.headers());
        }
    }

    private void wrong(String what) {
        wrong.add(what);
        somethingWrong.countDown();
    }

    private void awaitNothingLeftOver() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).untilAsserted(this::assertNothingLeftOver);
    }

    private void assertNothingLeftOver() throws IOException, SQLException {
        Stored.read(database(), folder.resolve("base/small")).assertSettled("small");
    }

    /** Fills of so many bytes at least that run, or that ran when the process was killed. */
    private long running() throws SQLException {
        try (Connection connection = Stored.open(database());
                Statement statement = connection.createStatement()) {
            return Stored.number(statement, "SELECT count(*) FROM fills WHERE state = 'running'");
        }
    }

    private long evicted() throws SQLException {
        try (Connection connection = Stored.open(database());
                Statement statement = connection.createStatement()) {
            return Stored.number(statement, "SELECT sum(freed_copies) FROM plans");
        }
    }

    private Path database() {
        return folder.resolve("base/anteroom/inventory.db");
    }
}
