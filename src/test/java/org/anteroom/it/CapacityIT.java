package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.testing.LiveTree;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three times as much as a volume holds is read through it again and again: it never holds more than it may. */
class CapacityIT {
    private static final long CAPACITY = 20 << 20;
    private static final int READERS = 8;
    private static final int IN_DEMAND = 8;
    private static final int READS_PER_STEP = 25;
    private static final Duration PACE = Duration.ofMillis(40);

    @TempDir
    Path folder;

    private final List<byte[]> files = new ArrayList<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong samples = new AtomicLong();

    @Test
    void aVolumeStaysWithinItsCapacity() throws Exception {
        try (Site site = Site.start(
                Site.Server.TOMCAT,
                folder,
                "volume.cache.capacity",
                Long.toString(CAPACITY),
                "volume.cache.high-watermark",
                "0.9",
                "volume.cache.low-watermark",
                "0.3",
                "inventory.location-ttl",
                "500ms",
                "eviction.interval",
                "1s",
                "eviction.min-age",
                "0s",
                "eviction.grace",
                "2s")) {
            Random sizes = new Random(7);
            for (long total = 0; total < 3 * CAPACITY; total += files.get(files.size() - 1).length) {
                files.add(site.put("f" + files.size(), 1 + sizes.nextInt(2 << 20)));
            }
            ScheduledExecutorService threads = Executors.newScheduledThreadPool(READERS + 1);
            try {
                for (int reader = 0; reader < READERS; reader++) {
                    Random choice = new Random(reader);
                    every(threads, PACE, () -> read(site, next(choice)));
                }
                every(threads, Duration.ofMillis(50), () -> sample(site));
                Site.await(
                        "the volume has been turned over, or something failed",
                        () -> !failures.isEmpty()
                                || (site.figure("anteroom_evicted_bytes_total") > CAPACITY
                                        && reads.get() > (long) READS_PER_STEP * files.size()));
            } finally {
                threads.shutdown();
                assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(failures).isEmpty();
            assertThat(samples.get()).isGreaterThan(20);
            quiescent(site);
        }
    }

    private void every(ScheduledExecutorService threads, Duration pace, Work work) {
        var unused = threads.scheduleWithFixedDelay(
                () -> {
                    try {
                        work.run();
                    } catch (IOException | RuntimeException | AssertionError e) {
                        failures.add(e);
                    }
                },
                0,
                pace.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** What is in demand moves on, so that what is not any more can go: a copy that is used stays. */
    private int next(Random choice) {
        return (int) ((reads.get() / READS_PER_STEP + choice.nextInt(IN_DEMAND)) % files.size());
    }

    private interface Work {
        void run() throws IOException;
    }

    private void read(Site site, int file) throws IOException {
        RawHttp.Response answer = site.get("f" + file);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(files.get(file));
        reads.incrementAndGet();
    }

    private void sample(Site site) throws IOException {
        long[] row = site.row("SELECT used, reserved, copies FROM volumes");
        assertThat(row[0]).isNotNegative();
        assertThat(row[1]).isNotNegative();
        assertThat(row[0] + row[1]).isLessThanOrEqualTo(CAPACITY);
        // no walk is a snapshot: what is deleted and made while it goes on may both be counted; too much would last
        long least = onDisk(site);
        for (int i = 0; i < 2 && least > CAPACITY; i++) {
            least = Math.min(least, onDisk(site));
        }
        assertThat(least).as("bytes on disk").isLessThanOrEqualTo(CAPACITY);
        samples.incrementAndGet();
    }

    /** Bytes of copies and of what is being made. */
    private static long onDisk(Site site) throws IOException {
        return bytes(site.volumeFolder().resolve("copies"))
                + bytes(site.volumeFolder().resolve("tmp"));
    }

    private static long bytes(Path folder) throws IOException {
        return LiveTree.files(folder).entrySet().stream()
                // the probes of the volume write fill 0, which nobody counts
                .filter(file -> !file.getKey().getFileName().toString().startsWith("0."))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** When nothing goes on any more, what is counted, what is in the rows and what is on the disk are the same. */
    private static void quiescent(Site site) throws IOException {
        Site.await(
                "all fills and deletions are over",
                () -> site.figure("anteroom_fills_running") == 0
                        && site.row("SELECT COUNT(*) FROM copies WHERE state <> 'cached'")[0] == 0
                        && site.row("SELECT COUNT(*) FROM plans WHERE state = 'running'")[0] == 0);
        long[] row = site.row(
                "SELECT used, reserved, copies, (SELECT SUM(size) FROM copies), (SELECT COUNT(*) FROM copies) FROM volumes");
        assertThat(row[0]).isEqualTo(row[3]).isEqualTo(bytes(site.volumeFolder().resolve("copies")));
        assertThat(row[1]).isZero();
        assertThat(row[2]).isEqualTo(row[4]).isEqualTo(site.copyFiles().size());
        assertThat(bytes(site.volumeFolder().resolve("tmp"))).isZero();
    }
}
