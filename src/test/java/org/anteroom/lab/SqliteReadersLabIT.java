package org.anteroom.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.inventory.BeginResult;
import org.anteroom.inventory.BulkRows;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.FillTicket;
import org.anteroom.inventory.NewFill;
import org.anteroom.inventory.Owner;
import org.anteroom.inventory.Use;
import org.anteroom.inventory.UseStore;
import org.anteroom.jdbc.TestDatabase;
import org.anteroom.model.FileFacts;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lookups in SQLite by one reader: alone; while eight writers wait for a lock that another process holds; and while the eight
 * write. In alternating pairs, against the reader alone.
 */
@Tag("lab")
class SqliteReadersLabIT {
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Owner OWNER = new Owner("one", "boot");
    private static final int WRITERS = 8;
    private static final int ROWS = 1_000;
    private static final int PAIRS = Integer.getInteger("lab.pairs", 10);
    private static final long RUN =
            Duration.ofSeconds(Integer.getInteger("lab.seconds", 2)).toNanos();

    @TempDir
    Path temp;

    private final AtomicLong changes = new AtomicLong();

    @Test
    void a_reader_beside_eight_writers() throws Exception {
        try (TestDatabase test = TestDatabase.open(temp)) {
            BulkRows.write(test, ROWS);
            CopyStore copies = new CopyStore(test.database(), WAIT);
            List<String> report = new ArrayList<>();
            report.add("| SQLite, one reader | lookups/s | alone, lookups/s | ratio [95 %] | pairs |");
            report.add("|---|---|---|---|---|");
            lookups(copies);
            Pairs blocked = Pairs.measure(PAIRS, () -> whileLocked(test, () -> lookups(copies)), () -> lookups(copies));
            report.add(row("eight writers wait for another process", blocked));
            Pairs busy = Pairs.measure(PAIRS, () -> whileWriting(test, () -> lookups(copies)), () -> lookups(copies));
            report.add(row("eight writers write", busy));
            report.forEach(System.out::println);
            System.out.printf("SqliteReadersLabIT: %,d changes were made%n", changes.get());
            assertThat(changes.get()).isPositive();
            Files.createDirectories(Path.of("target/lab"));
            Files.write(Path.of("target/lab/sqlite-readers.md"), report);
        }
    }

    private static String row(String name, Pairs pairs) {
        return "| " + name + " | " + pairs.first() + " | " + pairs.second() + " | "
                + pairs.ratio().text() + " | " + pairs.ratio().pairs() + " |";
    }

    private static double lookups(CopyStore copies) throws Exception {
        long start = System.nanoTime();
        int reads = 0;
        while (System.nanoTime() - start < RUN) {
            assertThat(copies.find("bulk/" + (1_000_000_001L + reads % ROWS), WAIT))
                    .hasSizeLessThanOrEqualTo(1);
            reads++;
        }
        return reads * 1e9 / (System.nanoTime() - start);
    }

    @FunctionalInterface
    private interface Measured {
        double rate() throws Exception;
    }

    private double whileLocked(TestDatabase test, Measured measured) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        List<Future<?>> writers;
        double rate;
        try (Connection other = test.lock();
                Statement lock = other.createStatement()) {
            writers = write(test, threads, stop);
            rate = measured.rate();
            stop.set(true);
            lock.execute("ROLLBACK");
        }
        end(threads, writers);
        return rate;
    }

    private double whileWriting(TestDatabase test, Measured measured) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        List<Future<?>> writers = write(test, threads, stop);
        double rate = measured.rate();
        stop.set(true);
        end(threads, writers);
        return rate;
    }

    /** Waits for the writers, whose first failed change fails the test. */
    private static void end(ExecutorService threads, List<Future<?>> writers) throws Exception {
        for (Future<?> writer : writers) {
            writer.get();
        }
        threads.shutdown();
    }

    /** Fills and last uses, until the stop. */
    private List<Future<?>> write(TestDatabase test, ExecutorService threads, AtomicBoolean stop) {
        FillStore fills = new FillStore(test.database(), WAIT);
        UseStore uses = new UseStore(test.database(), WAIT, Instant::now);
        List<Future<?>> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            boolean filling = i % 2 == 0;
            writers.add(threads.submit(() -> {
                do {
                    if (filling) {
                        fill(fills, changes.incrementAndGet());
                    } else {
                        uses.record(List.of(new Use(1 + changes.incrementAndGet() % ROWS, Instant.now(), 1)));
                    }
                } while (!stop.get());
                return null;
            }));
        }
        return writers;
    }

    private static void fill(FillStore fills, long number) throws Exception {
        FileFacts facts = new FileFacts(10, Instant.EPOCH, "\"tag\"", null, null);
        NewFill fill = new NewFill("new/" + number, facts, "%032x".formatted(number), OWNER, LEASE, Set.of(1L));
        FillTicket ticket = ((BeginResult.Begun) fills.begin(fill, List.of(1L), WAIT, late -> {})).ticket();
        assertThat(fills.complete(ticket, OWNER, facts)).isPresent();
    }
}
