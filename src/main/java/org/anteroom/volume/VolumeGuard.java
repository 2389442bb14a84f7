package org.anteroom.volume;

import com.github.benmanes.caffeine.cache.Ticker;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.tasks.IoGuard;
import org.anteroom.tasks.Tasks;
import org.jspecify.annotations.Nullable;

/**
 * A volume as everyone but its own implementation uses it: what hangs, fails or is not the volume that it should be
 * holds nobody up and removes nothing.
 *
 * <ul>
 *   <li>Opens and reads run on the caller's thread, each under one of a fixed number of permits. Without a permit, or
 *       while the volume is degraded, they are refused at once.
 *   <li>An I/O error in reading ends reading, one in writing ends new copies; an operation that has been pending for
 *       over {@link #PENDING_LIMIT} does likewise (a read ends both). {@link #probe()} brings the volume back.
 *   <li>The volume carries a marker. Without the right one it is degraded, and nothing that is missing counts as gone.
 * </ul>
 *
 * <p>A volume that is set offline is degraded for good, and not touched: no marker, no probe.
 *
 * <p>Asking for the health is a read of memory. No lock is held over I/O.
 */
public final class VolumeGuard {
    /** How long an operation may be pending before the volume is degraded. */
    public static final Duration PENDING_LIMIT = Duration.ofSeconds(2);

    private static final Duration WATCH_PERIOD = Duration.ofMillis(500);
    private static final Duration PROBE_PERIOD = Duration.ofSeconds(3);

    private static final String OFFLINE = "it is set offline";

    private final Volume volume;
    private final VolumeSettings settings;
    private final Ticker ticker;
    private final Faults faults;
    private final Slots slots;
    private final Pending reads;
    private final Pending writes;
    private final Semaphore turn = new Semaphore(1, true);
    private final CounterDataPoint busy;
    private final CounterDataPoint readFailures;
    private final CounterDataPoint writeFailures;
    private final AtomicBoolean probing = new AtomicBoolean();
    private final AtomicLong free = new AtomicLong();
    private final AtomicLong promised = new AtomicLong();
    private volatile @Nullable String identity;

    /**
     * A guard that refuses everything until {@link #adopt} has settled the volume's identity.
     *
     * @param permits the most opens and reads at once; fewer than the connector has threads
     * @param clock for the times that are shown
     * @param ticker for the durations that are measured
     */
    public VolumeGuard(
            Volume volume,
            VolumeSettings settings,
            int permits,
            VolumeMetrics metrics,
            InstantSource clock,
            Ticker ticker) {
        this.volume = volume;
        this.settings = settings;
        this.ticker = ticker;
        this.faults = new Faults(
                volume.name(), clock, settings.offline() ? OFFLINE : "its identity has not been looked at yet");
        this.slots = new Slots(permits, ticker);
        this.reads = new Pending(ticker);
        this.writes = new Pending(ticker);
        this.busy = metrics.busy(volume.name());
        this.readFailures = metrics.failures(volume.name(), "read");
        this.writeFailures = metrics.failures(volume.name(), "write");
        metrics.add(this);
    }

    /** The volume's name in the configuration. */
    public String name() {
        return volume.name();
    }

    /** What the configuration says of it. */
    public VolumeSettings settings() {
        return settings;
    }

    /** Lets {@link #watch()} and {@link #probe()} be called again and again, each on a thread of its own. */
    public void schedule(Tasks tasks) {
        if (settings.offline()) {
            return;
        }
        tasks.every("volume-watch-" + name(), WATCH_PERIOD, this::watch);
        tasks.every("volume-probe-" + name(), PROBE_PERIOD, this::probe);
    }

    // ---- identity

    /**
     * Settles which volume this should be. Blocks for as long as the volume does.
     *
     * <p>A marker that the inventory knows is never rewritten: if the volume does not carry it, it is degraded until it
     * does. If the inventory knows none, the marker that the volume carries is taken over (the inventory was lost or is
     * new); a place without one gets a new marker if it is empty or can be created. May be called again, for instance
     * when another instance was first to tell the inventory.
     *
     * @param known the marker that the inventory has for this volume, or null
     */
    public Adoption adopt(@Nullable String known) {
        if (settings.offline()) {
            return new Adoption.Degraded(OFFLINE);
        }
        if (known != null) {
            identity = known;
            probe();
            return readable() ? new Adoption.Ready(known, false) : new Adoption.Degraded(health().reason());
        }
        try {
            Optional<String> found = volume.readMarker();
            String marker = found.isPresent() ? found.get() : UUID.randomUUID().toString();
            boolean created = found.isEmpty() && created(marker);
            if (found.isEmpty() && !created) {
                marker = volume.readMarker().orElseThrow(() -> new IOException("its marker came and went"));
            }
            identity = marker;
            probe();
            return new Adoption.Ready(marker, created);
        } catch (IOException e) {
            faults.both(Faults.describe(e), e);
            return new Adoption.Unusable(settings.location() + ": " + Faults.describe(e));
        }
    }

