package org.anteroom.archive.http;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * Who has a connection to the server. There is a bounded number; whoever needs one and finds none takes that of the answer
 * nobody has read from for the longest time, whose reader asks again at its offset when it comes back. So slow readers,
 * however many, keep nobody from being served.
 *
 * <p>An answer that cannot be asked for again from the middle is not taken from; of those there may be half as many as
 * connections. The lock is held over nothing that blocks.
 */
final class Connections {
    private final int most;
    private final int mostPinned;
    private final Set<Reply> idle = new LinkedHashSet<>();
    private int taken;
    private int pinned;

    Connections(int most) {
        this.most = most;
        this.mostPinned = most / 2;
    }

    /**
     * Takes a place, which {@link #release} gives back.
     *
     * @throws FailureException OVERLOADED if all are busy
     */
    void acquire() throws FailureException {
        while (true) {
            Reply oldest;
            synchronized (this) {
                if (taken < most) {
                    taken++;
                    return;
                }
                oldest = oldest();
            }
            if (oldest == null) {
                throw new FailureException(FailureReason.OVERLOADED, "The archive is asked for too much at once.");
            }
            if (oldest.surrender()) {
                // its place is ours
                return;
            }
        }
    }

    private @Nullable Reply oldest() {
        Iterator<Reply> all = idle.iterator();
        if (!all.hasNext()) {
            return null;
        }
        Reply first = all.next();
        all.remove();
        return first;
    }

    synchronized void release() {
        taken--;
    }

    /** Nobody reads from an answer at the moment. */
    synchronized void rest(Reply reply) {
        idle.add(reply);
    }

    /** Somebody reads again; false if its connection was given up meanwhile. */
    synchronized boolean resume(Reply reply) {
        return idle.remove(reply);
    }

    /**
     * Counts an answer that cannot be asked for again from the middle, until {@link #unpin}.
     *
     * @throws FailureException OVERLOADED if there are too many
     */
    synchronized void pin() throws FailureException {
        if (pinned >= mostPinned) {
            throw new FailureException(
                    FailureReason.OVERLOADED,
                    "Too many files are read at once that the archive can only give from their beginning.");
        }
        pinned++;
    }

    synchronized void unpin() {
        pinned--;
    }

    /** Connections that are in use, idle readers' included. */
    synchronized int taken() {
        return taken;
    }
}
