package org.anteroom.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.metrics.Metrics;
import org.anteroom.testing.FakeTicker;
import org.anteroom.testing.Figures;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class VolumeGuardTest {
    private static final String COPY = "0123456789abcdef0123456789abcdef";
    private static final Duration OVER_THE_LIMIT = VolumeGuard.PENDING_LIMIT.plusMillis(1);
    private final IOException broken = new IOException("Input/output error");

    private final FakeVolume volume = new FakeVolume();
    private final FakeTicker ticker = new FakeTicker();
    private final Metrics metrics = new Metrics();
    private final VolumeSettings settings =
            new VolumeSettings("fast", "filesystem", "/cache/fast", 1L << 40, true, "active", 10, 500_000, 100_000);
    private final VolumeGuard guard = new VolumeGuard(volume, settings, 2, new VolumeMetrics(metrics), ticker, ticker);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Logger logger = (Logger) LoggerFactory.getLogger(VolumeGuard.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
        logger.setAdditive(false);
        volume.copies.put(COPY, new byte[] {1, 2, 3});
    }

    @AfterEach
    void nothingIsLeft() {
        logger.detachAppender(logged);
        logger.setAdditive(true);
        threads.shutdownNow();
        assertThat(guard.permitsInUse()).isZero();
        assertThat(volume.temporaries).isEmpty();
    }

    private void ready() {
        volume.marker = "m-1";
        assertThat(guard.adopt("m-1")).isEqualTo(new Adoption.Ready("m-1", false));
    }

    private List<String> log() {
        return logged.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    private int read(CopyReader reader) throws IOException {
        return reader.read(ByteBuffer.allocate(10), 0);
    }

    // ---- identity

    @Test
    void nothingIsServedBeforeTheIdentityIsSettled() {
        assertThat(guard.readable()).isFalse();
        assertThat(guard.accepts(1)).isFalse();
        guard.probe();
        assertThat(guard.health().ok()).isFalse();
        assertThatThrownBy(() -> guard.open(COPY)).isInstanceOf(VolumeDegradedException.class);
        assertThatThrownBy(() -> guard.create("1.1", COPY, 1)).isInstanceOf(VolumeDegradedException.class);
        assertThat(guard.confirmMissing("f".repeat(32))).isFalse();
    }

    @Test
    void newVolumeGetsAMarker() {
        Adoption.Ready ready = (Adoption.Ready) guard.adopt(null);
        assertThat(ready.created()).isTrue();
        assertThat(volume.marker).isEqualTo(ready.marker());
        assertThat(guard.health().ok()).isTrue();
        assertThat(guard.accepts(1)).isTrue();
    }

    @Test
    void boundOfOurOwnIsNoFaultOfTheVolume() throws IOException {
        ready();
        CopyReader reader = guard.open(COPY);
        volume.readFailure = new VolumeBusyException("fast");
        volume.writeFailure = volume.readFailure;
        assertThatThrownBy(() -> read(reader)).isInstanceOf(VolumeBusyException.class);
        assertThatThrownBy(() -> guard.delete(COPY)).isInstanceOf(VolumeBusyException.class);
        guard.probe();
        assertThat(guard.health().ok()).isTrue();
        reader.close();
    }

    @Test
    void markerThatTheInventoryHasForgottenIsTakenOver() {
        volume.marker = "m-1";
        assertThat(guard.adopt(null)).isEqualTo(new Adoption.Ready("m-1", false));
        assertThat(guard.readable()).isTrue();
    }

    @Test
    void placeThatCannotBecomeAVolumeIsUnusable() {
        volume.writeFailure = new IOException("the folder has no identity marker and is not empty");
        assertThat(guard.adopt(null))
                .isEqualTo(new Adoption.Unusable("/cache/fast: the folder has no identity marker and is not empty"));
        assertThat(guard.readable()).isFalse();
    }

    @Test
    void knownVolumeWithoutItsMarkerIsDegradedAndComesBack() {
        assertThat(guard.adopt("m-1")).isInstanceOf(Adoption.Degraded.class);
        assertThat(volume.marker).isNull();
        assertThat(guard.health().reason()).contains("marker is missing").contains("m-1");
        volume.marker = "m-1";
        guard.probe();
        assertThat(guard.health().ok()).isTrue();
    }

    @Test
    void anotherVolumeIsDegradedWithBothNames() {
        volume.marker = "m-2";
        assertThat(guard.adopt("m-1"))
                .isEqualTo(new Adoption.Degraded("it is another volume: its marker is m-2, expected m-1"));
        assertThat(guard.writable()).isFalse();
    }

    @Test
    void missingCopyIsConfirmedByTheMarkerOnly() throws IOException {
        ready();
        assertThat(guard.confirmMissing(COPY)).as("it is there").isFalse();
        assertThat(guard.confirmMissing("f".repeat(32))).isTrue();
        volume.readFailure = broken;
        assertThat(guard.confirmMissing("f".repeat(32))).as("it cannot tell").isFalse();
        volume.readFailure = null;
        guard.probe();
        volume.marker = null;
        volume.copies.clear();
        assertThat(guard.confirmMissing(COPY)).as("unmounted").isFalse();
        assertThat(guard.readable()).isFalse();
        int looks = volume.markerReads.get();
        assertThat(guard.confirmMissing(COPY)).isFalse();
        assertThat(volume.markerReads.get())
                .as("a degraded volume, which may hang, is not asked")
                .isEqualTo(looks);
    }

    @Test
    void nothingIsTakenForGoneOnTheWrongVolume() throws IOException {
        ready();
        assertThat(guard.delete(COPY)).isTrue();
        assertThat(guard.delete(COPY)).isFalse();
        volume.marker = "m-2";
        volume.temporaries.put("5.1", true);
        assertThatThrownBy(() -> guard.delete(COPY)).isInstanceOf(VolumeDegradedException.class);
        assertThatThrownBy(() -> guard.list("", 5)).isInstanceOf(VolumeDegradedException.class);
        assertThatThrownBy(guard::temporaries).isInstanceOf(VolumeDegradedException.class);
        assertThatThrownBy(() -> guard.deleteTemporary("5.1")).isInstanceOf(VolumeDegradedException.class);
        volume.marker = "m-1";
        guard.probe();
        assertThat(guard.temporaries()).containsExactly("5.1");
        assertThat(guard.deleteTemporary("5.1")).isTrue();
        assertThat(guard.list("", 5)).isEmpty();
    }

    @Test
    void offlineVolumeIsNotTouched() {
        VolumeSettings offline =
                new VolumeSettings("fast", "filesystem", "/cache/fast", 1L << 40, true, "offline", 10, 500_000, 0);
        VolumeGuard off = new VolumeGuard(volume, offline, 2, new VolumeMetrics(new Metrics()), ticker, ticker);
        assertThat(off.adopt(null)).isEqualTo(new Adoption.Degraded("it is set offline"));
        assertThat(volume.marker).as("no marker is written").isNull();
        volume.marker = "m-1";
        assertThat(off.adopt("m-1")).isEqualTo(new Adoption.Degraded("it is set offline"));
        off.probe();
        off.watch();
        assertThat(off.readable()).isFalse();
        assertThat(off.writable()).isFalse();
        assertThat(off.confirmMissing("f".repeat(32))).isFalse();
        assertThatThrownBy(() -> off.open(COPY)).isInstanceOf(VolumeDegradedException.class);
        assertThatThrownBy(() -> off.create("1.1", COPY, 1)).isInstanceOf(VolumeDegradedException.class);
        assertThatThrownBy(() -> off.delete(COPY)).isInstanceOf(VolumeDegradedException.class);
        assertThat(off.health().reason()).isEqualTo("it is set offline");
        assertThat(volume.markerReads.get()).isZero();
    }

    // ---- permits

    @Test
    void fillNeedsNoPermitToBeFollowed() throws Exception {
        ready();
        CopyReader reader = guard.open(COPY);
        FakeVolume.Hang hang = new FakeVolume.Hang(2);
        volume.readHang = hang;
        Future<Integer> first = threads.submit(() -> read(reader));
        Future<Integer> second = threads.submit(() -> read(reader));
        hang.awaitEntered();
        try (CopyWriter writer = guard.create("1.1", "f".repeat(32), 2)) {
            writer.write(ByteBuffer.wrap(new byte[] {8, 9}));
            assertThat(writer.openWritten().size()).isEqualTo(2);
        }
        hang.release();
        assertThat(first.get()).isEqualTo(3);
        assertThat(second.get()).isEqualTo(3);
    }

    @Test
    void readersBeyondThePermitsAreRefusedAtOnce() throws Exception {
        ready();
        CopyReader reader = guard.open(COPY);
        FakeVolume.Hang hang = new FakeVolume.Hang(2);
        volume.readHang = hang;
        Future<Integer> first = threads.submit(() -> read(reader));
        Future<Integer> second = threads.submit(() -> read(reader));
        hang.awaitEntered();
        assertThat(Figures.value(metrics, "anteroom_volume_permits_in_use", "volume", "fast"))
                .isEqualTo(2);
        assertThatThrownBy(() -> read(reader)).isInstanceOf(VolumeBusyException.class);
        assertThatThrownBy(() -> guard.open(COPY)).isInstanceOf(VolumeBusyException.class);
        assertThat(Figures.value(metrics, "anteroom_volume_busy", "volume", "fast"))
                .isEqualTo(2);
        assertThat(guard.health().ok()).as("being busy is no fault").isTrue();
        hang.release();
        assertThat(first.get()).isEqualTo(3);
        assertThat(second.get()).isEqualTo(3);
        assertThat(read(reader)).isEqualTo(3);
    }

    // ---- health

    @Test
    void missingCopyIsNoFault() {
        ready();
        assertThatThrownBy(() -> guard.open("f".repeat(32))).isInstanceOf(NoSuchCopyException.class);
        assertThat(guard.health().ok()).isTrue();
    }

    @Test
    void readErrorEndsReadingUntilAProbe() throws IOException {
        ready();
        logged.list.clear();
        CopyReader reader = guard.open(COPY);
        volume.readFailure = broken;
        ticker.advance(Duration.ofSeconds(5));
        assertThatThrownBy(() -> read(reader)).isSameAs(broken);
        assertThatThrownBy(() -> read(reader)).isInstanceOf(VolumeDegradedException.class);
        assertThat(guard.health()).isEqualTo(new VolumeHealth(false, true, "Input/output error", ticker.instant()));
        assertThat(Figures.value(metrics, "anteroom_volume_degraded", "volume", "fast"))
                .isEqualTo(1);
        volume.readFailure = null;
        guard.probe();
        assertThat(read(reader)).isEqualTo(3);
        assertThat(Figures.value(metrics, "anteroom_volume_degraded", "volume", "fast"))
                .isZero();
        assertThat(log())
                .containsExactly(
                        "WARN Volume fast is degraded, no reading: Input/output error"
                                + " (java.io.IOException: Input/output error)",
                        "INFO Volume fast is well");
    }

    @Test
    void writeErrorEndsNewCopiesOnly() throws IOException {
        ready();
        logged.list.clear();
        CopyReader reader = guard.open(COPY);
        volume.writeFailure = new IOException("No space left on device");
        assertThatThrownBy(() -> guard.create("1.1", "f".repeat(32), 10)).hasMessage("No space left on device");
        assertThat(guard.writable()).isFalse();
        assertThat(guard.accepts(10)).isFalse();
        assertThat(read(reader)).isEqualTo(3);
        guard.probe();
        guard.probe();
        assertThat(guard.writable()).isFalse();
        assertThat(guard.readable()).isTrue();
        volume.writeFailure = null;
        guard.probe();
        assertThat(guard.accepts(10)).isTrue();
        assertThat(log()).hasSize(2);
    }

    @Test
    void interruptedWriterIsNotTheVolumesFault() throws IOException {
        ready();
        try (CopyWriter writer = guard.create("1.1", "f".repeat(32), 10)) {
            volume.writeFailure = new ClosedByInterruptException();
            assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1)))
                    .isInstanceOf(ClosedByInterruptException.class);
        }
        assertThat(guard.health().ok()).isTrue();
    }

    @Test
    void readThatHangsDegradesTheVolumeUntilItReturns() throws Exception {
        ready();
        CopyReader reader = guard.open(COPY);
        FakeVolume.Hang hang = new FakeVolume.Hang(1);
        volume.readHang = hang;
        Future<Integer> hung = threads.submit(() -> read(reader));
        hang.awaitEntered();
        ticker.advance(VolumeGuard.PENDING_LIMIT);
        guard.watch();
        assertThat(guard.health().ok()).as("just in time").isTrue();
        ticker.advance(Duration.ofMillis(1));
        guard.watch();
        assertThat(guard.readable()).isFalse();
        assertThat(guard.writable()).isFalse();
        assertThat(guard.health().reason()).isEqualTo("an operation has been pending for over 2 s");
        guard.probe();
        assertThat(guard.readable())
                .as("the marker is there, the read still hangs")
                .isFalse();
        hang.release();
        assertThat(hung.get()).isEqualTo(3);
        guard.watch();
        guard.probe();
        assertThat(guard.health().ok()).isTrue();
    }

    @Test
    void volumeThatIsNotReadTakesNoCopiesEither() throws IOException {
        ready();
        CopyReader reader = guard.open(COPY);
        volume.readFailure = new IOException("broken");
        assertThatThrownBy(() -> read(reader)).isInstanceOf(IOException.class);
        assertThat(guard.writable()).isFalse();
        assertThat(guard.accepts(1)).isFalse();
        assertThatThrownBy(() -> guard.create("1.1", "f".repeat(32), 1)).isInstanceOf(VolumeDegradedException.class);
        volume.readFailure = null;
        guard.probe();
        assertThat(guard.accepts(1)).isTrue();
    }

    @Test
    void writeThatHangsEndsNewCopiesOnly() throws Exception {
        ready();
        FakeVolume.Hang hang = new FakeVolume.Hang(1);
        CopyWriter writer = guard.create("1.1", "f".repeat(32), 10);
        volume.writeHang = hang;
        Callable<Boolean> commit = () -> {
            writer.commit();
            return true;
        };
        Future<Boolean> hung = threads.submit(commit);
        hang.awaitEntered();
        ticker.advance(OVER_THE_LIMIT);
        guard.watch();
        assertThat(guard.writable()).isFalse();
        assertThat(guard.readable()).isTrue();
        hang.release();
        assertThat(hung.get()).isTrue();
        writer.close();
        volume.writeHang = null;
        guard.probe();
        assertThat(guard.writable()).isTrue();
    }

    @Test
    void syncsTakeTurnsAndWaitingForOneIsNoFault() throws Exception {
        ready();
        FakeVolume.Hang hang = new FakeVolume.Hang(1);
        volume.syncHang = hang;
        CopyWriter one = guard.create("1.1", "e".repeat(32), 10);
        CopyWriter two = guard.create("2.1", "f".repeat(32), 10);
        Future<Boolean> first = threads.submit(() -> synced(one));
        hang.awaitEntered();
        Thread waiting = new Thread(() -> synced(two));
        waiting.start();
        Awaitility.await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        assertThat(volume.syncs.get()).as("one at a time").isEqualTo(1);
        // the first ends, the second begins now: what it waited is not held against the volume
        ticker.advance(VolumeGuard.PENDING_LIMIT);
        FakeVolume.Hang next = new FakeVolume.Hang(1);
        volume.syncHang = next;
        hang.release();
        assertThat(first.get()).isTrue();
        next.awaitEntered();
        ticker.advance(VolumeGuard.PENDING_LIMIT);
        guard.watch();
        assertThat(guard.writable()).isTrue();
        ticker.advance(Duration.ofMillis(1));
        guard.watch();
        assertThat(guard.writable()).as("one that hangs is a fault").isFalse();
        next.release();
        waiting.join();
        one.close();
        two.close();
    }

    private static boolean synced(CopyWriter writer) {
        try {
            writer.sync();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void probeThatHangsIsSeenAndDoesNotPileUp() throws Exception {
        ready();
        int before = volume.markerReads.get();
        FakeVolume.Hang hang = new FakeVolume.Hang(1);
        volume.markerHang = hang;
        Future<?> hung = threads.submit(guard::probe);
        hang.awaitEntered();
        guard.probe();
        guard.probe();
        assertThat(volume.markerReads.get()).isEqualTo(before + 1);
        ticker.advance(OVER_THE_LIMIT);
        guard.watch();
        assertThat(guard.readable()).isFalse();
        hang.release();
        hung.get();
        assertThat(guard.readable())
                .as("an answer that took too long heals nothing")
                .isFalse();
        guard.probe();
        assertThat(guard.health().ok()).isTrue();
    }

    @Test
    void faultDuringAProbeIsNotHealedByIt() throws Exception {
        ready();
        CopyReader reader = guard.open(COPY);
        volume.readFailure = broken;
        assertThatThrownBy(() -> read(reader)).isSameAs(broken);
        FakeVolume.Hang hang = new FakeVolume.Hang(1);
        volume.markerHang = hang;
        Future<?> probe = threads.submit(guard::probe);
        hang.awaitEntered();
        volume.markerHang = null;
        assertThatThrownBy(guard::temporaries).isSameAs(broken);
        hang.release();
        probe.get();
        assertThat(guard.readable()).isFalse();
        volume.readFailure = null;
        guard.probe();
        assertThat(guard.readable()).isTrue();
    }

    @Test
    void reasonsNameNoPath() {
        ready();
        volume.readFailure = new java.nio.file.AccessDeniedException("/cache/fast/copies/01");
        assertThatThrownBy(() -> guard.open(COPY)).isInstanceOf(IOException.class);
        assertThat(guard.health().reason()).isEqualTo("permission denied");
        volume.readFailure = new java.nio.file.FileSystemException("/cache/fast/x", null, "Stale file handle");
        guard.probe();
        assertThatThrownBy(() -> guard.open(COPY)).isInstanceOf(IOException.class);
        assertThat(guard.health().reason()).isEqualTo("Stale file handle");
    }

    // ---- room

    @Test
    void diskKeepsItsFreeSpace() throws IOException {
        ready();
        assertThat(guard.accepts(500_000)).isTrue();
        assertThat(guard.accepts(500_001)).as("the largest copy").isFalse();
        assertThat(guard.accepts(-1)).as("a size that is not known").isFalse();
        try (CopyWriter writer = guard.create("1.1", "f".repeat(32), 450_000)) {
            assertThat(guard.accepts(450_000)).isTrue();
            assertThat(guard.accepts(450_001)).as("what is promised counts").isFalse();
            writer.write(ByteBuffer.allocate(50_000));
            assertThat(guard.accepts(450_000)).as("written instead of promised").isTrue();
            assertThat(guard.accepts(450_001)).isFalse();
        }
        assertThat(guard.free()).isEqualTo(950_000);
        assertThat(guard.accepts(500_000)).isTrue();
        volume.free = 100_000;
        guard.probe();
        assertThat(guard.accepts(0)).isTrue();
        assertThat(guard.accepts(1)).isFalse();
    }

    @Test
    void writersReadersAreGuardedToo() throws IOException {
        ready();
        try (CopyWriter writer = guard.create("1.1", "f".repeat(32), 2)) {
            writer.write(ByteBuffer.wrap(new byte[] {8, 9}));
            assertThat(writer.written()).isEqualTo(2);
            CopyReader follower = writer.openWritten();
            assertThat(follower.size()).isEqualTo(2);
            volume.readFailure = broken;
            assertThatThrownBy(() -> read(follower)).isSameAs(broken);
            assertThatThrownBy(writer::openWritten).isInstanceOf(VolumeDegradedException.class);
            writer.commit();
        }
        assertThat(volume.copies).containsKey("f".repeat(32));
    }
}
