package org.anteroom.s3;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The places among the connections of one client. Whoever finds none waits for a bounded time, holding nothing else.
 *
 * <p>Uploads take half of them at most, so that those who read are not kept out by them.
 */
final class Connections {
    private final int most;
    private final Semaphore all;
    private final Semaphore uploads;
    private final long waitNanos;
    private final CounterDataPoint refused;

    Connections(int most, Duration wait, CounterDataPoint refused) {
        this.most = most;
        this.all = new Semaphore(most, true);
        this.uploads = new Semaphore(Math.max(1, most / 2), true);
        this.waitNanos = wait.toNanos();
        this.refused = refused;
    }

    void take(boolean upload) throws S3Failure, InterruptedIOException {
        if (upload) {
            take(uploads);
        }
        boolean taken = false;
        try {
            take(all);
            taken = true;
        } finally {
            if (upload && !taken) {
                uploads.release();
            }
        }
    }

    private void take(Semaphore places) throws S3Failure, InterruptedIOException {
        try {
            if (!places.tryAcquire(waitNanos, TimeUnit.NANOSECONDS)) {
                refused.inc();
                throw new S3Failure(S3Failure.Kind.BUSY, "all connections to the object store are taken", null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a connection");
        }
    }

    void give(boolean upload) {
        all.release();
        if (upload) {
            uploads.release();
        }
    }

    int inUse() {
        return most - all.availablePermits();
    }

    int waiting() {
        return all.getQueueLength() + uploads.getQueueLength();
    }

    int limit() {
        return most;
    }
}
