package org.anteroom.http;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A short wait of a container's thread for another thread to let go of what the container is about to take back. */
final class Rest {
    private static final Duration MOST = Duration.ofSeconds(2);
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private Rest() {}

    /** Waits until something is so, or two seconds: the container does not hang with a thread that hangs. Whether it is. */
    static boolean await(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start >= MOST.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }
}
