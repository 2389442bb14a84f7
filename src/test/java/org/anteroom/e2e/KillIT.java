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
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.anteroom.testing.LiveTree;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestS3;
import org.anteroom.testing.TomcatProcess;
import org.jclouds.blobstore.domain.StorageMetadata;
import org.jclouds.blobstore.options.ListContainerOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SIGKILL at random moments of filling, serving and evicting, with a volume in a folder and one in an object store: nothing
 * wrong is served, and nothing is left over in either.
 */
class KillIT {
    private static final int FILES = 60;
    private static final int SMALLEST = 10_000;

    /** So large that some of them are sent to the store in parts. */
    private static final int LARGEST = 20_000_000;

    private static final int CLIENTS = 8;
    private static final int RANGE = 5_000;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Files that are wanted at a time: as many bytes as the volumes take before room is made. */
    private static final int WANTED = 15;

    /** A kill waits so long for a moment in which each volume is filled, and one of the copies is sent in parts. */
    private static final Duration LONGEST_WAIT_FOR_ALL = Duration.ofMillis(1500);

    /** It waits so long for one in which one of the volumes is filled, each in its turn. */
    private static final Duration LONGEST_WAIT_FOR_A_FILL = Duration.ofSeconds(3);

    private static final Duration TURN = Duration.ofMillis(200);

    /** Between one file and the next that is wanted, so that small and large ones are; without a divisor of all. */
    private static final int STRIDE = 7;

    @TempDir
    Path folder;

    private TestS3 server;
    private final List<byte[]> files = new ArrayList<>();
    private final AtomicInteger whole = new AtomicInteger();
    private final AtomicInteger hits = new AtomicInteger();
    private final AtomicInteger broken = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final CountDownLatch somethingWrong = new CountDownLatch(1);

    @BeforeEach
    void startStore() throws Exception {
        server = TestS3.start();
    }

    @AfterEach
    void stopStore() throws Exception {
        server.close();
    }

    /** What was under way when the process was killed. */
    private record Moment(long inFolder, long inStore, int inParts) {
        boolean isInFolder() {
            return inFolder > 0;
        }

        boolean isStoring() {
            return inStore > 0;
        }

        boolean isFill() {
            return isInFolder() || isStoring();
        }

        boolean isAll() {
            return isInFolder() && isStoring() && inParts > 0;
        }
    }

    @Test
    void afterFiveKillsNothingIsWrong() throws Exception {
        List<Moment> kills = killAgainAndAgain(5);
        assertThat(kills).as("kills in mid-fill").anyMatch(Moment::isFill);
    }

    @Test
    @Tag("full")
    void afterFiftyKillsInMidFillNothingIsWrong() throws Exception {
        List<Moment> kills = killAgainAndAgain(50);
        assertThat(kills).as("kills in mid-fill").anyMatch(Moment::isInFolder);
        assertThat(kills).as("kills while copies went to the store").anyMatch(Moment::isStoring);
        assertThat(kills).as("kills while parts were sent").anyMatch(kill -> kill.inParts() > 0);
    }

