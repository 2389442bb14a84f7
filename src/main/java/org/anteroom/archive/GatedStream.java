package org.anteroom.archive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of the archive that is read on the gate's pool, one step at a time, and opened again where it broke off
 * ({@link Resumption}).
 *
 * <p>Each step reads into a buffer of the stream's own: one that hangs past its timeout may still write there long after
 * the reader has given its own buffer to somebody else. What is opened again has a buffer of its own for the same reason.
 *
 * <p>The inner stream belongs to the step that is running; when none is, to whoever closes. The lock guards only the
 * handing over and is never held over I/O.
 */
final class GatedStream implements AsyncArchiveStream {
    private static final Logger log = LoggerFactory.getLogger(GatedStream.class);

    private final ArchiveGate gate;
    private final Supplier<Traffic> traffic;
    private final FileKey key;
    private final FileFacts expected;
    private final int mostStreams;
    private final int chunk;
    private final Resumption resumption;
    private final Object lock = new Object();
    private @Nullable Source source;
    private @Nullable CompletableFuture<Integer> last;
    private long position;
    /** Steps that run or rest, also those for which nobody waits any more. */
    private int steps;

    private boolean begun;
    private boolean admitted;
    private boolean failed;
    private boolean closed;

    /** The inner stream, once it is open, and where it is read to. */
    private static final class Source {
        private final ByteBuffer buffer;
        private @Nullable ArchiveStream stream;
        /** Whether a step has returned bytes, or the end. */
        private boolean flowing;
        /** Whether a step has it. */
        private boolean busy;
        /** Whether the end has come with the last bytes. */
        private boolean ended;

        Source(int chunk) {
            this.buffer = ByteBuffer.allocate(chunk);
        }
    }

    /**
     * A stream that is not opened yet.
     *
     * @param traffic for whom it is read at the moment
     * @param mostStreams as many there may be with this one; past that the first step is refused
     */
    GatedStream(
            ArchiveGate gate,
            Supplier<Traffic> traffic,
            FileKey key,
            FileFacts expected,
            long offset,
            int mostStreams,
            int chunk) {
        this.gate = gate;
        this.traffic = traffic;
        this.key = key;
        this.expected = expected;
        this.position = offset;
        this.mostStreams = mostStreams;
        this.chunk = chunk;
        this.resumption =
                new Resumption(offset, () -> ThreadLocalRandom.current().nextDouble());
    }

    @Override
    public CompletableFuture<Integer> read(ByteBuffer target) {
        return step(target.remaining(), target);
    }

    /** Opens the file without reading; the future completes with 0. */
    CompletableFuture<Integer> open() {
        return step(0, null);
    }

    /**
     * Takes over the file that was opened to learn of it, before anything else is done: what is open waits for a thread only
     * to be read. False if there is none. Does not block.
     */
    boolean adopt() {
        synchronized (lock) {
            if (begun || position > 0) {
                return false;
            }
            begun = true;
        }
        ArchiveStream opened = gate.takeReady(key, expected);
        if (opened == null) {
            return false;
        }
        synchronized (lock) {
            if (!closed && gate.admit(mostStreams)) {
                admitted = true;
                source = new Source(room());
                source.stream = opened;
                return true;
            }
        }
        closeElsewhere(gate, opened);
        return false;
    }

    /** Reads into the stream's buffer; {@link #take} hands it out when the future is complete. */
    CompletableFuture<Integer> fetch(int most) {
        return step(most, null);
    }

    /** Appends what the last complete step has read. */
    void take(ByteBuffer target) {
        synchronized (lock) {
            if (source != null) {
                target.put(source.buffer);
            }
        }
    }

    private CompletableFuture<Integer> step(int most, @Nullable ByteBuffer target) {
        adopt();
        CompletableFuture<Integer> mine = new CompletableFuture<>();
        Step step;
        synchronized (lock) {
            if (closed) {
                return CompletableFuture.failedFuture(ended(FailureReason.ARCHIVE_FAILED));
            }
            if (last != null && !last.isDone()) {
                throw new IllegalStateException("the last read is not complete");
            }
            if (last != null && last.isCompletedExceptionally()) {
                return last;
            }
            if (source != null && source.ended) {
                last = CompletableFuture.completedFuture(-1);
                return last;
            }
            if (!admitted && !gate.admit(mostStreams)) {
                last = CompletableFuture.failedFuture(gate.refused());
                return last;
            }
            admitted = true;
            last = mine;
            step = begin(mine, most, target);
        }
        submit(step);
        return mine;
    }

    private static FailureException ended(FailureReason reason) {
        return new FailureException(reason, "The transfer was ended.", new ClosedChannelException());
    }

    /** Under the lock. */
    private Step begin(CompletableFuture<Integer> wanted, int most, @Nullable ByteBuffer target) {
        steps++;
        Source from = source;
        if (from == null) {
            from = new Source(room());
            source = from;
        }
        from.busy = true;
        return new Step(wanted, most, target, from, position);
    }

    /** As much as a step may read, or all that is left and a byte to see that nothing follows. Under the lock. */
    private int room() {
        return expected.hasSize() ? (int) Math.max(1, Math.min(chunk, expected.size() - position + 1)) : chunk;
    }

