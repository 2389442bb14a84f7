package org.anteroom.e2e;

import java.io.IOException;
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
import org.jspecify.annotations.Nullable;

/**
 * Clients of a fleet: whole files, ranges, deletions and files that are asked for through the queue, at any instance
 * that is up, and every byte looked at.
 *
 * <p>An instance that is killed or paused in the midst of an answer may break it off, or say that it cannot give it; one
 * that is left alone owes the right bytes. Wrong bytes are wrong from any.
 */
final class FleetLoad {
    private static final int CLIENTS = 6;
    private static final int RANGE = 5_000;

    /** Longer than an instance is ever paused. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Files that are wanted at a time, so that others grow cold; who is asked for is rescued from eviction. */
    private static final int WANTED = 15;

    private static final Duration TURN = Duration.ofMillis(400);

    /** Between one file and the next that is wanted, so that small and large ones are; without a divisor of all. */
    private static final int STRIDE = 7;

    private final List<Fleet.Node> nodes;
    private final List<byte[]> files;
    private final Random seeds;
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch somethingWrong = new CountDownLatch(1);
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger whole = new AtomicInteger();
    private final AtomicInteger hits = new AtomicInteger();
    private final AtomicInteger ranges = new AtomicInteger();
    private final AtomicInteger deleted = new AtomicInteger();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger broken = new AtomicInteger();

    /** Clients that do nothing yet. */
    FleetLoad(List<Fleet.Node> nodes, List<byte[]> files, long seed) {
        this.nodes = nodes;
        this.files = files;
        this.seeds = new Random(seed);
    }

    void start() {
        for (int i = 0; i < CLIENTS; i++) {
            Random own = new Random(seeds.nextLong());
            Thread client = new Thread(() -> run(own), "client-" + i);
            client.start();
            threads.add(client);
        }
    }

    /** Lets the clients end what they are at. */
    void stop() throws InterruptedException {
        stop.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Waits; whether there is something wrong, which ends the wait. */
    boolean awaitWrong(Duration atMost) throws InterruptedException {
        return somethingWrong.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    void wrong(String what) {
        wrong.add(what);
        somethingWrong.countDown();
    }

    Queue<String> wrong() {
        return wrong;
    }

    int whole() {
        return whole.get();
    }

    int hits() {
        return hits.get();
    }

    int deleted() {
        return deleted.get();
    }

    int queued() {
        return queued.get();
    }

    @Override
    public String toString() {
        return "%s whole answers (%s hits), %s ranges, %s deletions, %s asked for, %s broken"
                .formatted(whole, hits, ranges, deleted, queued, broken);
    }

    static String target(int file) {
        return "/files/load/" + file + ".bin";
    }

    private void run(Random random) {
        try {
            while (stop.getCount() > 0) {
                Fleet.Node node = nodes.get(random.nextInt(nodes.size()));
                int before = node.disturbances();
                if (node.up()) {
                    ask(node, before, random);
                } else {
                    // somebody else may be up; all three down is no reason to spin
                    stop.await(10, TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            wrong("a client failed: " + e);
        }
    }

    private void ask(Fleet.Node node, int before, Random random) {
        int file = wanted(random);
        @Nullable String failure;
        try {
            failure = switch (random.nextInt(20)) {
                case 0 -> delete(node, file);
                case 6, 7 -> askFor(node, file);
                case 1, 2, 3, 4, 5 -> range(node, file, random);
                default -> whole(node, file);
            };
        } catch (IOException e) {
            failure = e.toString();
        }
        if (failure != null) {
            broken.incrementAndGet();
            if (node.disturbances() == before) {
                wrong(node.uri() + target(file) + ": " + failure);
            }
        }
    }

    private int wanted(Random random) {
        long turn = System.nanoTime() / TURN.toNanos();
        return (int) ((turn + random.nextInt(WANTED)) * STRIDE % files.size());
    }

    private @Nullable String whole(Fleet.Node node, int file) throws IOException {
        RawHttp.Response response = exchange(node, "GET", file);
        if (response.status() != 200) {
            return refusal(response);
        }
        whole.incrementAndGet();
        if (Requests.cacheStatus(response).equals("anteroom; hit")) {
            hits.incrementAndGet();
        }
        compare(node, file, response, files.get(file));
        return null;
    }

    private @Nullable String range(Fleet.Node node, int file, Random random) throws IOException {
        byte[] bytes = files.get(file);
        int from = random.nextInt(bytes.length - RANGE);
        RawHttp.Response response = exchange(node, "GET", file, "Range: bytes=" + from + "-" + (from + RANGE - 1));
        if (response.status() != 206) {
            return refusal(response);
        }
        ranges.incrementAndGet();
        compare(node, file, response, Arrays.copyOfRange(bytes, from, from + RANGE));
        return null;
    }

    private @Nullable String delete(Fleet.Node node, int file) throws IOException {
        RawHttp.Response response = change(node, "DELETE", file);
        if (response.status() == 204) {
            deleted.incrementAndGet();
            return null;
        }
        // 503: an instance that is paused may have a row locked for some seconds
        return response.status() == 404 || response.status() == 503 ? null : refusal(response);
    }

    /** For the queue, whose workers are disturbed as well. */
    private @Nullable String askFor(Fleet.Node node, int file) throws IOException {
        RawHttp.Response response = change(node, "PUT", file);
        if (response.status() == 202) {
            queued.incrementAndGet();
            return null;
        }
        return response.status() == 200 || response.status() == 503 ? null : refusal(response);
    }

    private static RawHttp.Response change(Fleet.Node node, String method, int file) throws IOException {
        try (RawHttp http = RawHttp.connect(node.uri())) {
            http.patience(PATIENCE);
            http.request(
                    method,
                    "/api/v1/objects/load/" + file + ".bin",
                    node.operator(),
                    "X-Anteroom-Request: 1",
                    "Connection: close");
            return http.response(method);
        }
    }

    private static String refusal(RawHttp.Response response) {
        return response.statusLine() + " " + response.text();
    }

    private static RawHttp.Response exchange(Fleet.Node node, String method, int file, String... headers)
            throws IOException {
        try (RawHttp http = RawHttp.connect(node.uri())) {
            http.patience(PATIENCE);
            List<String> all = new ArrayList<>(List.of(headers));
            all.add("Connection: close");
            http.request(method, target(file), all.toArray(String[]::new));
            return http.response(method);
        }
    }

    private void compare(Fleet.Node node, int file, RawHttp.Response response, byte[] bytes) {
        if (!Arrays.equals(response.body(), bytes)) {
            wrong(node.uri() + target(file) + ": " + response.body().length + " instead of " + bytes.length
                    + " bytes, wrong from " + Arrays.mismatch(response.body(), bytes) + " on: " + response.headers());
        }
    }
}
