package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.archive.ArchiveSettings;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.inventory.HeadStore;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.Migrations;
import org.anteroom.jdbc.Pools;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.FakeTicker;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeadsTest {
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration TTL = Duration.ofMinutes(1);
    private static final FileKey KEY = FileKey.of("d", "a");

    @TempDir
    Path folder;

    private final Metrics metrics = new Metrics();
    private final Tasks tasks = new Tasks(metrics);
    private final FakeTicker ticker = new FakeTicker();
    private final Versions archive = new Versions();
    /** What the inventory is to do, by hand. */
    private final Queue<Runnable> work = new ConcurrentLinkedQueue<>();

    private final List<Tasks> others = new ArrayList<>();
    private HikariDataSource source;
    private HeadStore store;
    private ArchiveGate gate;
    private Heads heads;
    private boolean permitted = true;

    /** An archive that knows no more than one version. */
    private static final class Versions implements Archive {
        volatile @Nullable String newest = "1";
        volatile @Nullable FailureReason failing;
        volatile boolean has = true;
        final AtomicInteger asked = new AtomicInteger();

        @Override
        public boolean hasVersions() {
            return has;
        }

        @Override
        public Optional<String> newest(String dataset) throws IOException {
            asked.incrementAndGet();
            FailureReason reason = failing;
            if (reason != null) {
                throw new FailureException(reason, "as told");
            }
            return Optional.ofNullable(newest);
        }

        @Override
        public FileFacts head(FileKey key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ArchiveStream open(FileKey key, FileFacts expected, long offset) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void probe() {}
    }

    @BeforeEach
    void make() throws IOException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:sqlite:" + folder.resolve("inventory.db"));
        config.setMaximumPoolSize(3);
        source = new HikariDataSource(config);
        Migrations migrations = new Migrations(Optional.empty(), HeadsTest.class.getClassLoader());
        Database database = new Database("inventory", source, migrations, tasks, new Pools(metrics));
        database.probe(WAIT);
        store = new HeadStore(database);
        ArchiveSettings settings = new ArchiveSettings("versions", "nowhere", 4, WAIT, WAIT, WAIT, TTL, Duration.ZERO);
        gate = new ArchiveGate(archive, settings, tasks, InstantSource.system(), ticker);
        heads = new Heads(gate, store, TTL, WAIT, work::add, () -> permitted, tasks, ticker);
    }

    @AfterEach
    void stop() {
        gate.close();
        tasks.stop(Duration.ofSeconds(5));
        others.forEach(other -> other.stop(Duration.ofSeconds(5)));
        source.close();
    }

    /** As after a start. */
    private Heads again(Duration wait, Executor executor) {
        Tasks other = new Tasks(new Metrics());
        others.add(other);
        return new Heads(gate, store, TTL, wait, executor, () -> permitted, other, ticker);
    }

    private static FileKey version(String version) {
        return new FileKey("d", "a", version);
    }

    private void work() {
        for (Runnable next = work.poll(); next != null; next = work.poll()) {
            next.run();
        }
    }

    /** Asks, lets the inventory answer, and waits for the archive. */
    private FileKey looked() throws Exception {
        CompletableFuture<Heads.Resolved> answer = heads.lookup(KEY);
        work();
        return answer.get(20, TimeUnit.SECONDS).key();
    }

    private void awaitKnown(@Nullable FileKey expected) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    FileKey now = heads.resolve(KEY);
                    return expected == null ? now == null : expected.equals(now);
                });
    }

    @Test
    void whatIsInMemoryAsksNobody() throws Exception {
        assertThat(heads.resolve(KEY)).isNull();
        assertThat(looked()).isEqualTo(version("1"));
        awaitKept("1");
        for (int i = 0; i < 10; i++) {
            assertThat(heads.resolve(KEY)).isEqualTo(version("1"));
            assertThat(heads.lookup(KEY)).isCompletedWithValue(new Heads.Resolved(version("1"), Duration.ZERO));
        }
        assertThat(heads.lookup(FolderKey.of(KEY))).isCompletedWithValue(new FolderKey("d", "a", "1"));
        assertThat(archive.asked).hasValue(1);
        assertThat(work).isEmpty();
    }

    private void awaitKept(@Nullable String version) {
        Awaitility.await().until(() -> {
            work();
            return store.find("d", WAIT).equals(Optional.of(new HeadStore.Head(version)));
        });
    }

    @Test
    void keysWithAVersionAndArchivesWithoutAreLeftAlone() {
        assertThat(heads.resolve(version("7"))).isEqualTo(version("7"));
        archive.has = false;
        assertThat(heads.resolve(KEY)).isSameAs(KEY);
        assertThat(heads.lookup(KEY).join().key()).isSameAs(KEY);
        assertThat(archive.asked).hasValue(0);
        assertThat(work).isEmpty();
    }

    @Test
    void datasetWithoutVersionsIsKnownForThat() throws Exception {
        archive.newest = null;
        assertThat(looked()).isEqualTo(KEY);
        assertThat(heads.resolve(KEY)).isEqualTo(KEY);
        awaitKept(null);
    }

    @Test
    void oldWordIsUsedWhileItIsRefreshed() throws Exception {
        looked();
        archive.newest = "2";
        ticker.advance(TTL.minusMillis(1));
        assertThat(heads.resolve(KEY)).isEqualTo(version("1"));
        assertThat(archive.asked).hasValue(1);
        ticker.advance(Duration.ofMillis(1));
        assertThat(heads.resolve(KEY)).isEqualTo(version("1"));
        awaitKnown(version("2"));
        assertThat(archive.asked).hasValue(2);
        awaitKept("2");
    }

    @Test
    void archiveThatIsAwayLeavesWhatIsKnown() throws Exception {
        looked();
        awaitKept("1");
        archive.failing = FailureReason.ARCHIVE_FAILED;
        ticker.advance(TTL);
        assertThat(heads.resolve(KEY)).isEqualTo(version("1"));
        Awaitility.await().until(() -> archive.asked.get() == 2);
        assertThat(heads.resolve(KEY)).isEqualTo(version("1"));

        // after a start
        Heads again = again(WAIT, Runnable::run);
        assertThat(again.lookup(KEY).get(20, TimeUnit.SECONDS).key()).isEqualTo(version("1"));
        assertThat(again.resolve(KEY)).isEqualTo(version("1"));
        CompletableFuture<Heads.Resolved> other = again.lookup(FileKey.of("other", "a"));
        assertThatThrownBy(() -> other.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(FailureException.class);
    }

    @Test
    void datasetThatIsGoneIsForgotten() throws Exception {
        looked();
        awaitKept("1");
        archive.failing = FailureReason.NOT_FOUND;
        ticker.advance(TTL);
        heads.resolve(KEY);
        awaitKnown(null);
        Awaitility.await().until(() -> {
            work();
            return store.find("d", WAIT).isEmpty();
        });
    }

    @Test
    void aBootThatMayChangeNothingKeepsNothing() throws Exception {
        permitted = false;
        assertThat(looked()).isEqualTo(version("1"));
        assertThat(work).isEmpty();
        assertThat(store.find("d", WAIT)).isEmpty();
    }

    @Test
    void lookupThatCannotBeMadeFailsAndIsMadeAnewByTheNext() throws Exception {
        boolean[] broken = {true};
        Heads fragile = again(WAIT, command -> {
            if (broken[0]) {
                throw new IllegalStateException("out of order");
            }
            command.run();
        });
        CompletableFuture<Heads.Resolved> failed = fragile.lookup(KEY);
        assertThatThrownBy(() -> failed.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(FailureException.class);
        broken[0] = false;
        assertThat(fragile.lookup(KEY).get(20, TimeUnit.SECONDS).key()).isEqualTo(version("1"));
    }

    @Test
    void askersShareOneLookup() throws Exception {
        CompletableFuture<Heads.Resolved> first = heads.lookup(KEY);
        CompletableFuture<Heads.Resolved> second = heads.lookup(FileKey.of("d", "b"));
        assertThat(work).hasSize(1);
        work();
        assertThat(first.get(20, TimeUnit.SECONDS).key()).isEqualTo(version("1"));
        assertThat(second.get(20, TimeUnit.SECONDS).key()).isEqualTo(new FileKey("d", "b", "1"));
        assertThat(archive.asked).hasValue(1);
    }

    @Test
    void inventoryThatDoesNotAnswerHoldsUpNobodyForLong() throws Exception {
        Heads impatient = again(Duration.ofMillis(10), work::add);
        assertThat(impatient.lookup(KEY).get(20, TimeUnit.SECONDS).key()).isEqualTo(version("1"));
        Heads refused = again(WAIT, command -> {
            throw new RejectedExecutionException();
        });
        assertThat(refused.lookup(KEY).get(20, TimeUnit.SECONDS).key()).isEqualTo(version("1"));
    }
}
