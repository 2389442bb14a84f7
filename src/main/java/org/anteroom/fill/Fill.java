package org.anteroom.fill;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.model.FailureException;
import org.anteroom.model.FileFacts;
import org.anteroom.volume.CopyReader;
import org.jspecify.annotations.Nullable;

/**
 * A copy being made, as its readers see it: a growing file.
 *
 * <p>One thread fills; any number follow. The filling thread publishes how far readers may read and never waits for one.
 * A reader that has caught up registers a wake-up and holds no thread. The protocol between the two: the filling thread
 * first publishes, then looks for waiters; a reader first registers, then looks again at what is published. So one of the
 * two sees the other.
 *
 * <p>Followers share one open file. It is closed when the fill has ended and the last of them has left; until then the
 * bytes can be read even if the copy has been deleted meanwhile.
 */
public final class Fill {
    private final String objid;
    private final FileFacts facts;
    private final long volumeId;
    private final ConcurrentLinkedQueue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    /** The fill itself and each follower hold the file. */
    private final AtomicInteger holders = new AtomicInteger(1);

    private final FillDigest digest;
    /** Odd while the filling thread is at work in the volume; each piece of work has a number of its own. */
    private final AtomicInteger volumeWork = new AtomicInteger();
    /** The work that was found under way last; of {@link Fills#relieve} alone. */
    private int workSeen;

    private volatile long readable;
    private volatile @Nullable CopyReader file;
    private volatile @Nullable IOException failure;
    private volatile boolean ended;
    private final AtomicBoolean lost = new AtomicBoolean();

    private record Waiter(long position, Runnable wake) {}

    Fill(String objid, FileFacts facts, long volumeId) {
        this.objid = objid;
        this.facts = facts;
        this.volumeId = volumeId;
        this.digest = new FillDigest(facts.size(), facts.sha256() != null);
    }

    /** The key of the file. */
    public String objid() {
        return objid;
    }

    /** What the archive said of the file when the fill began. */
    public FileFacts facts() {
        return facts;
    }

    /** The volume that the copy is made in, by its id in the inventory. */
    public long volumeId() {
        return volumeId;
    }

    /** Bytes that followers may read by now. */
    public long readable() {
        return readable;
    }

    /**
     * What is known of the digest of the bytes up to somewhere near before a position, for a reader that goes on elsewhere
     * from there; null if the archive gives no checksum, or if the fill is not that far.
     */
    public @Nullable DigestedPrefix prefix(long position) {
        if (facts.sha256() == null) {
            return null;
        }
        DigestedPrefix prefix = digest.before(position);
        return position - prefix.length() <= digest.distance() ? prefix : null;
    }

    FillDigest digest() {
        return digest;
    }

    /** Something that the filling thread does in the volume, which may hang. */
    interface VolumeWork<T> {
        T run() throws IOException;
    }

    <T> T inVolume(VolumeWork<T> work) throws IOException {
        volumeWork.incrementAndGet();
        try {
            return work.run();
        } finally {
            volumeWork.incrementAndGet();
        }
    }

    /** Whether the filling thread is still at the same work in the volume as when this was asked last. */
    boolean hangsInVolume() {
        int now = volumeWork.get();
        boolean same = (now & 1) == 1 && now == workSeen;
        workSeen = now;
        return same;
    }

    /**
     * Begins to follow; null if the fill has failed, or is over and its file closed, so that the reader must look elsewhere.
     * What has failed can be met until the inventory has been told: whoever followed it then would get an answer that
     * breaks off.
     */
    public @Nullable Follower follow() {
        if (failure != null) {
            return null;
        }
        int seen;
        do {
            seen = holders.get();
            if (seen == 0) {
                return null;
            }
        } while (!holders.compareAndSet(seen, seen + 1));
        return new Follower(this);
    }

    /** Whether anybody follows. */
    boolean followed() {
        return holders.get() > 1;
    }

    /** Notes that no copy will come of it, since it is not this instance's any more; whether that is news. */
    boolean lose() {
        return lost.compareAndSet(false, true);
    }

    boolean isLost() {
        return lost.get();
    }

    /** Whether there is no use in going on: no copy will come of it, and nobody reads it. */
    boolean isInVain() {
        return lost.get() && !followed();
    }

    void opened(CopyReader written) {
        file = written;
    }

    void publish(long position) {
        readable = position;
        wake(false);
    }

    /** All bytes are right and readable. */
    void succeed(long size) {
        readable = size;
        ended = true;
        wake(true);
    }

    /**
     * No more bytes will come.
     *
     * @param cause a {@link FailureException} when the archive is to blame and readers cannot be helped; any other when
     *     they should read on from the archive
     */
    void abandon(IOException cause) {
        if (ended) {
            // its readers have been told already
            return;
        }
        failure = cause;
        ended = true;
        wake(true);
    }

    int read(ByteBuffer target, long position) throws IOException {
        long limit = readable;
        if (position < limit) {
            CopyReader open = file;
            if (open == null) {
                throw new FillAbandonedException("the fill's file is not open", null);
            }
            if (limit - position < target.remaining()) {
                target.limit(target.position() + (int) (limit - position));
            }
            int n = open.read(target, position);
            if (n < 0) {
                throw new FillAbandonedException("the growing copy is shorter than what was written to it", null);
            }
            return n;
        }
        if (!ended) {
            return 0;
        }
        // ended is read before failure and the last readable are read again: they were written before it
        IOException cause = failure;
        if (cause instanceof FailureException archive) {
            // a new exception for each reader: each has its own stack trace and suppressed ones
            throw new FailureException(archive.reason(), archive.getMessage(), archive);
        }
        if (cause != null) {
            throw new FillAbandonedException("the fill was given up", cause);
        }
        return position < readable ? read(target, position) : -1;
    }

    boolean await(long position, Runnable wake) {
        if (position < readable || ended) {
            return false;
        }
        Waiter waiter = new Waiter(position, wake);
        waiters.add(waiter);
        // if something came meanwhile and the waiter is still there, nobody else will wake it
        return !((position < readable || ended) && waiters.remove(waiter));
    }

    void release() {
        if (holders.decrementAndGet() == 0) {
            CopyReader open = file;
            if (open != null) {
                try {
                    open.close();
                } catch (IOException e) {
                    // reading is over, and nothing was written through this handle
                }
            }
        }
    }

    private void wake(boolean all) {
        for (Waiter waiter : waiters) {
            if ((all || waiter.position() < readable) && waiters.remove(waiter)) {
                waiter.wake().run();
            }
        }
    }
}