    private List<Moment> killAgainAndAgain(int kills) throws Exception {
        long seed = Long.getLong("anteroom.test.seed", System.nanoTime());
        System.out.println("KillIT: -Danteroom.test.seed=" + seed);
        Random random = new Random(seed);
        fillArchive();
        List<Moment> moments = new ArrayList<>();
        try (TomcatProcess tomcat = tomcat().start()) {
            for (int kill = 1; kill <= kills; kill++) {
                killUnderLoad(tomcat, random, kill % 2 == 0 ? Moment::isStoring : Moment::isInFolder);
                moments.add(moment());
                assertThat(wrong).as("seed %d, kill %d", seed, kill).isEmpty();
                tomcat.restart();
            }
            awaitNothingLeftOver();
            for (int file = 0; file < FILES; file++) {
                Requests.assertWhole(RawHttp.get(tomcat.uri(), target(file)), files.get(file));
            }
            // more than the volumes' capacity was asked for
            await().atMost(PATIENCE).until(() -> evicted() > 0);
            awaitNothingLeftOver();
        }
        System.out.printf(
                "KillIT: %d kills, %d of them in mid-fill (%d of a folder, %d of a store, %d in parts), %d whole answers (%d hits), "
                        + "%d broken, %d copies evicted%n",
                kills,
                moments.stream().filter(Moment::isFill).count(),
                moments.stream().filter(Moment::isInFolder).count(),
                moments.stream().filter(Moment::isStoring).count(),
                moments.stream().filter(moment -> moment.inParts() > 0).count(),
                whole.get(),
                hits.get(),
                broken.get(),
                evicted());
        assertThat(whole.get()).isGreaterThan(FILES);
        assertThat(hits.get()).isPositive();
        return moments;
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
                        volumes = small, bulk
                        volume.small.location = ${catalina.base}/small
                        volume.small.capacity = 24MiB
                        volume.small.max-object-size = 8MB
                        volume.small.min-free = 0
                        volume.small.high-watermark = 0.7
                        volume.small.low-watermark = 0.3
                        volume.bulk.kind = s3
                        volume.bulk.location = s3://%s/bulk
                        volume.bulk.s3.endpoint = http://127.0.0.1:%d
                        volume.bulk.capacity = 48MiB
                        volume.bulk.high-watermark = 0.7
                        volume.bulk.low-watermark = 0.3
                        fill.spool = ${catalina.base}/spool
                        inventory.location-ttl = 500ms
                        eviction.interval = 1s
                        eviction.min-age = 0s
                        eviction.grace = 1s
                        """.formatted(folder.resolve("archive"), TestS3.BUCKET, server.port()))
                // where the SDK looks first
                .property("aws.accessKeyId", TestS3.CREDENTIALS.accessKey())
                .property("aws.secretAccessKey", TestS3.CREDENTIALS.secretKey());
    }

    private void killUnderLoad(TomcatProcess tomcat, Random random, Predicate<Moment> wanted)
            throws InterruptedException, SQLException {
        CountDownLatch killed = new CountDownLatch(1);
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Random own = new Random(random.nextLong());
            Thread client = new Thread(() -> readUntil(killed, tomcat, own), "client-" + i);
            client.start();
            clients.add(client);
        }
        // the moment is what is random here: copies are deleted from 5 s on; a wrong answer ends the wait
        boolean isWrong = somethingWrong.await(500 + random.nextInt(8_000), TimeUnit.MILLISECONDS);
        if (!isWrong && !stopsIn(tomcat, Moment::isAll, LONGEST_WAIT_FOR_ALL)) {
            stopsIn(tomcat, wanted, LONGEST_WAIT_FOR_A_FILL);
        }
        killed.countDown();
        tomcat.kill9();
        for (Thread client : clients) {
            client.join();
        }
        assertThat(wrong).as("something wrong").isEmpty();
    }

    /** Stops the process in a moment of that kind: looked at alive, what is under way may end before the kill. */
    private boolean stopsIn(TomcatProcess tomcat, Predicate<Moment> wanted, Duration longest)
            throws InterruptedException, SQLException {
        long deadline = System.nanoTime() + longest.toNanos();
        while (System.nanoTime() < deadline) {
            signal(tomcat, "-STOP");
            if (wanted.test(moment())) {
                return true;
            }
            signal(tomcat, "-CONT");
            if (somethingWrong.await(1, TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
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
        List<String> temporaries = keys("bulk/tmp/");
        Map<String, Long> copies = copiesInStore();
        try (Connection connection = Stored.open(database());
                Statement statement = connection.createStatement()) {
            Stored.read(connection, id(statement, "small"), folder.resolve("base/small"))
                    .assertSettled("small");
            Stored.read(connection, id(statement, "bulk"), temporaries, copies).assertSettled("bulk");
            assertThat(Stored.number(statement, "SELECT count(DISTINCT boot) FROM leases WHERE expires > 0"))
                    .as("boots that have leases")
                    .isLessThanOrEqualTo(1);
        }
        assertThat(server.store().listMultipartUploads(TestS3.BUCKET))
                .as("unfinished uploads")
                .isEmpty();
        assertThat(LiveTree.files(folder.resolve("base/spool")).keySet())
                .extracting(Path::getFileName)
                .as("files in the spool")
                .containsExactly(Path.of("lock"));
    }

    private static long id(Statement statement, String volume) throws SQLException {
        return Stored.number(statement, "SELECT id FROM volumes WHERE name = '" + volume + "'");
    }

    private List<String> keys(String prefix) {
        return server
                .store()
                .list(TestS3.BUCKET, ListContainerOptions.Builder.prefix(prefix).recursive())
                .stream()
                .map(StorageMetadata::getName)
                .toList();
    }

    private Map<String, Long> copiesInStore() {
        Map<String, Long> sizes = new TreeMap<>();
        String prefix = "bulk/copies/";
        server.store()
                .list(TestS3.BUCKET, ListContainerOptions.Builder.prefix(prefix).recursive())
                .forEach(copy -> sizes.put(copy.getName().substring(prefix.length()), copy.getSize()));
        return sizes;
    }

    /** What is under way, or was when the process was killed. */
    private Moment moment() throws SQLException {
        try (Connection connection = Stored.open(database());
                Statement statement = connection.createStatement()) {
            return new Moment(
                    running(statement, "small"),
                    running(statement, "bulk"),
                    server.store().listMultipartUploads(TestS3.BUCKET).size());
        }
    }

    private static long running(Statement statement, String volume) throws SQLException {
        return Stored.number(
                statement,
                "SELECT count(*) FROM fills WHERE state = 'running' AND volume_id = " + id(statement, volume));
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