    /** Whether this call wrote the marker; false if another instance was first. */
    private boolean created(String marker) throws IOException {
        try {
            volume.writeMarker(marker);
            return true;
        } catch (IOException e) {
            if (volume.readMarker().isEmpty()) {
                throw e;
            }
            return false;
        }
    }

    /** Looks at the marker now; notes what is wrong. */
    private boolean identityHolds() {
        String expected = identity;
        if (expected == null) {
            return false;
        }
        Optional<String> found;
        try {
            found = reading(volume::readMarker);
        } catch (IOException e) {
            return false;
        }
        if (found.isEmpty()) {
            faults.both("its identity marker is missing (not mounted?); expected " + expected, null);
            return false;
        }
        if (!found.get().equals(expected)) {
            faults.both("it is another volume: its marker is " + found.get() + ", expected " + expected, null);
            return false;
        }
        return true;
    }

    private void requireIdentity() throws VolumeDegradedException {
        if (!identityHolds()) {
            throw degraded();
        }
    }

    // ---- health

    /** Whether copies are read from it; a read of memory. */
    public boolean readable() {
        return faults.readable();
    }

    /** Whether new copies are made in it, which are read while they grow; a read of memory. */
    public boolean writable() {
        return faults.readable() && faults.writable();
    }

    /** What is thought of it now; a read of memory. */
    public VolumeHealth health() {
        return faults.health();
    }

    /**
     * Whether a copy of that size is welcome: the volume is writable, the size within its limit, and the disk keeps
     * {@link VolumeSettings#minFree()} when this copy and all that are being made are whole. A read of memory: the free
     * space is the last probe's, less what was written since.
     */
    public boolean accepts(long size) {
        return size >= 0 && size <= largest();
    }

    /** The size of the largest file that may be written now; negative if none may. */
    public long largest() {
        return writable() ? Math.min(settings.maxObjectSize(), free.get() - promised.get() - settings.minFree()) : -1;
    }

    /** Degrades the volume if an operation has been pending for too long. Never blocks. */
    public void watch() {
        if (slots.heldOver(PENDING_LIMIT) || reads.runningOver(PENDING_LIMIT)) {
            faults.both("an operation has been pending for over " + PENDING_LIMIT.toSeconds() + " s", null);
        } else if (writes.runningOver(PENDING_LIMIT)) {
            faults.writing("a write has been pending for over " + PENDING_LIMIT.toSeconds() + " s", null);
        }
    }

    /**
     * Looks whether the volume is there, the right one, answers in time and can be written; degrades it or brings it
     * back. Blocks for as long as the volume does; while one call is running, others return at once.
     */
    public void probe() {
        if (identity == null || !probing.compareAndSet(false, true)) {
            return;
        }
        try {
            Faults.Sides seen = faults.now();
            long begun = ticker.read();
            if (!identityHolds()) {
                return;
            }
            if (inTime(begun) && !slots.heldOver(PENDING_LIMIT) && !reads.runningOver(PENDING_LIMIT)) {
                faults.healReading(seen);
            }
            begun = ticker.read();
            if (probeWriting() && inTime(begun) && !writes.runningOver(PENDING_LIMIT) && readable()) {
                faults.healWriting(seen);
            }
        } finally {
            probing.set(false);
        }
    }

    private boolean inTime(long begun) {
        return ticker.read() - begun <= PENDING_LIMIT.toNanos();
    }

    /** Writes and removes a small file. Fill 0 does not exist, so that nobody takes its temporary name for work. */
    private boolean probeWriting() {
        String temporary = "0." + ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        String copy = "0".repeat(32);
        try {
            return writing(() -> {
                free.set(volume.freeSpace());
                volume.tryWriting(temporary, copy);
                return true;
            });
        } catch (IOException e) {
            return false;
        }
    }

    // ---- copies

    /**
     * Opens a copy under a permit, to be read from a position on. The reader takes a permit for each read, and refuses like this method once the volume
     * is degraded.
     *
     * @throws NoSuchCopyException if the volume says that there is no such copy; see {@link #confirmMissing}
     * @throws VolumeBusyException if no permit is free
     * @throws VolumeDegradedException if the volume is degraded
     * @throws IOException if it failed; it is degraded now
     */
    public CopyReader open(String copy, long position) throws IOException {
        int permit = takePermit();
        try {
            return new GuardedReader(volume.open(copy, position), this);
        } catch (IOException e) {
            readFailed(e);
            throw e;
        } finally {
            slots.give(permit);
        }
    }

    /**
     * Whether a copy that could not be found is really gone: the volume shows the right marker now, and then still has
     * no such copy. Only then may a row be removed. Blocks, but not while the volume is degraded; no permit is needed.
     */
    public boolean confirmMissing(String copy) {
        if (!readable() || !identityHolds()) {
            return false;
        }
        try {
            return reading(() -> !isThere(copy));
        } catch (IOException e) {
            return false;
        }
    }

    private boolean isThere(String copy) throws IOException {
        try (CopyReader reader = volume.open(copy)) {
            return reader.size() >= 0;
        } catch (NoSuchCopyException e) {
            return false;
        }
    }