    private void submit(Step step) {
        CompletableFuture<Integer> call = new CompletableFuture<>();
        var unused = call.whenComplete((count, failure) -> {
            if (failure == null) {
                step.wanted.complete(count);
            } else {
                failed(step, ArchiveGate.failure(failure));
            }
        });
        gate.submitStep(key, traffic.get(), !step.opened, !step.flowing, call, step);
    }

    /** Leaves what failed to its step, and rests before the next attempt if there is one. */
    private void failed(Step step, FailureException failure) {
        Duration rest;
        synchronized (lock) {
            if (source == step.source) {
                source = null;
            }
            // what only waited in a crowd was not broken off by the archive
            boolean broken = step.ran || failure.reason() == FailureReason.ARCHIVE_AWAY;
            rest = broken && !closed && gate.canResume(key, expected) ? resumption.next(failure, position) : null;
            if (rest == null) {
                failed = true;
            } else {
                steps++;
            }
        }
        if (rest == null) {
            step.wanted.completeExceptionally(failure);
        } else if (gate.rest(this, step, rest)) {
            log.debug("Reading {} goes on after {}: {}", key, rest, failure.toString());
        } else {
            giveUp(step, failure);
        }
    }

    /** Opens the file again for a step that has rested. Does not block. */
    void goOn(Step rested) {
        Step next = null;
        boolean over;
        synchronized (lock) {
            steps--;
            if (!closed) {
                next = begin(rested.wanted, rested.most, rested.target);
            }
            over = isOver();
        }
        if (next != null) {
            submit(next);
            return;
        }
        rested.wanted.completeExceptionally(ended(FailureReason.ARCHIVE_FAILED));
        leave(over, null);
    }

    /** Ends a step that rests. */
    void giveUp(Step rested, FailureException failure) {
        boolean over;
        synchronized (lock) {
            steps--;
            failed = true;
            over = isOver();
        }
        rested.wanted.completeExceptionally(failure);
        leave(over, null);
    }

    /** Whether the place is to be given back, which is so once. Under the lock. */
    private boolean isOver() {
        if (!admitted || steps > 0 || !(closed || failed)) {
            return false;
        }
        admitted = false;
        return true;
    }

    @Override
    public void close() {
        ArchiveStream idle;
        boolean over;
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            over = isOver();
            idle = source == null || source.busy ? null : source.stream;
            source = null;
        }
        if (idle == null) {
            leave(over, null);
            return;
        }
        try {
            gate.execute(() -> leave(over, idle));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            leave(over, idle);
        }
    }

    private void leave(boolean over, @Nullable ArchiveStream stream) {
        if (stream != null) {
            closeQuietly(stream);
        }
        if (over) {
            gate.leave();
        }
    }

    /** Closes a stream that nobody has, which may block: on a thread for the archive, as long as there are any. */
    static void closeElsewhere(ArchiveGate gate, ArchiveStream unused) {
        try {
            gate.execute(() -> closeQuietly(unused));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            closeQuietly(unused);
        }
    }

    static void closeQuietly(ArchiveStream stream) {
        try {
            stream.close();
        } catch (IOException | RuntimeException e) {
            log.debug("Closing a stream of the archive failed", e);
        }
    }

    /** One call to the archive: opens the file if it is not open, and reads. */
    final class Step implements BoundedCalls.Work<Integer> {
        private final CompletableFuture<Integer> wanted;
        private final int most;
        private final @Nullable ByteBuffer target;
        private final Source source;
        private final long from;
        private final boolean opened;
        private final boolean flowing;
        private volatile boolean ran;
        private boolean ended;

        Step(CompletableFuture<Integer> wanted, int most, @Nullable ByteBuffer target, Source source, long from) {
            this.wanted = wanted;
            this.most = most;
            this.target = target;
            this.source = source;
            this.from = from;
            this.opened = source.stream != null;
            this.flowing = source.flowing;
        }

        @Override
        public Integer run() throws IOException {
            ran = true;
            synchronized (lock) {
                if (closed) {
                    throw ended(FailureReason.NOT_READY);
                }
            }
            ArchiveStream stream = source.stream;
            if (stream == null) {
                stream = gate.openInner(key, expected, from);
                source.stream = stream;
            }
            ByteBuffer buffer = source.buffer;
            buffer.clear().limit(Math.min(most, buffer.capacity()));
            int count = most == 0 ? 0 : stream.read(buffer);
            if (count > 0 && from + count == expected.size() && buffer.hasRemaining()) {
                // to see the end at once spares another wait for a thread
                int more = stream.read(buffer);
                ended = more < 0;
                count += Math.max(0, more);
            }
            buffer.flip();
            return count;
        }

        @Override
        public void delivered(Integer count) {
            if (target != null && count > 0) {
                target.put(source.buffer);
            }
            ArchiveStream unused;
            boolean over;
            synchronized (lock) {
                steps--;
                source.busy = false;
                source.flowing |= count != 0;
                source.ended = ended;
                position += Math.max(0, count);
                over = isOver();
                unused = closed ? source.stream : null;
            }
            leave(over, unused);
        }

        @Override
        public void abandoned() {
            boolean over;
            synchronized (lock) {
                steps--;
                over = isOver();
            }
            leave(over, source.stream);
        }
    }
}
