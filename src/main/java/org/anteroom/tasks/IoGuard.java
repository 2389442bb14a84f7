package org.anteroom.tasks;

/**
 * Tells, in tests, that a database connection is held while a file or the archive is worked on.
 *
 * <p>It is on when the system property {@code anteroom.guard} is {@code true}; else it costs a constant's look.
 */
public final class IoGuard {
    private static final boolean ON = Boolean.getBoolean("anteroom.guard");
    private static final ThreadLocal<Integer> HELD = ThreadLocal.withInitial(() -> 0);

    private IoGuard() {}

    /** The calling thread has taken a connection. */
    public static void connectionTaken() {
        if (ON) {
            HELD.set(HELD.get() + 1);
        }
    }

    /** The calling thread has given a connection back. */
    public static void connectionReturned() {
        if (ON) {
            HELD.set(HELD.get() - 1);
        }
    }

    /**
     * The calling thread is about to do something that may block.
     *
     * @throws AssertionError if it holds a connection
     */
    public static void beforeIo() {
        if (ON && HELD.get() > 0) {
            throw new AssertionError("a connection is held over I/O");
        }
    }
}
