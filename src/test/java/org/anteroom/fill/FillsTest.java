package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.eviction.TestCache;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.InventorySettings;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.Owner;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.Figures;
import org.anteroom.volume.Adoption;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.Volume;
import org.anteroom.volume.VolumeGuard;
import org.anteroom.volume.VolumeMetrics;
import org.anteroom.volume.fs.FilesystemVolume;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fills into a real volume and a real inventory, from an archive that is told how to fail. */
@Timeout(120)
class FillsTest {
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final FileKey KEY = FileKey.of("set", "x.bin");
    private static final int SIZE = 300_000;

    @TempDir
    Path folder;

    private final byte[] bytes = random(SIZE);
    private final AtomicInteger opens = new AtomicInteger();
    private final CountDownLatch gate = new CountDownLatch(1);
    private volatile int cutAt = Integer.MAX_VALUE;
    private volatile int holdAt = Integer.MAX_VALUE;
    private volatile @Nullable IOException failure;
    private final WrongBytes wrong = new WrongBytes(Ticker.systemTicker(), new Metrics());

    private TestCache cache;
    private Tasks tasks;
    private Fills fills;

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    /** Serves the bytes up to a cut, and waits before a hold. */
    private final class TestArchive implements Archive {
        @Override
        public FileFacts head(FileKey key) {
            return facts();
        }

