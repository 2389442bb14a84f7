package org.anteroom.s3;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The places among the connections of one client. Whoever finds none waits for a bounded time: a reader, for whom others
 * wait, shortly; an upload for as long as it may take itself.
 *
 * <p>Uploads take half of them at most, so that those who read are not kept out by them.
 */
final class Connections {
    /** Shorter than what makes a volume look as if it hung. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final int most;
    private final Semaphore all;
    private final Semaphore uploads;
    private final Duration wait;
    private final CounterDataPoint refused;

    Connections(int most, Duration wait, CounterDataPoint refused) {
        this.most = most;
        this.all = new Semaphore(most, true);
        this.uploads = new Semaphore(Math.max(1, most / 2), true);
        this.wait = wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
        this.refused = refused;
    }

    /** A place for a request that is answered soon. */
    void take() throws S3Failure, InterruptedIOException {
        take(all, wait);
    }

    /** A place for an upload, waited for up to so long. */
    void takeForUpload(Duration patience) throws S3Failure, InterruptedIOException {
        take(uploads, patience);
        boolean taken = false;
        try {
            take(all, patience);
            taken = true;
        } finally {
            if (!taken) {
                uploads.release();
            }
        }
    }

    private void take(Semaphore places, Duration patience) throws S3Failure, InterruptedIOException {
        try {
            if (!places.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
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
