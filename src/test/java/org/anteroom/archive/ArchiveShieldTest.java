package org.anteroom.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.archive.FakeArchive.Hang;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.FakeTicker;
import org.anteroom.testing.Figures;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the gate does while the archive breaks, fails, or is wanted by many. */
@Timeout(30)
class ArchiveShieldTest {
    private static final FileKey KEY = FileKey.of("tides-2024", "a.csv");
    private static final int THREADS = 4;

    private final FakeArchive archive = new FakeArchive();
    private final FakeTicker ticker = new FakeTicker();
    private final Metrics metrics = new Metrics();
    private final Tasks tasks = new Tasks(metrics);
    private final Tasks wideTasks = new Tasks(new Metrics());
    private final List<Hang> hangs = new ArrayList<>();
    private final ArchiveGate gate = new ArchiveGate(
            archive,
            new ArchiveSettings(
                    "directory",
                    "/srv/archive",
                    THREADS,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(10)),
            tasks,
            ticker,
            ticker);

    /** Every call returns, every stream is closed, every thread ends. */
    @AfterEach
    void nothingIsLeft() {
        hangs.forEach(Hang::release);
        gate.close();
        assertThat(archive.closed).isTrue();
        assertThat(tasks.stop(Duration.ofSeconds(10))).isEmpty();
        assertThat(wideTasks.stop(Duration.ofSeconds(10))).isEmpty();
        assertThat(archive.openStreams.get()).as("streams that were not closed").isZero();
        assertThat(Figures.value(metrics, "anteroom_archive_in_use")).isZero();
        assertThat(Figures.value(metrics, "anteroom_archive_background_in_use")).isZero();
        assertThat(Figures.value(metrics, "anteroom_archive_streams")).isZero();
    }

    private Hang hang(int calls) {
        Hang hang = new Hang(calls);
        hangs.add(hang);
        return hang;
    }

    private byte[] put(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        archive.files.put(KEY, bytes);
        return bytes;
    }

    private static FileFacts facts(int size) {
        return new FileFacts(size, null, "\"" + size + "\"", null, null);
    }

    private static FileKey file(int number) {
        return FileKey.of("tides-2024", "f" + number);
    }

    private static <T> T get(CompletableFuture<T> future) throws IOException {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw ArchiveGate.failure(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static FailureException fails(FailureReason reason, ThrowingCallable call) {
        FailureException[] thrown = new FailureException[1];
        assertThatThrownBy(call).isInstanceOfSatisfying(FailureException.class, failure -> {
            assertThat(failure.reason()).isEqualTo(reason);
            thrown[0] = failure;
        });
        return thrown[0];
    }

    /** Lets reads that rest go on, until something has come of it. */
    private <T> CompletableFuture<T> goingOn(CompletableFuture<T> read) {
        Awaitility.await().pollInterval(Duration.ofMillis(2)).until(() -> {
            ticker.advance(Duration.ofSeconds(1));
            gate.watch();
            return read.isDone();
        });
        return read;
    }

    // ---- breaks

    @Test
    void brokenReadGoesOnAtItsOffset() throws Exception {
        byte[] bytes = put(300_000);
        archive.breaks.addAll(List.of(100_000L, 100_000L, 250_001L));
        ByteBuffer all = ByteBuffer.allocate(400_000);
        try (AsyncArchiveStream stream = gate.open(KEY, facts(300_000), 1000)) {
            while (get(goingOn(stream.read(all))) >= 0) {
                assertThat(all.position()).isPositive();
            }
        }
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(bytes, 1000, 299_000));
        assertThat(archive.opens).hasValue(4);
        assertThat(Figures.value(metrics, "anteroom_archive_resumed")).isEqualTo(3);
    }

    @Test
    void fillGoesOnAtItsOffset() throws Exception {
        byte[] bytes = put(600_000);
        archive.breaks.add(300_000L);
        ByteBuffer all = ByteBuffer.allocate(600_000);
        FutureTask<Boolean> fill = new FutureTask<>(() -> {
            try (ArchiveStream stream = gate.blocking().open(KEY, facts(600_000), 0)) {
                ByteBuffer chunk = ByteBuffer.allocate(1 << 20);
                for (int n = stream.read(chunk); n >= 0; n = stream.read(chunk.clear())) {
                    all.put(chunk.flip());
                }
            }
            return true;
        });
        new Thread(fill, "fill").start();
        Awaitility.await().pollInterval(Duration.ofMillis(2)).until(() -> {
            ticker.advance(Duration.ofSeconds(1));
            gate.watch();
            return fill.isDone();
        });
        fill.get();
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(bytes));
    }

