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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.anteroom.archive.FakeArchive.Hang;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.FakeTicker;
import org.anteroom.testing.Figures;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ArchiveGateTest {
    private static final FileKey KEY = FileKey.of("tides-2024", "a.csv");
    private static final Duration FIRST_BYTE = Duration.ofSeconds(60);
    private static final Duration STALL = Duration.ofSeconds(30);

    private final FakeArchive archive = new FakeArchive();
    private final FakeTicker ticker = new FakeTicker();
    private final Metrics metrics = new Metrics();
    private final Tasks tasks = new Tasks(metrics);
    private final ArchiveGate gate = gate(2);
    private final List<Hang> hangs = new ArrayList<>();

    private final Metrics wideMetrics = new Metrics();
    private final Tasks wideTasks = new Tasks(wideMetrics);

    private ArchiveGate gate(int concurrency) {
        return gate(concurrency, tasks);
    }

    private ArchiveGate gateOnTasksOfItsOwn(int concurrency) {
        return gate(concurrency, wideTasks);
    }

    private ArchiveGate gate(int concurrency, Tasks threads) {
        ArchiveSettings settings = new ArchiveSettings(
                "directory",
                "/srv/archive",
                concurrency,
                Duration.ofSeconds(5),
                FIRST_BYTE,
                STALL,
                Duration.ofMinutes(1),
                Duration.ofSeconds(10));
        return new ArchiveGate(archive, settings, threads, ticker, ticker);
    }

    /** Every call returns, every stream is closed, every thread ends. */
    @AfterEach
    void nothingIsLeft() {
        hangs.forEach(Hang::release);
        assertThat(tasks.stop(Duration.ofSeconds(10))).isEmpty();
        assertThat(wideTasks.stop(Duration.ofSeconds(10))).isEmpty();
        assertThat(archive.openStreams.get()).as("streams that were not closed").isZero();
        assertThat(Figures.value(metrics, "anteroom_archive_in_use")).isZero();
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

    private static <T> T get(CompletableFuture<T> future) throws IOException {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw ArchiveGate.failure(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void assertFails(FailureReason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    private double calls(String kind, String outcome) {
        return Figures.value(metrics, "anteroom_archive_calls", "kind", kind, "outcome", outcome);
    }

    /** Waits until the pool has nothing more to do. */
    private void settle() throws Exception {
        CountDownLatch threads = new CountDownLatch(2);
        CountDownLatch go = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            gate.execute(() -> {
                threads.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        threads.await();
        go.countDown();
    }

    /** Waits until the probe that was begun has ended. */
    private void settleProbe() throws Exception {
        // its pool has room for little more than the probe
        Awaitility.await().ignoreException(RejectedExecutionException.class).until(() -> {
            gate.prober().submit(() -> {}).get();
            return true;
        });
    }

    // ---- folders

    @Test
    void aFolderIsListedWithinTheBoundsOfEveryCall() throws Exception {
        put(5);
        FolderKey folder = new FolderKey(KEY.dataset(), "data", null);
        assertThat(get(gate.list(folder, "", 10)).entries()).hasSize(1);
        assertThat(gate.blocking().list(folder, "", 10).entries()).hasSize(1);
        assertThat(calls("list", "ok")).isEqualTo(2);
        Hang hang = hang(1);
        archive.listHang = hang;
        CompletableFuture<FolderPage> page = gate.list(folder, "", 10);
        hang.awaitEntered();
        ticker.advance(FIRST_BYTE);
        gate.watch();
        assertFails(FailureReason.ARCHIVE_TIMEOUT, () -> get(page));
    }

    @Test
    void aMissingFolderIsRememberedForAWhile() throws Exception {
        FolderKey folder = new FolderKey(KEY.dataset(), "data", null);
        assertFails(FailureReason.NOT_FOUND, () -> get(gate.list(folder, "", 10)));
        put(5);
        assertFails(FailureReason.NOT_FOUND, () -> get(gate.folder(folder)));
        assertThat(archive.lists).hasValue(1);
        ticker.advance(Duration.ofSeconds(11));
        assertThat(get(gate.list(folder, "", 10)).entries()).hasSize(1);
    }

    @Test
    void thatThereIsAFolderIsAskedOnceAndRememberedLikeAHead() throws Exception {
        put(5);
        FolderKey folder = new FolderKey(KEY.dataset(), "data", null);
        Hang hang = hang(1);
        archive.headHang = hang;
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(gate.folder(folder));
        }
        hang.awaitEntered();
        hang.release();
        for (CompletableFuture<Boolean> answer : answers) {
            assertThat(get(answer)).isTrue();
        }
        assertThat(get(gate.folder(folder))).isTrue();
        assertThat(archive.lists).hasValue(1);
        ticker.advance(Duration.ofSeconds(2));
        assertThat(get(gate.folder(folder))).isTrue();
        assertThat(archive.lists).hasValue(2);
        gate.forget(FileKey.of(KEY.dataset(), "data"));
        assertThat(get(gate.folder(folder))).isTrue();
        assertThat(archive.lists).hasValue(3);
        assertThat(calls("folder", "ok")).isEqualTo(3);
    }

    @Test
    void onlyThatThereIsNoFolderIsRemembered() throws Exception {
        put(5);
        FolderKey folder = new FolderKey(KEY.dataset(), "data", null);
        for (FailureReason passing : List.of(FailureReason.ARCHIVE_FAILED, FailureReason.ARCHIVE_TIMEOUT)) {
            archive.failure = new FailureException(passing, "for now");
            assertFails(passing, () -> get(gate.folder(folder)));
            assertFails(passing, () -> get(gate.list(folder, "", 10)));
        }
        archive.failure = new FailureException(FailureReason.NOT_LISTED, "never");
        assertFails(FailureReason.NOT_LISTED, () -> get(gate.folder(folder)));
        archive.failure = null;
        assertFails(FailureReason.NOT_LISTED, () -> get(gate.folder(folder)));
        assertThat(archive.lists).hasValue(5);
    }

    @Test
    void listingsAreFewAtOnceAndNoFileWaitsBehindThem() throws Exception {
        put(5);
        ArchiveGate wide = gateOnTasksOfItsOwn(16);
        Hang hang = hang(ArchiveGate.LIST_THREADS);
        archive.listHang = hang;
        List<CompletableFuture<FolderPage>> pages = new ArrayList<>();
        for (int i = 0; i < ArchiveGate.LIST_THREADS + ArchiveGate.LISTS_WAITING; i++) {
            pages.add(wide.list(new FolderKey(KEY.dataset(), "f" + i, null), "", 10));
        }
        for (int i = 0; i < ArchiveGate.MOST_LISTINGS; i++) {
            pages.add(wide.listOn(new FolderKey(KEY.dataset(), "g" + i, null), "a", 10));
        }
        hang.awaitEntered();
        assertFails(FailureReason.OVERLOADED, () -> get(wide.list(new FolderKey(KEY.dataset(), "late", null), "", 10)));
        assertThat(archive.lists).hasValue(ArchiveGate.LIST_THREADS);
        assertThat(Figures.value(wideMetrics, "anteroom_archive_lists_in_use")).isEqualTo(ArchiveGate.LIST_THREADS);
        assertThat(Figures.value(wideMetrics, "anteroom_archive_lists_limit")).isEqualTo(ArchiveGate.LIST_THREADS);
        assertThat(Figures.value(wideMetrics, "anteroom_archive_in_use")).isZero();

        assertThat(get(wide.head(KEY))).isEqualTo(facts(5));
        assertThat(get(wide.folder(new FolderKey(KEY.dataset(), "", null)))).isTrue();
        try (AsyncArchiveStream stream = wide.open(KEY, facts(5), 0)) {
            assertThat(get(stream.read(ByteBuffer.allocate(5)))).isEqualTo(5);
        }

        assertThat(pages).noneMatch(CompletableFuture::isDone);
        CompletableFuture<FolderPage> leaver = pages.remove(pages.size() - 1);
        leaver.cancel(false);
        hang.release();
        for (CompletableFuture<FolderPage> page : pages) {
            assertThat(get(page).entries()).hasSize(1);
        }
        assertThat(wideTasks.stop(Duration.ofSeconds(10))).isEmpty();
        assertThat(archive.lists)
                .as("the archive is not asked for the one who left")
                .hasValue(1 + pages.size());
    }

    // ---- heads

    @Test
    void askersOfTheSameFileShareOneCall() throws Exception {
        put(5);
        Hang hang = hang(1);
        archive.headHang = hang;
        List<CompletableFuture<FileFacts>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(gate.head(KEY));
        }
        hang.awaitEntered();
        answers.get(0).cancel(true);
        hang.release();
        for (CompletableFuture<FileFacts> answer : answers.subList(1, 50)) {
            assertThat(get(answer)).isEqualTo(facts(5));
        }
        assertThat(archive.heads.get()).isEqualTo(1);
        assertThat(calls("head", "ok")).isEqualTo(1);
    }

    @Test
    void answerIsRememberedForAMoment() throws IOException {
        put(5);
        get(gate.head(KEY));
        put(6);
        assertThat(get(gate.head(KEY))).isEqualTo(facts(5));
        ticker.advance(Duration.ofSeconds(2));
        assertThat(get(gate.head(KEY))).isEqualTo(facts(6));
        put(7);
        gate.forget(KEY);
        assertThat(get(gate.head(KEY))).isEqualTo(facts(7));
    }

    @Test
    void missingFileIsRememberedForItsTime() throws IOException {
        assertFails(FailureReason.NOT_FOUND, () -> get(gate.head(KEY)));
        put(5);
        ticker.advance(Duration.ofSeconds(9));
        assertFails(FailureReason.NOT_FOUND, () -> get(gate.head(KEY)));
        assertThat(archive.heads.get()).isEqualTo(1);
        ticker.advance(Duration.ofSeconds(1));
        assertThat(get(gate.head(KEY))).isEqualTo(facts(5));
    }

    @Test
    void failureIsNotRemembered() throws IOException {
        put(5);
        archive.failure = new IOException("/srv/archive: Input/output error");
        assertThatThrownBy(() -> get(gate.head(KEY)))
                .isInstanceOf(FailureException.class)
                .hasMessage("The archive failed.");
        archive.failure = null;
        assertThat(get(gate.head(KEY))).isEqualTo(facts(5));
    }

    @Test
    void answerThatWasForgottenWhileItCameIsNotRemembered() throws Exception {
        put(5);
        Hang hang = hang(1);
        archive.headHang = hang;
        CompletableFuture<FileFacts> first = gate.head(KEY);
        hang.awaitEntered();
        gate.forget(KEY);
        hang.release();
        get(first);
        archive.headHang = null;
        get(gate.head(KEY));
        assertThat(archive.heads.get()).isEqualTo(2);
    }

    // ---- bounds

    @Test
    void answerThatTakesTooLongIsATimeout() throws Exception {
        put(5);
        Hang hang = hang(1);
        archive.headHang = hang;
        CompletableFuture<FileFacts> answer = gate.head(KEY);
        hang.awaitEntered();
        ticker.advance(FIRST_BYTE.minusMillis(1));
        gate.watch();
        assertThat(answer).isNotDone();
        ticker.advance(Duration.ofMillis(1));
        gate.watch();
        assertFails(FailureReason.ARCHIVE_TIMEOUT, () -> get(answer));
        assertThat(calls("head", "archive_timeout")).isEqualTo(1);
        assertThat(Figures.value(metrics, "anteroom_archive_in_use"))
                .as("it keeps its thread")
                .isEqualTo(1);
        hang.release();
        settle();
        assertThat(get(gate.head(KEY))).as("the late answer was not remembered").isEqualTo(facts(5));
        assertThat(archive.heads.get()).isEqualTo(2);
    }

    @Test
    void moreThanTheQueueHoldsIsRefused() throws Exception {
        Hang hang = hang(2);
        archive.headHang = hang;
        List<CompletableFuture<FileFacts>> waiting = new ArrayList<>();
        for (int i = 0; i < 2 + 8; i++) {
            waiting.add(gate.head(FileKey.of("tides-2024", "f" + i)));
        }
        hang.awaitEntered();
        assertFails(FailureReason.OVERLOADED, () -> get(gate.head(KEY)));
        assertThat(archive.heads.get()).isEqualTo(2);
        ticker.advance(FIRST_BYTE);
        gate.watch();
        for (CompletableFuture<FileFacts> answer : waiting) {
            assertFails(FailureReason.ARCHIVE_TIMEOUT, () -> get(answer));
        }
        hang.release();
        assertThat(tasks.stop(Duration.ofSeconds(10))).isEmpty();
        assertThat(archive.heads.get())
                .as("nobody waited for the others any more")
                .isEqualTo(2);
    }

    @Test
    void crowdIsRefusedAtTheDoorAndEndsNoStream() throws Exception {
        put(2);
        List<AsyncArchiveStream> streams = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            AsyncArchiveStream stream = gate.open(KEY, facts(2), 0);
            streams.add(stream);
            assertThat(get(stream.read(ByteBuffer.allocate(1)))).isEqualTo(1);
        }
        AsyncArchiveStream late = gate.open(KEY, facts(2), 0);
        assertFails(FailureReason.OVERLOADED, () -> get(late.read(ByteBuffer.allocate(1))));
        late.close();
        assertThat(calls("open", "overloaded")).isEqualTo(1);
        AsyncArchiveStream resumed = gate.resume(KEY, facts(2), 1);
        streams.add(resumed);

        Hang hang = hang(2);
        archive.readHang = hang;
        List<CompletableFuture<Integer>> steps = new ArrayList<>();
        streams.forEach(stream -> steps.add(stream.read(ByteBuffer.allocate(1))));
        hang.awaitEntered();
        assertThat(steps).noneMatch(CompletableFuture::isDone);
        gate.probe();
        settleProbe();
        assertThat(archive.probes.get()).as("asked beside the crowd").isEqualTo(1);
        hang.release();
        for (CompletableFuture<Integer> step : steps) {
            assertThat(get(step)).isEqualTo(1);
        }

        streams.forEach(AsyncArchiveStream::close);
        settle();
        try (AsyncArchiveStream next = gate.open(KEY, facts(2), 0)) {
            assertThat(get(next.read(ByteBuffer.allocate(1)))).isEqualTo(1);
        }
    }

    @Test
    void streamThatHangsKeepsItsPlaceUntilItReturns() throws Exception {
        put(10);
        Hang hang = hang(1);
        archive.openHang = hang;
        AsyncArchiveStream stream = gate.open(KEY, facts(10), 0);
        CompletableFuture<Integer> read = stream.read(ByteBuffer.allocate(10));
        hang.awaitEntered();
        ticker.advance(FIRST_BYTE);
        gate.watch();
        assertFails(FailureReason.ARCHIVE_TIMEOUT, () -> get(read));
        stream.close();
        assertThat(Figures.value(metrics, "anteroom_archive_streams")).isEqualTo(1);
        hang.release();
        settle();
        assertThat(Figures.value(metrics, "anteroom_archive_streams")).isZero();
    }

    // ---- streams

    @Test
    void streamIsOpenedByItsFirstRead() throws IOException {
        byte[] bytes = put(200_000);
        try (AsyncArchiveStream stream = gate.open(KEY, facts(200_000), 1000)) {
            assertThat(archive.opens.get()).isZero();
            ByteBuffer all = ByteBuffer.allocate(300_000);
            for (int count = get(stream.read(all)); count >= 0; count = get(stream.read(all))) {
                assertThat(count).isBetween(1, ArchiveGate.READER_CHUNK);
            }
            assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(bytes, 1000, 199_000));
        }
        assertThat(archive.opens.get()).isEqualTo(1);
    }

    @Test
    void nextReadMayBeAskedForAsSoonAsTheLastIsComplete() throws Exception {
        byte[] bytes = put(1_000_000);
        ByteBuffer all = ByteBuffer.allocate(1_000_000);
        AsyncArchiveStream stream = gate.open(KEY, facts(1_000_000), 0);
        CompletableFuture<Boolean> end = new CompletableFuture<>();
        readOn(stream, all, end);
        assertThat(get(end)).isTrue();
        stream.close();
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(bytes));
    }

    private static void readOn(AsyncArchiveStream stream, ByteBuffer all, CompletableFuture<Boolean> end) {
        ByteBuffer room = all.hasRemaining() ? all : ByteBuffer.allocate(1);
        var unused = stream.read(room).whenComplete((count, failure) -> {
            if (failure != null) {
                end.completeExceptionally(failure);
            } else if (count < 0) {
                end.complete(true);
            } else {
                readOn(stream, all, end);
            }
        });
    }

    @Test
    void stalledReadFailsTheStreamAndLeavesTheBufferAlone() throws Exception {
        put(200_000);
        FileFacts untagged = new FileFacts(200_000, null, null, null, null);
        AsyncArchiveStream stream = gate.open(KEY, untagged, 0);
        ByteBuffer buffer = ByteBuffer.allocate(1000);
        get(stream.read(buffer));
        Hang hang = hang(1);
        archive.readHang = hang;
        buffer.clear();
        CompletableFuture<Integer> stalled = stream.read(buffer);
        hang.awaitEntered();
        assertThatThrownBy(() -> stream.read(buffer)).isInstanceOf(IllegalStateException.class);
        ticker.advance(STALL);
        gate.watch();
        assertFails(FailureReason.ARCHIVE_TIMEOUT, () -> get(stalled));
        assertFails(FailureReason.ARCHIVE_TIMEOUT, () -> get(stream.read(buffer)));
        byte[] others = new byte[1000];
        buffer.put(others).clear();
        hang.release();
        settle();
        assertThat(buffer.position()).isZero();
        assertThat(buffer.array()).isEqualTo(others);
        assertThat(archive.openStreams.get()).as("closed when it came back").isZero();
        stream.close();
    }

    @Test
    void firstByteHasItsOwnTimeout() throws Exception {
        put(10);
        Hang hang = hang(1);
        archive.openHang = hang;
        AsyncArchiveStream stream = gate.open(KEY, facts(10), 0);
        CompletableFuture<Integer> read = stream.read(ByteBuffer.allocate(10));
        hang.awaitEntered();
        ticker.advance(STALL);
        gate.watch();
        assertThat(read).isNotDone();
        ticker.advance(FIRST_BYTE);
        gate.watch();
        assertFails(FailureReason.ARCHIVE_TIMEOUT, () -> get(read));
        stream.close();
        hang.release();
        settle();
        assertThat(archive.openStreams.get()).isZero();
    }

    @Test
    void closingDuringAReadClosesWhenItReturns() throws Exception {
        put(10);
        AsyncArchiveStream stream = gate.open(KEY, facts(10), 0);
        Hang hang = hang(1);
        archive.readHang = hang;
        CompletableFuture<Integer> read = stream.read(ByteBuffer.allocate(10));
        hang.awaitEntered();
        stream.close();
        stream.close();
        assertThat(archive.openStreams.get()).isEqualTo(1);
        hang.release();
        get(read);
        settle();
        assertThat(archive.openStreams.get()).isZero();
        assertFails(FailureReason.ARCHIVE_FAILED, () -> get(stream.read(ByteBuffer.allocate(10))));
    }

    @Test
    void streamThatWaitsInTheQueueIsClosedToo() throws Exception {
        put(10);
        AsyncArchiveStream stream = gate.open(KEY, facts(10), 0);
        get(stream.read(ByteBuffer.allocate(1)));
        Hang hang = hang(2);
        archive.headHang = hang;
        var first = gate.head(FileKey.of("a", "1"));
        var second = gate.head(FileKey.of("a", "2"));
        hang.awaitEntered();
        CompletableFuture<Integer> queued = stream.read(ByteBuffer.allocate(1));
        ticker.advance(STALL);
        gate.watch();
        assertFails(FailureReason.ARCHIVE_TIMEOUT, () -> get(queued));
        stream.close();
        hang.release();
        settle();
        assertThat(archive.openStreams.get()).isZero();
        assertThat(first).isDone();
        assertThat(second).isDone();
    }

    @Test
    void changedFileIsForgotten() throws IOException {
        put(5);
        FileFacts old = get(gate.head(KEY));
        put(6);
        try (AsyncArchiveStream stream = gate.open(KEY, old, 0)) {
            assertFails(FailureReason.FILE_CHANGED, () -> get(stream.read(ByteBuffer.allocate(1))));
        }
        assertThat(get(gate.head(KEY))).isEqualTo(facts(6));
    }

    @Test
    void whatWasOpenedForNobodyIsClosedEvenWhenThereAreNoThreadsAnyMore() throws IOException {
        archive.opensNew = true;
        put(5);
        FileKey other = FileKey.of("tides-2024", "other");
        archive.files.put(other, new byte[6]);
        get(gate.headToRead(KEY));
        get(gate.headToRead(other));
        assertThat(archive.openStreams.get()).isEqualTo(2);
        assertThat(tasks.stop(Duration.ofSeconds(10))).isEmpty();
        ticker.advance(ReadyStreams.KEPT);
        gate.watch();
        assertThat(archive.openStreams.get()).isZero();
    }

    // ---- for fills

    @Test
    void smallFileThatWasOpenedToLearnOfItIsReadInOneStep() throws IOException {
        archive.opensNew = true;
        byte[] bytes = put(10_000);
        Archive blocking = gate.blocking();
        FileFacts facts = get(gate.headToRead(KEY));
        try (ArchiveStream stream = blocking.open(KEY, facts, 0)) {
            ByteBuffer chunk = ByteBuffer.allocate(20_000);
            assertThat(stream.read(chunk)).isEqualTo(bytes.length);
            assertThat(chunk.flip()).isEqualTo(ByteBuffer.wrap(bytes));
            assertThat(stream.read(chunk.clear())).isEqualTo(-1);
            assertThat(stream.read(chunk.clear())).isEqualTo(-1);
        }
        assertThat(calls("open", "ok") + calls("read", "ok")).isEqualTo(1);
        assertThat(archive.opens).hasValue(0);

        // that of another content is not taken, and is closed
        gate.forget(KEY);
        FileFacts old = get(gate.headToRead(KEY));
        put(10_001);
        gate.forget(KEY);
        FileFacts now = get(gate.head(KEY));
        assertThat(now).isNotEqualTo(old);
        try (ArchiveStream stream = blocking.open(KEY, now, 0)) {
            assertThat(stream.read(ByteBuffer.allocate(20_000))).isEqualTo(10_001);
        }
        assertThat(archive.opens).hasValue(1);
    }

    @Test
    void fillsReadThroughTheSameBounds() throws IOException {
        byte[] bytes = put(1_000_000);
        Archive blocking = gate.blocking();
        FileFacts facts = blocking.head(KEY);
        ByteBuffer all = ByteBuffer.allocate(1_000_000);
        try (ArchiveStream stream = blocking.open(KEY, facts, 0)) {
            ByteBuffer chunk = ByteBuffer.allocate(1 << 20);
            for (int count = stream.read(chunk); count >= 0; count = stream.read(chunk.clear())) {
                assertThat(count).isBetween(1, ArchiveGate.FILL_CHUNK);
                all.put(chunk.flip());
            }
        }
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(bytes));
        put(7);
        assertFails(FailureReason.FILE_CHANGED, () -> blocking.open(KEY, facts, 0));
        blocking.probe();
    }

    @Test
    void stalledFillGetsATimeout() throws Exception {
        put(10);
        ArchiveStream stream = gate.blocking().open(KEY, facts(10), 0);
        Hang hang = hang(1);
        archive.readHang = hang;
        FutureTask<Integer> fill = new FutureTask<>(() -> stream.read(ByteBuffer.allocate(10)));
        new Thread(fill, "fill").start();
        hang.awaitEntered();
        ticker.advance(FIRST_BYTE);
        gate.watch();
        assertThatThrownBy(fill::get)
                .hasCauseInstanceOf(FailureException.class)
                .hasMessageContaining("did not answer in time");
        stream.close();
    }

    @Test
    void interruptedFillStopsWaiting() throws Exception {
        put(10);
        ArchiveStream stream = gate.blocking().open(KEY, facts(10), 0);
        archive.readHang = hang(1);
        FutureTask<Boolean> fill = new FutureTask<>(() -> {
            assertThatThrownBy(() -> stream.read(ByteBuffer.allocate(10))).isInstanceOf(IOException.class);
            stream.close();
            return Thread.interrupted();
        });
        Thread thread = new Thread(fill, "fill");
        thread.start();
        hangs.get(0).awaitEntered();
        thread.interrupt();
        assertThat(fill.get()).isTrue();
    }

    @Test
    void closingTheGateEndsEveryWait() throws Exception {
        Hang hang = hang(1);
        archive.headHang = hang;
        CompletableFuture<FileFacts> answer = gate.head(KEY);
        hang.awaitEntered();
        gate.close();
        assertFails(FailureReason.NOT_READY, () -> get(answer));
    }

    // ---- health

    @Test
    void probeTellsTheHealth() throws Exception {
        gate.probe();
        settleProbe();
        assertThat(gate.health().ok()).isTrue();
        archive.failure = new FailureException(FailureReason.ARCHIVE_FAILED, "The archive is not there.");
        ticker.advance(Duration.ofSeconds(5));
        gate.probe();
        settleProbe();
        assertThat(gate.health()).isEqualTo(new ArchiveHealth(false, "The archive is not there.", ticker.instant()));
        archive.failure = null;
        gate.probe();
        settleProbe();
        assertThat(gate.health().ok()).isTrue();
    }

    @Test
    void probeThatHangsIsDegradedAndDoesNotPileUp() throws Exception {
        Hang hang = hang(1);
        archive.probeHang = hang;
        gate.probe();
        hang.awaitEntered();
        ticker.advance(Duration.ofSeconds(5));
        gate.watch();
        assertThat(gate.health().ok()).isFalse();
        gate.probe();
        gate.probe();
        hang.release();
        settleProbe();
        assertThat(archive.probes.get()).isEqualTo(1);
        gate.probe();
        settleProbe();
        assertThat(gate.health().ok()).isTrue();
    }
}