    /**
     * Begins a copy. Blocks, as the writer's methods do; for the threads of fills, no permit is needed.
     *
     * @param temporary the name while it is being written, {@code FILL.EPOCH}
     * @param copy its name once committed
     * @param size its expected length in bytes, which {@link #accepts} counts as taken until the writer is closed
     * @throws VolumeDegradedException if the volume takes no new copies
     */
    public CopyWriter create(String temporary, String copy, long size) throws IOException {
        if (!writable()) {
            throw degraded();
        }
        return writing(() -> new GuardedWriter(volume.create(temporary, copy), this, size));
    }

    /**
     * Removes a copy; false if it was not there and the volume has proved since that it is the right one. Blocks.
     *
     * @throws VolumeDegradedException if that could not be proved: the copy may still exist
     */
    public boolean delete(String copy) throws IOException {
        if (!readable()) {
            throw degraded();
        }
        boolean removed = writing(() -> volume.delete(copy));
        if (!removed) {
            requireIdentity();
        }
        return removed;
    }

    /** The temporary names in the volume, which has proved that it is the right one. Blocks. */
    public List<String> temporaries() throws IOException {
        List<String> names = reading(volume::temporaries);
        requireIdentity();
        return names;
    }

    /** Removes what is written under a temporary name, of the right volume only; whether it was there. Blocks. */
    public boolean deleteTemporary(String temporary) throws IOException {
        requireIdentity();
        return writing(() -> volume.deleteTemporary(temporary));
    }

    /** Names of copies as {@link Volume#list}, of the right volume only. Blocks. */
    public List<String> list(String after, int limit) throws IOException {
        List<String> names = reading(() -> volume.list(after, limit));
        requireIdentity();
        return names;
    }

    /** Opens and reads that are running. */
    public int permitsInUse() {
        return slots.inUse();
    }

    /** The most opens and reads that may run at once. */
    public int permitLimit() {
        return slots.limit();
    }

    /** Bytes free on what lies under the volume, by the last probe less what was written since. */
    public long free() {
        return free.get();
    }

    /** Opens a copy to read it from its beginning. */
    public CopyReader open(String copy) throws IOException {
        return open(copy, 0);
    }

    // ---- for the guarded reader and writer

    int takePermit() throws IOException {
        IoGuard.beforeIo();
        if (!readable()) {
            throw degraded();
        }
        int permit = slots.tryTake();
        if (permit < 0) {
            busy.inc();
            throw new VolumeBusyException(name());
        }
        return permit;
    }

    void givePermit(int permit) {
        slots.give(permit);
    }

    /** Runs a reading operation of a background thread: watched, and degrading the volume if it fails. */
    private <T> T reading(Pending.Operation<T> operation) throws IOException {
        IoGuard.beforeIo();
        try {
            return reads.during(operation);
        } catch (IOException e) {
            readFailed(e);
            throw e;
        }
    }

    /** The same for the thread of a fill, which goes on only while the volume is read. */
    <T> T readingCopy(Pending.Operation<T> operation) throws IOException {
        if (!readable()) {
            throw degraded();
        }
        return reading(operation);
    }

    /** Runs a writing operation: watched, and degrading the volume's writing if it fails. */
    <T> T writing(Pending.Operation<T> operation) throws IOException {
        return storing(() -> writes.during(operation));
    }

    /** Runs a writing operation that bounds its own time: however long it takes, the volume does not seem to hang. */
    <T> T storing(Pending.Operation<T> operation) throws IOException {
        IoGuard.beforeIo();
        try {
            return operation.run();
        } catch (IOException e) {
            writeFailed(e);
            throw e;
        }
    }

    /**
     * Runs a writing operation that takes a disk long, when no other one does: all of them at once would each take so long
     * that the disk seems to hang. Waiting for the turn does not count as pending.
     */
    void oneAtATime(Pending.Operation<Boolean> operation) throws IOException {
        try {
            while (!turn.tryAcquire(PENDING_LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
                if (!writable()) {
                    // who has the turn hangs
                    throw degraded();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting to write");
        }
        try {
            writing(operation);
        } finally {
            turn.release();
        }
    }

    void promise(long bytes) {
        promised.addAndGet(bytes);
    }

    void wrote(long bytes) {
        free.addAndGet(-bytes);
    }

    void readFailed(IOException e) {
        if (isVolumesFault(e)) {
            readFailures.inc();
            faults.reading(Faults.describe(e), e);
        }
    }

    private void writeFailed(IOException e) {
        if (isVolumesFault(e)) {
            writeFailures.inc();
            faults.writing(Faults.describe(e), e);
        }
    }

    /** A missing copy is an answer, a bound of ours no fault; a channel is closed by its user or by an interrupt. */
    private static boolean isVolumesFault(IOException e) {
        return !(e instanceof NoSuchCopyException
                || e instanceof VolumeBusyException
                || e instanceof ClosedChannelException);
    }

    private VolumeDegradedException degraded() {
        return new VolumeDegradedException(name(), health().reason());
    }
}