    @Test
    void stalledReadGoesOnWithoutTheThreadThatHangs() throws Exception {
        byte[] bytes = put(200_000);
        ByteBuffer all = ByteBuffer.allocate(200_000);
        AsyncArchiveStream stream = gate.open(KEY, facts(200_000), 0);
        get(stream.read(all));
        Hang hang = hang(1);
        archive.readHang = hang;
        CompletableFuture<Integer> stalled = stream.read(all);
        hang.awaitEntered();
        archive.readHang = null;
        ticker.advance(Duration.ofSeconds(30));
        gate.watch();
        assertThat(stalled).isNotDone();
        get(goingOn(stalled));
        hang.release();
        while (all.hasRemaining()) {
            get(stream.read(all));
        }
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(bytes));
        stream.close();
    }

    @Test
    void whatHasGivenNoByteIsNotTriedAgain() throws IOException {
        put(300_000);
        archive.breaks.add(1000L);
        try (AsyncArchiveStream stream = gate.open(KEY, facts(300_000), 1000)) {
            fails(FailureReason.ARCHIVE_FAILED, () -> get(stream.read(ByteBuffer.allocate(10))));
        }
        assertThat(archive.opens).hasValue(1);
    }

    @Test
    void whatCannotBeToldOrReadFromTheMiddleIsNotTriedAgain() throws IOException {
        put(300_000);
        FileFacts untagged = new FileFacts(300_000, null, null, null, null);
        for (FileFacts facts : List.of(untagged, facts(300_000))) {
            archive.breaks.add(10L);
            archive.seekable = facts.etag() == null;
            try (AsyncArchiveStream stream = gate.open(KEY, facts, 0)) {
                get(stream.read(ByteBuffer.allocate(100)));
                fails(FailureReason.ARCHIVE_FAILED, () -> get(stream.read(ByteBuffer.allocate(100))));
            }
        }
        assertThat(archive.opens).hasValue(2);
    }

    @Test
    void otherBytesAreNeverGoneOnWith() throws IOException {
        put(300_000);
        archive.breaks.add(10L);
        try (AsyncArchiveStream stream = gate.open(KEY, facts(300_000), 0)) {
            get(stream.read(ByteBuffer.allocate(100)));
            put(300_001);
            fails(FailureReason.FILE_CHANGED, () -> get(goingOn(stream.read(ByteBuffer.allocate(100)))));
        }
        assertThat(archive.opens).hasValue(2);
    }

    @Test
    void archiveThatBreaksForEverIsGivenUp() throws IOException {
        put(300_000);
        for (int i = 0; i < 100; i++) {
            archive.breaks.add(10L);
        }
        try (AsyncArchiveStream stream = gate.open(KEY, facts(300_000), 0)) {
            get(stream.read(ByteBuffer.allocate(100)));
            fails(FailureReason.ARCHIVE_FAILED, () -> get(goingOn(stream.read(ByteBuffer.allocate(100)))));
        }
        assertThat(archive.opens).hasValue(1 + Resumption.MOST);
    }

    @Test
    void readThatRestsEndsWithItsReaderAndWithTheGate() throws IOException {
        put(300_000);
        AsyncArchiveStream leaver = gate.open(KEY, facts(300_000), 0);
        CompletableFuture<Integer> left = restingRead(leaver, 1);
        leaver.close();
        fails(FailureReason.ARCHIVE_FAILED, () -> get(goingOn(left)));
        AsyncArchiveStream stayer = gate.open(KEY, facts(300_000), 0);
        CompletableFuture<Integer> stays = restingRead(stayer, 2);
        gate.close();
        fails(FailureReason.NOT_READY, () -> get(stays));
        stayer.close();
    }

    private CompletableFuture<Integer> restingRead(AsyncArchiveStream stream, int breaks) throws IOException {
        archive.breaks.add(10L);
        get(stream.read(ByteBuffer.allocate(100)));
        CompletableFuture<Integer> read = stream.read(ByteBuffer.allocate(100));
        Awaitility.await()
                .until(() ->
                        Figures.value(metrics, "anteroom_archive_calls", "kind", "read", "outcome", "archive_failed")
                                == breaks);
        assertThat(read).isNotDone();
        return read;
    }

    // ---- an archive that does nothing but fail

    @Test
    void archiveThatOnlyFailsIsNotAskedForAWhile() throws IOException {
        archive.failure = new IOException("connection refused");
        for (int i = 0; i < Breaker.RUN; i++) {
            int number = i;
            fails(FailureReason.ARCHIVE_FAILED, () -> get(gate.head(file(number))));
        }
        FailureException refusal = fails(FailureReason.ARCHIVE_AWAY, () -> get(gate.head(KEY)));
        assertThat(refusal.retryAfter()).contains(Breaker.PAUSE);
        fails(FailureReason.ARCHIVE_AWAY, () -> get(gate.open(KEY, facts(5), 0).read(ByteBuffer.allocate(5))));
        fails(FailureReason.ARCHIVE_AWAY, () -> gate.background().head(KEY));
        assertThat(archive.heads).hasValue(Breaker.RUN);
        assertThat(archive.opens).hasValue(0);
        gate.watch();
        assertThat(gate.health().ok()).isFalse();
        assertThat(gate.health().reason()).contains("not asked");
        assertThat(Figures.value(metrics, "anteroom_archive_suspended")).isEqualTo(1);

        ticker.advance(Breaker.PAUSE.plusMillis(1));
        fails(FailureReason.ARCHIVE_FAILED, () -> get(gate.head(KEY)));
        fails(FailureReason.ARCHIVE_AWAY, () -> get(gate.head(KEY)));
        assertThat(archive.heads).as("one has tried").hasValue(Breaker.RUN + 1);

        archive.failure = null;
        put(5);
        ticker.advance(Breaker.PAUSE.plusMillis(1));
        assertThat(get(gate.head(KEY))).isEqualTo(facts(5));
        gate.watch();
        assertThat(gate.health().ok()).isTrue();
        assertThat(Figures.value(metrics, "anteroom_archive_suspended")).isZero();
    }

    @Test
    void answeredProbeLetsTheNextOneTryAtOnce() throws IOException {
        archive.failure = new IOException("connection refused");
        for (int i = 0; i < Breaker.RUN; i++) {
            int number = i;
            fails(FailureReason.ARCHIVE_FAILED, () -> get(gate.head(file(number))));
        }
        fails(FailureReason.ARCHIVE_AWAY, () -> get(gate.head(KEY)));
        archive.failure = null;
        put(5);
        gate.probe();
        Awaitility.await().until(() -> get(gate.head(KEY)).equals(facts(5)));
        assertThat(archive.probes).hasValue(1);
    }

    @Test
    void oneBadFileSaysNothingOfTheOthers() throws IOException {
        put(5);
        archive.failure = new IOException("Input/output error");
        for (int i = 0; i < 10 * Breaker.RUN; i++) {
            fails(FailureReason.ARCHIVE_FAILED, () -> get(gate.head(file(0))));
        }
        archive.failure = null;
        assertThat(get(gate.head(KEY))).isEqualTo(facts(5));
    }

    @Test
    void answersThatAreNoFailuresDoNotCount() throws IOException {
        put(5);
        for (FailureReason reason : List.of(
                FailureReason.NOT_FOUND,
                FailureReason.ARCHIVE_REFUSED,
                FailureReason.WRONG_BYTES,
                FailureReason.FILE_CHANGED,
                FailureReason.OVERLOADED)) {
            archive.failure = new FailureException(reason, "no");
            for (int i = 0; i < 2 * Breaker.RUN; i++) {
                FileKey key = FileKey.of("tides-2024", reason + "-" + i);
                fails(reason, () -> get(gate.head(key)));
            }
        }
        archive.failure = null;
        assertThat(get(gate.head(KEY))).isEqualTo(facts(5));
    }

    @Test
    void whatWaitedInACrowdIsNoFailure() throws Exception {
        put(5);
        Hang hang = hang(THREADS);
        archive.headHang = hang;
        List<CompletableFuture<FileFacts>> waiting = new ArrayList<>();
        for (int i = 0; i < THREADS * 5; i++) {
            waiting.add(gate.head(file(i)));
        }
        hang.awaitEntered();
        ticker.advance(Duration.ofSeconds(60));
        gate.watch();
        for (CompletableFuture<FileFacts> answer : waiting) {
            fails(FailureReason.ARCHIVE_TIMEOUT, () -> get(answer));
        }
        archive.headHang = null;
        hang.release();
        Awaitility.await().until(() -> Figures.value(metrics, "anteroom_archive_in_use") == 0);
        assertThat(get(gate.head(KEY)))
                .as("only %s of them were asked", THREADS)
                .isEqualTo(facts(5));
    }

    @Test
    void whatHadItsTurnOnlyJustBeforeItsTimeWasUpIsNoFailure() throws Exception {
        put(5);
        Hang hang = hang(THREADS);
        archive.headHang = hang;
        List<CompletableFuture<FileFacts>> waiting = new ArrayList<>();
        for (int i = 0; i < THREADS * 5; i++) {
            if (i % THREADS == 0 && i > THREADS) {
                ticker.advance(Duration.ofSeconds(1));
            }
            waiting.add(gate.head(file(i)));
        }
        hang.awaitEntered();
        ticker.advance(Duration.ofSeconds(59 - 3));
        for (int batch = 1; batch < 5; batch++) {
            Hang next = hang(THREADS);
            archive.headHang = next;
            hang.release();
            next.awaitEntered();
            ticker.advance(Duration.ofSeconds(1));
            gate.watch();
            for (int i = batch * THREADS; i < (batch + 1) * THREADS; i++) {
                CompletableFuture<FileFacts> answer = waiting.get(i);
                fails(FailureReason.ARCHIVE_TIMEOUT, () -> get(answer));
            }
            hang = next;
        }
        archive.headHang = null;
        hang.release();
        Awaitility.await().until(() -> Figures.value(metrics, "anteroom_archive_in_use") == 0);
        assertThat(get(gate.head(KEY)))
                .as("each had a second of the archive's time, and waited for the others before")
                .isEqualTo(facts(5));
    }

    // ---- people and the background

    @Test
    void backgroundHasItsShareAndPeopleTheRest() throws Exception {
        put(5);
        Hang hang = hang(1);
        archive.headHang = hang;
        List<FutureTask<FileFacts>> workers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            FileKey key = file(i);
            archive.files.put(key, new byte[5]);
            workers.add(new FutureTask<>(() -> gate.background().head(key)));
            new Thread(workers.get(i), "worker-" + i).start();
        }
        hang.awaitEntered();
        Awaitility.await()
                .until(() -> Figures.value(metrics, "anteroom_archive_waiting", "traffic", "background") == 9);
        assertThat(Figures.value(metrics, "anteroom_archive_background_in_use")).isEqualTo(1);
        assertThat(Figures.value(metrics, "anteroom_archive_background_limit")).isEqualTo(1);
        Hang people = hang(THREADS - 1);
        archive.headHang = people;
        for (int i = 0; i < THREADS - 1; i++) {
            var unused = gate.head(file(100 + i));
        }
        people.awaitEntered();
        assertThat(archive.heads).hasValue(THREADS);
        archive.headHang = null;
        hang.release();
        for (FutureTask<FileFacts> worker : workers) {
            assertThat(worker.get()).isEqualTo(facts(5));
        }
        people.release();
    }

    @Test
    void backgroundThatSomebodyWaitsForCountsAsPeople() throws Exception {
        put(5);
        Hang hang = hang(1);
        archive.headHang = hang;
        FutureTask<FileFacts> worker = new FutureTask<>(() -> gate.background().head(file(0)));
        new Thread(worker, "worker").start();
        hang.awaitEntered();
        archive.headHang = null;
        AtomicBoolean awaited = new AtomicBoolean(true);
        assertThat(gate.background(awaited::get).head(KEY)).isEqualTo(facts(5));
        archive.files.put(file(0), new byte[5]);
        hang.release();
        assertThat(worker.get()).isEqualTo(facts(5));
    }

    // ---- one question where two would be asked

    @Test
    void readerOfANewFileAsksOnce() throws IOException {
        byte[] bytes = put(1000);
        archive.opensNew = true;
        readWhole(gate.blocking(), get(gate.headToRead(KEY)), bytes);
        gate.forget(KEY);
        Archive fill = gate.background(() -> false);
        readWhole(fill, fill.head(KEY), bytes);
        gate.forget(KEY);
        Archive awaited = gate.background(() -> true);
        readWhole(awaited, awaited.head(KEY), bytes);
        assertThat(archive.news).hasValue(3);
        assertThat(archive.heads).hasValue(0);
        assertThat(archive.opens).hasValue(0);
    }

    private static void readWhole(Archive from, FileFacts facts, byte[] bytes) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(bytes.length);
        try (ArchiveStream stream = from.open(KEY, facts, 0)) {
            stream.read(all);
        }
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(bytes));
    }

    @Test
    void whatWasOpenedForNobodyIsClosed() throws IOException {
        put(1000);
        archive.opensNew = true;
        get(gate.headToRead(KEY));
        assertThat(archive.openStreams).hasValue(1);
        ticker.advance(ReadyStreams.KEPT);
        gate.watch();
        Awaitility.await().until(() -> archive.openStreams.get() == 0);
        try (AsyncArchiveStream stream = gate.open(KEY, facts(1000), 0)) {
            assertThat(get(stream.read(ByteBuffer.allocate(1000)))).isEqualTo(1000);
        }
        assertThat(archive.opens).hasValue(1);
        ticker.advance(Duration.ofSeconds(3));
        get(gate.headToRead(KEY));
    }

    @Test
    void whatIsOpenForNobodyIsLimited() throws IOException {
        archive.opensNew = true;
        for (int i = 0; i < 2 * THREADS; i++) {
            archive.files.put(file(i), new byte[5]);
            get(gate.headToRead(file(i)));
        }
        assertThat(archive.openStreams).hasValue(THREADS);
        assertThat(archive.news).hasValue(THREADS);
        assertThat(archive.heads).hasValue(THREADS);
    }

    @Test
    void whatWasOpenedIsNotReadAsAnotherFile() throws IOException {
        put(1000);
        archive.opensNew = true;
        get(gate.headToRead(KEY));
        put(1001);
        try (AsyncArchiveStream stream = gate.open(KEY, facts(1001), 0)) {
            assertThat(get(stream.read(ByteBuffer.allocate(2000)))).isEqualTo(1001);
        }
        assertThat(archive.opens).hasValue(1);
    }

    // ---- all of the concurrency, all the time

    @Test
    void asManyCallsRunAtOnceAsMayWhileThatManyAreWanted() throws Exception {
        int clients = 4 * THREADS;
        FullHouse house = new FullHouse(THREADS, clients);
        CountDownLatch done = new CountDownLatch(clients);
        ArchiveGate wide = new ArchiveGate(
                house,
                new ArchiveSettings(
                        "held",
                        "nowhere",
                        THREADS,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(30),
                        Duration.ZERO,
                        Duration.ZERO),
                wideTasks,
                ticker,
                ticker);
        for (int client = 0; client < clients; client++) {
            int first = client * 1000;
            new Thread(
                            () -> {
                                try {
                                    for (int i = 0; i < 60; i++) {
                                        FileKey key = file(first + i);
                                        FileFacts facts = get(wide.head(key));
                                        try (AsyncArchiveStream stream = wide.open(key, facts, 0)) {
                                            get(stream.read(ByteBuffer.allocate(10)));
                                        }
                                    }
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                } finally {
                                    house.leave();
                                    done.countDown();
                                }
                            },
                            "client-" + client)
                    .start();
        }
        assertThat(done.await(20, TimeUnit.SECONDS))
                .as("each call has waited until as many ran as may, or as are wanted")
                .isTrue();
        assertThat(house.most()).isEqualTo(THREADS);
    }
}
