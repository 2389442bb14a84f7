package org.anteroom.archive;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Calls that wait for a thread: steps of what has begun before what begins, since they are short, and somebody has a place
 * until the last of them; and after {@value #BEGUN_IN_A_ROW} of them one that begins, so that slow ones hold nobody up for
 * good. Within each kind the order is that of coming. Used under its owner's lock.
 */
final class CallLine {
    static final int BEGUN_IN_A_ROW = 16;

    private final Deque<Runnable> begun = new ArrayDeque<>();
    private final Deque<Runnable> beginning = new ArrayDeque<>();
    private int inARow;

    void add(Runnable call, boolean begins) {
        (begins ? beginning : begun).add(call);
    }

    /** Takes a call out again; false if it has gone. */
    boolean remove(Runnable call) {
        return beginning.remove(call) || begun.remove(call);
    }

    boolean isEmpty() {
        return begun.isEmpty() && beginning.isEmpty();
    }

    int size() {
        return begun.size() + beginning.size();
    }

    /** Takes out the next one; there must be one. */
    Runnable next() {
        if (begun.isEmpty() || (inARow >= BEGUN_IN_A_ROW && !beginning.isEmpty())) {
            inARow = 0;
            return beginning.remove();
        }
        inARow = beginning.isEmpty() ? 0 : inARow + 1;
        return begun.remove();
    }
}
