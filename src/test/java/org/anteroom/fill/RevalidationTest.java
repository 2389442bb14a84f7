package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.eviction.TestCache;
import org.anteroom.inventory.CopyRow;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.Figures;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Comparing copies that are read with the archive. */
@Timeout(60)
class RevalidationTest {
    private static final Duration PERIOD = Duration.ofHours(1);
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final String OBJID = "set/x";
    private static final int SIZE = 10;

    @TempDir
    Path folder;

    private final AtomicInteger asked = new AtomicInteger();
    private final Queue<String> forgotten = new ConcurrentLinkedQueue<>();
    private final Metrics metrics = new Metrics();
    private final Tasks tasks = new Tasks(metrics);
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile @Nullable FailureException failure;
    private volatile FileFacts facts = new FileFacts(SIZE, null, null, null, null);

    private TestCache cache;
    private Revalidation revalidation;
    private volatile boolean permitted = true;

    private final class TestArchive implements Archive {
        @Override
        public FileFacts head(FileKey key) throws IOException {
            asked.incrementAndGet();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            FailureException cause = failure;
            if (cause != null) {
                throw cause;
            }
            return facts;
        }

        @Override
        public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
            throw new FailureException(FailureReason.INTERNAL, "nobody reads");
        }

        @Override
        public void probe() {}
    }

    @BeforeEach
    void open() throws IOException {
        cache = new TestCache(folder, 1_000_000);
        cache.copy(OBJID, SIZE);
        revalidation = revalidation(PERIOD);
    }

    private Revalidation revalidation(Duration period) {
        return new Revalidation(
                period,
                new TestArchive(),
                cache.copies,
                forgotten::add,
                () -> permitted,
                tasks,
                this::now,
                cache.clock(),
                period.isZero() ? new Metrics() : metrics);
    }

    private Instant now() {
        return cache.test().clock().instant();
    }

    @AfterEach
    void close() {
        gate.countDown();
        assertThat(tasks.stop(WAIT)).isEmpty();
        cache.close();
    }

    private List<CopyRow> rows() throws IOException {
        return cache.copies.find(OBJID, WAIT);
    }

    private void seen() throws IOException {
        revalidation.seen(OBJID, rows());
    }

    private void awaitResult(String result, int times) {
        await().atMost(WAIT).until(() -> Figures.value(metrics, "anteroom_revalidations", "result", result) == times);
    }

    @Test
    void aYoungCopyIsBelievedAndAnOldOneComparedOnceAPeriod() throws Exception {
        cache.advance(PERIOD.minusSeconds(1));
        seen();
        assertThat(asked).hasValue(0);
        cache.advance(Duration.ofSeconds(2));
        for (int i = 0; i < 5; i++) {
            seen();
        }
        awaitResult("same", 1);
        assertThat(asked).hasValue(1);
        assertThat(rows()).hasSize(1);
        assertThat(forgotten).isEmpty();
        cache.advance(PERIOD);
        seen();
        awaitResult("same", 2);
    }

    @Test
    void nobodyWaitsAndManyWhoSeeItAskOnce() throws Exception {
        gate = new CountDownLatch(1);
        cache.advance(PERIOD);
        for (int i = 0; i < 100; i++) {
            seen();
        }
        gate.countDown();
        awaitResult("same", 1);
        assertThat(asked).hasValue(1);
    }

    @Test
    void aCopyOfWhatHasChangedIsCondemned() throws Exception {
        cache.advance(PERIOD);
        facts = new FileFacts(SIZE + 1, null, null, null, null);
        seen();
        awaitResult("changed", 1);
        assertThat(rows()).isEmpty();
        assertThat(forgotten).containsExactly(OBJID);
        assertThat(cache.number("SELECT COUNT(*) FROM copies WHERE state = 'condemned' AND condemned_by = 'changed'"))
                .isEqualTo(1);
    }

    @Test
    void aCopyOfWhatTheArchiveNoLongerHasIsCondemned() throws Exception {
        cache.advance(PERIOD);
        failure = new FailureException(FailureReason.NOT_FOUND, "no such file");
        seen();
        awaitResult("gone", 1);
        assertThat(rows()).isEmpty();
    }

    @Test
    void anArchiveThatDoesNotAnswerChangesNothingAndIsAskedAgain() throws Exception {
        cache.advance(PERIOD);
        failure = new FailureException(FailureReason.ARCHIVE_TIMEOUT, "too slow");
        seen();
        awaitResult("failed", 1);
        assertThat(rows()).hasSize(1);
        failure = null;
        // noted just before it is forgotten that it was compared
        await().atMost(WAIT).until(() -> {
            seen();
            return Figures.value(metrics, "anteroom_revalidations", "result", "same") == 1;
        });
        assertThat(asked).hasValue(2);
    }

    @Test
    void aBootThatMayChangeNothingComparesNothingAndCondemnsNothing() throws Exception {
        facts = new FileFacts(SIZE + 1, null, null, null, null);
        cache.advance(PERIOD);
        permitted = false;
        seen();
        permitted = true;
        gate = new CountDownLatch(1);
        seen();
        await().atMost(WAIT).until(() -> asked.get() == 1);
        // it loses its name while it asks
        permitted = false;
        gate.countDown();
        awaitResult("changed", 1);
        assertThat(rows()).hasSize(1);
        assertThat(asked).hasValue(1);
    }

    @Test
    void whereItIsOffNothingIsAsked() throws Exception {
        cache.advance(Duration.ofDays(1000));
        revalidation(Duration.ZERO).seen(OBJID, rows());
        assertThat(asked).hasValue(0);
    }
}