        @Override
        public ArchiveStream open(FileKey key, FileFacts expected, long offset) {
            opens.incrementAndGet();
            return new ArchiveStream() {
                private int position = (int) offset;

                @Override
                public int read(ByteBuffer target) throws IOException {
                    if (position >= holdAt) {
                        try {
                            gate.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    }
                    int end = Math.min(bytes.length, cutAt);
                    if (position >= end) {
                        IOException cause = failure;
                        if (cause != null) {
                            throw cause;
                        }
                        return -1;
                    }
                    int limit = position < holdAt ? Math.min(end, holdAt) : end;
                    int n = Math.min(Math.min(target.remaining(), 10_000), limit - position);
                    target.put(bytes, position, n);
                    position += n;
                    return n;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void probe() {}
    }

    private static FileFacts facts() {
        return new FileFacts(SIZE, null, "\"1\"", null, null);
    }

    @BeforeEach
    void open() throws IOException {
        cache = new TestCache(folder, 1_000_000);
        tasks = new Tasks(cache.metrics());
        fills = fills(cache.guard(), cache.locations, tasks, 4, cache.metrics());
    }

    private Fills fills(VolumeGuard guard, Locations<?> locations, Tasks threads, int places, Metrics metrics) {
        return new Fills(
                cache.fills,
                new Placement(Map.of(cache.volumeId(), guard), this::rows),
                new TestArchive(),
                locations,
                wrong,
                cache.owner,
                places,
                threads,
                metrics);
    }

    private List<VolumeRow> rows() {
        try {
            return List.of(cache.volume());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() throws Exception {
        gate.countDown();
        fills.stop(WAIT);
        assertThat(tasks.stop(WAIT)).isEmpty();
        VolumeRow row = cache.volume();
        assertThat(row.reserved()).as("bytes still reserved").isZero();
        assertThat(row.used()).as("counter and disk").isEqualTo(onDisk());
        assertThat(temporaries()).isEmpty();
        cache.close();
    }

    private long onDisk() throws IOException {
        try (var paths = Files.walk(folder.resolve("volume/copies"))) {
            return paths.filter(Files::isRegularFile)
                    .mapToLong(path -> path.toFile().length())
                    .sum();
        }
    }

    private List<Path> temporaries() throws IOException {
        try (var paths = Files.list(folder.resolve("volume/tmp"))) {
            return paths.toList();
        }
    }

    private Outcome begin() {
        return fills.begin(KEY, facts(), WAIT).join();
    }

    private Fill beginFill() {
        return ((Outcome.Following) begin()).fill();
    }

    private void awaitEnd() {
        await().atMost(WAIT).until(() -> fills.runningCount() == 0 && fills.running(KEY.objid()) == null);
    }

    private static byte[] readAll(Follower follower, int size) throws Exception {
        ByteBuffer all = ByteBuffer.allocate(size);
        while (all.position() < size) {
            CountDownLatch more = new CountDownLatch(1);
            int n = follower.read(all, all.position());
            all.limit(size);
            if (n < 0) {
                break;
            }
            if (n == 0 && follower.await(all.position(), more::countDown)) {
                more.await();
            }
        }
        return all.array();
    }

    @Test
    void a_fill_makes_a_copy_that_is_found_without_sql() throws Exception {
        Fill fill = beginFill();
        try (Follower follower = Objects.requireNonNull(fill.follow())) {
            assertThat(readAll(follower, SIZE)).isEqualTo(bytes);
        }
        awaitEnd();
        CopyRow copy = Objects.requireNonNull(cache.locations.get(KEY.objid()))
                .copies()
                .get(0);
        assertThat(copy.facts().sha256()).isEqualTo(Sha256.of(bytes));
        assertThat(cache.volume().used()).isEqualTo(SIZE);
        assertThat(begin()).isInstanceOf(Outcome.Cached.class);
        assertThat(opens).hasValue(1);
    }

    @Test
    void many_who_want_the_same_file_at_once_share_one_fill() throws Exception {
        holdAt = 100_000;
        ExecutorService pool = Executors.newFixedThreadPool(32);
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            outcomes.add(CompletableFuture.supplyAsync(this::begin, pool));
        }
        long begun = outcomes.stream()
                .map(CompletableFuture::join)
                .filter(outcome -> ((Outcome.Following) outcome).begun())
                .count();
        assertThat(begun).isEqualTo(1);
        Follower follower = Objects.requireNonNull(
                Objects.requireNonNull(fills.running(KEY.objid())).follow());
        gate.countDown();
        assertThat(readAll(follower, SIZE)).isEqualTo(bytes);
        follower.close();
        awaitEnd();
        assertThat(opens).hasValue(1);
        pool.shutdown();
    }

    @Test
    void the_end_of_the_file_is_held_back_until_it_is_verified() throws Exception {
        holdAt = SIZE;
        Fill fill = beginFill();
        await().atMost(WAIT).until(() -> fill.readable() == SIZE - FillRun.HELD_BACK);
        gate.countDown();
        awaitEnd();
        assertThat(fill.readable()).isEqualTo(SIZE);
    }

    @Test
    void an_archive_that_ends_early_leaves_nothing_and_its_readers_are_told() throws Exception {
        cutAt = 200_000;
        Fill fill = beginFill();
        Follower follower = Objects.requireNonNull(fill.follow());
        awaitEnd();
        assertThat(follower)
                .satisfies(f -> org.assertj.core.api.Assertions.assertThatThrownBy(
                                () -> f.read(ByteBuffer.allocate(10), SIZE - FillRun.HELD_BACK))
                        .isInstanceOfSatisfying(
                                FailureException.class,
                                e -> assertThat(e.reason()).isEqualTo(FailureReason.WRONG_BYTES)));
        follower.close();
        assertThat(cache.locations.lookup(KEY.objid()).join()).isNull();
    }

    @Test
    void a_checksum_that_does_not_match_is_never_delivered_whole() throws Exception {
        Fill fill = ((Outcome.Following) fills.begin(KEY, wrong(), WAIT).join()).fill();
        Follower follower = Objects.requireNonNull(fill.follow());
        awaitEnd();
        assertThat(fill.readable()).isLessThanOrEqualTo(SIZE - FillRun.HELD_BACK);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> readAll(follower, SIZE))
                .isInstanceOf(FailureException.class);
        follower.close();
        assertThat(wrong.has(KEY.objid(), wrong())).isTrue();

        // when the archive's word is another one, and its bytes are right by that
        FileFacts mended = facts().withSha256(Sha256.of(bytes));
        assertThat(wrong.has(KEY.objid(), mended)).isFalse();
        assertThat(fills.begin(KEY, mended, WAIT).join()).isInstanceOf(Outcome.Following.class);
        awaitEnd();
        assertThat(cache.volume().used()).isEqualTo(SIZE);
    }

    private static FileFacts wrong() {
        return facts().withSha256(Sha256.of(new byte[] {1}));
    }

    @Test
    void what_was_digested_lasts_for_those_who_lose_the_growing_copy() throws Exception {
        holdAt = 200_000;
        Fill fill = ((Outcome.Following) fills.begin(KEY, facts().withSha256(Sha256.of(bytes)), WAIT)
                        .join())
                .fill();
        DigestedPrefix prefix = Objects.requireNonNull(fill.prefix(150_000));
        prefix.digester().update(bytes, (int) prefix.length(), SIZE - (int) prefix.length());
        assertThat(Sha256.of(prefix.digester())).isEqualTo(Sha256.of(bytes));
        assertThat(new Fill(KEY.objid(), facts(), 1).prefix(0))
                .as("nothing to verify")
                .isNull();
        gate.countDown();
        awaitEnd();
    }

    @Test
    void a_fill_that_is_ended_elsewhere_gets_no_new_readers_once_that_is_known() throws Exception {
        holdAt = 100_000;
        beginFill();
        assertThat(cache.fills.cancel(KEY.objid())).isEqualTo(1);
        assertThat(fills.running(KEY.objid())).isNotNull();
        fills.renew();
        assertThat(fills.running(KEY.objid())).isNull();
        gate.countDown();
        awaitEnd();
    }

    @Test
    void the_readers_of_a_fill_that_hangs_in_its_volume_go_elsewhere() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch hang = new CountDownLatch(1);
        FilesystemVolume volume = new FilesystemVolume(TestCache.NAME, folder.resolve("volume"));
        VolumeGuard guard = guard(hanging(volume, entered, hang));
        Fills one = fills(guard, cache.locations, tasks, 1, new Metrics());
        Fill fill = ((Outcome.Following) one.begin(KEY, facts(), WAIT).join()).fill();
        Follower follower = Objects.requireNonNull(fill.follow());
        CountDownLatch told = new CountDownLatch(1);
        assertThat(follower.await(0, told::countDown)).isTrue();
        entered.await();
        one.relieve();
        one.relieve();
        assertThat(told.getCount()).as("it may only be slow").isEqualTo(1);
        cache.clock().advance(VolumeGuard.PENDING_LIMIT.plusMillis(1));
        await().atMost(WAIT).until(() -> {
            guard.watch();
            one.relieve();
            return told.getCount() == 0;
        });
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> follower.read(ByteBuffer.allocate(10), 0))
                .isInstanceOf(FillAbandonedException.class);
        follower.close();
        assertThat(one.running(KEY.objid())).isNull();
        hang.countDown();
        await().atMost(WAIT).until(() -> one.runningCount() == 0);
        assertThat(cache.volume().used()).as("the copy is made all the same").isEqualTo(SIZE);
    }

    /** A volume whose copies cannot be written to until the latch is down. */
    private static Volume hanging(Volume inner, CountDownLatch entered, CountDownLatch hang) {
        return (Volume) Proxy.newProxyInstance(
                FillsTest.class.getClassLoader(), new Class<?>[] {Volume.class}, (proxy, method, arguments) -> {
                    Object result = invoke(method, inner, arguments);
                    return result instanceof CopyWriter writer && !((String) arguments[0]).startsWith("0.")
                            ? Proxy.newProxyInstance(
                                    FillsTest.class.getClassLoader(), new Class<?>[] {CopyWriter.class}, (p, m, a) -> {
                                        if (m.getName().equals("write")) {
                                            entered.countDown();
                                            hang.await();
                                        }
                                        return invoke(m, writer, a);
                                    })
                            : result;
                });
    }

    private VolumeGuard guard(Volume volume) throws IOException {
        VolumeGuard guard = new VolumeGuard(
                volume, cache.guard().settings(), 4, new VolumeMetrics(new Metrics()), cache.clock(), cache.clock());
        assertThat(guard.adopt(volume.readMarker().orElseThrow())).isInstanceOf(Adoption.Ready.class);
        return guard;
    }

    @Test
    void a_hundred_fills_that_fail_leave_no_byte_reserved() throws Exception {
        failure = new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed.");
        cutAt = 100;
        for (int i = 0; i < 100; i++) {
            FileKey key = FileKey.of("set", "x" + i);
            Outcome outcome = fills.begin(key, facts(), WAIT).join();
            assertThat(outcome).isInstanceOf(Outcome.Following.class);
            await().atMost(WAIT).until(() -> fills.runningCount() == 0);
        }
        assertThat(cache.volume().reserved()).isZero();
    }

    @Test
    void a_file_that_is_deleted_while_it_is_filled_is_not_cached_and_its_readers_go_on() throws Exception {
        holdAt = 100_000;
        Fill fill = beginFill();
        Follower follower = Objects.requireNonNull(fill.follow());
        assertThat(cache.fills.cancel(KEY.objid())).isEqualTo(1);
        fills.cancel(KEY.objid());
        assertThat(fills.running(KEY.objid())).isNull();
        gate.countDown();
        assertThat(readAll(follower, SIZE)).isEqualTo(bytes);
        follower.close();
        awaitEnd();
        assertThat(cache.locations.lookup(KEY.objid()).join()).isNull();
        // the row forgets the name, since nothing is left under it
        assertThat(named()).isZero();
    }

    /** What it had reserved is somebody else's by then. */
    @Test
    void a_fill_that_was_ended_and_has_no_readers_reads_no_further() throws Exception {
        holdAt = 100_000;
        Fill fill = beginFill();
        await().atMost(WAIT).until(() -> fill.readable() > 0);
        assertThat(cache.fills.cancel(KEY.objid())).isEqualTo(1);
        fills.cancel(KEY.objid());
        gate.countDown();
        awaitEnd();
        assertThat(fill.readable()).isLessThanOrEqualTo(100_000);
        assertThat(cache.files("copies")).isEmpty();
        assertThat(named()).isZero();
    }

    @Test
    void a_fill_that_was_ended_by_its_number_is_the_only_one_to_end() throws Exception {
        holdAt = 100_000;
        Fill first = beginFill();
        long id = cache.number("SELECT MAX(id) FROM fills");
        assertThat(cache.fills.cancel(id)).isTrue();
        fills.renew();
        Fill second = beginFill();
        fills.cancel(id);
        assertThat(fills.running(KEY.objid())).isSameAs(second);
        assertThat(first.isLost()).isTrue();
        assertThat(second.isLost()).isFalse();
        gate.countDown();
        awaitEnd();
        assertThat(second.readable()).isEqualTo(SIZE);
        assertThat(cache.files("copies")).hasSize(1);
    }

    /** The database is away for longer than a lease. */
    @Test
    void a_fill_that_lost_its_lease_has_its_readers_and_new_ones_until_it_ends() throws Exception {
        holdAt = 100_000;
        Fill fill = beginFill();
        Follower follower = Objects.requireNonNull(fill.follow());
        cache.advance(Fills.LEASE);
        fills.renew();
        assertThat(begin()).isEqualTo(new Outcome.Following(fill, false));
        gate.countDown();
        assertThat(readAll(follower, SIZE)).isEqualTo(bytes);
        follower.close();
        awaitEnd();
        assertThat(opens).hasValue(1);
        assertThat(cache.files("copies")).as("its lease was over").isEmpty();
        assertThat(begin()).isInstanceOf(Outcome.Following.class);
        awaitEnd();
        assertThat(cache.files("copies")).hasSize(1);
    }

    private long named() throws IOException {
        return cache.number("SELECT COUNT(*) FROM fills WHERE name IS NOT NULL");
    }

    @Test
    void the_copy_of_a_fill_that_was_cancelled_too_late_is_not_put_into_memory() throws Exception {
        holdAt = 100_000;
        Fill fill = beginFill();
        fills.cancel(KEY.objid());
        gate.countDown();
        awaitEnd();
        assertThat(fill.readable()).isEqualTo(SIZE);
        assertThat(cache.locations.get(KEY.objid())).isNull();
        assertThat(cache.locations.lookup(KEY.objid()).join()).isNotNull();
    }

    @Test
    void a_fill_for_which_there_is_no_thread_takes_no_place_and_no_room() throws Exception {
        Tasks stopped = new Tasks(new Metrics());
        Fills without = fills(cache.guard(), cache.locations, stopped, 1, new Metrics());
        assertThat(stopped.stop(WAIT)).isEmpty();
        for (int i = 0; i < 3; i++) {
            Outcome outcome =
                    without.begin(FileKey.of("set", "n" + i), facts(), WAIT).join();
            assertThat(outcome).isInstanceOf(Outcome.Following.class);
            assertThat(without.runningCount()).isZero();
        }
        without.renew();
        assertThat(cache.volume().reserved()).isZero();
    }

    @Test
    void a_fill_whose_end_goes_wrong_takes_no_place_and_is_settled_later() throws Exception {
        Locations<String> broken = new Locations<>(
                new InventorySettings(Duration.ofSeconds(30), Duration.ofSeconds(1), 1000),
                objid -> cache.copies.find(objid, WAIT),
                (objid, facts) -> {
                    throw new IllegalStateException("on purpose");
                },
                Runnable::run,
                cache.clock(),
                new Metrics());
        Metrics metrics = new Metrics();
        Fills one = fills(cache.guard(), broken, tasks, 1, metrics);
        for (int i = 0; i < 2; i++) {
            assertThat(one.begin(FileKey.of("set", "b" + i), facts(), WAIT).join())
                    .isInstanceOf(Outcome.Following.class);
            await().atMost(WAIT).until(() -> one.runningCount() == 0);
        }
        assertThat(Figures.value(metrics, "anteroom_fills_unsettled")).isEqualTo(2);
        one.renew();
        assertThat(Figures.value(metrics, "anteroom_fills_unsettled")).isZero();
    }

    /** A volume whose copies get their names and are then said to have failed, and can only be deleted later. */
    private static Volume failing(Volume inner, AtomicBoolean failing) {
        return (Volume) Proxy.newProxyInstance(
                FillsTest.class.getClassLoader(), new Class<?>[] {Volume.class}, (proxy, method, arguments) -> {
                    if (failing.get() && method.getName().equals("delete")) {
                        throw new IOException("input/output error");
                    }
                    Object result = invoke(method, inner, arguments);
                    return result instanceof CopyWriter writer ? failingWriter(writer) : result;
                });
    }

    private static Object failingWriter(CopyWriter inner) {
        return Proxy.newProxyInstance(
                FillsTest.class.getClassLoader(), new Class<?>[] {CopyWriter.class}, (proxy, method, arguments) -> {
                    Object result = invoke(method, inner, arguments);
                    if (method.getName().equals("commit")) {
                        throw new IOException("the folder cannot be synced");
                    }
                    return result;
                });
    }

    private static @Nullable Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    @Test
    void a_file_that_may_be_left_by_a_commit_that_failed_is_remembered_until_it_is_gone() throws Exception {
        AtomicBoolean failing = new AtomicBoolean(true);
        FilesystemVolume volume = new FilesystemVolume(TestCache.NAME, folder.resolve("volume"));
        VolumeGuard guard = guard(failing(volume, failing));
        Fills one = fills(guard, cache.locations, tasks, 1, new Metrics());
        one.begin(KEY, facts(), WAIT).join();
        await().atMost(WAIT).until(() -> one.runningCount() == 0);
        assertThat(cache.files("copies")).hasSize(1);
        assertThat(named()).isEqualTo(1);
        failing.set(false);
        guard.probe();
        one.renew();
        assertThat(cache.files("copies")).isEmpty();
        assertThat(named()).isZero();
    }

    @Test
    void without_room_the_file_is_passed_through_and_a_plan_is_wanted() throws Exception {
        FileFacts large = new FileFacts(600_000, null, "\"1\"", null, null);
        cache.begun("set/other", 600_000, cache.owner);
        assertThat(fills.begin(KEY, large, WAIT).join()).isEqualTo(new Outcome.Bypass("no-room"));
        assertThat(cache.volume().planWanted()).isPositive();
        cache.fills.cancel("set/other");
        FileFacts huge = new FileFacts(2_000_000, null, "\"1\"", null, null);
        assertThat(fills.begin(KEY, huge, WAIT).join()).isEqualTo(new Outcome.Bypass("no-volume"));
    }

    @Test
    void no_more_fills_run_at_once_than_there_are_places() {
        holdAt = 0;
        for (int i = 0; i < 3; i++) {
            FileFacts small = new FileFacts(SIZE / 4, null, "\"1\"", null, null);
            assertThat(fills.begin(FileKey.of("set", "y" + i), small, WAIT).join())
                    .isInstanceOf(Outcome.Following.class);
        }
        beginFill();
        assertThat(fills.begin(FileKey.of("set", "z"), facts(), WAIT).join()).isEqualTo(new Outcome.Bypass("busy"));
        gate.countDown();
        await().atMost(WAIT).until(() -> fills.runningCount() == 0);
    }

    @Test
    void an_end_that_the_inventory_could_not_be_told_is_told_later() throws Exception {
        holdAt = 100_000;
        Fill fill = beginFill();
        Follower follower = Objects.requireNonNull(fill.follow());
        try (var locked = cache.test().lock()) {
            assertThat(locked.isClosed()).isFalse();
            gate.countDown();
            // readers need no inventory
            assertThat(readAll(follower, SIZE)).isEqualTo(bytes);
        }
        follower.close();
        awaitEnd();
        fills.renew();
        assertThat(Objects.requireNonNull(cache.locations.lookup(KEY.objid()).join())
                        .copies())
                .hasSize(1);
    }

    @Test
    void a_fill_whose_begin_was_not_answered_is_given_back() throws Exception {
        cache.test().loseAnswerOfNextCommit();
        assertThat(fills.begin(KEY, facts(), WAIT).get()).isEqualTo(new Outcome.Bypass("inventory-unavailable"));
        assertThat(cache.volume().reserved()).isEqualTo(SIZE);
        fills.renew();
        assertThat(cache.volume().reserved()).isZero();
        assertThat(cache.number("SELECT COUNT(*) FROM fills WHERE state = 'failed' AND name IS NULL"))
                .isEqualTo(1);
        assertThat(fills.begin(KEY, facts(), WAIT).get()).isInstanceOf(Outcome.Following.class);
        awaitEnd();
        cache.assertAllAgree();
    }

    /** Others may have ended it by then; its name is forgotten all the same, since no file was made. */
    @Test
    void a_fill_whose_begin_was_not_answered_until_others_ended_it_leaves_nothing() throws Exception {
        cache.test().loseAnswerOfNextCommit();
        fills.begin(KEY, facts(), WAIT).get();
        cache.advance(Duration.ofMinutes(1));
        assertThat(cache.fills.releaseExpired(new Owner("other", "boot"), Set.of()))
                .isEqualTo(1);
        fills.renew();
        assertThat(cache.number("SELECT COUNT(*) FROM fills WHERE state = 'failed' AND name IS NULL"))
                .isEqualTo(1);
    }
}
