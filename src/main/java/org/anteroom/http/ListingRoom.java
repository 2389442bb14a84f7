package org.anteroom.http;

import java.util.concurrent.Semaphore;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;

/**
 * The memory that listings may take in all, counted in entries: each has room for one page while it reads, and what its last
 * page holds from then on.
 */
final class ListingRoom {
    private final Semaphore free;

    /** Room for so many entries. */
    ListingRoom(int entries, Metrics metrics) {
        this.free = new Semaphore(entries);
        metrics.gauge(
                "anteroom_listing_entries",
                "Entries of folders that are held in memory, or have room kept for them",
                () -> entries - free.availablePermits());
        metrics.gauge("anteroom_listing_entries_limit", "The most such entries", () -> entries);
    }

    /** A place for some entries; used by one thread at a time. */
    final class Place {
        private int size;

        private Place(int size) {
            this.size = size;
        }

        /** Gives back what is more than so many entries. */
        void keep(int entries) {
            if (entries < size) {
                free.release(size - entries);
                size = entries;
            }
        }
    }

    /**
     * Takes a place.
     *
     * @throws FailureException OVERLOADED if there is none
     */
    Place take(int entries) throws FailureException {
        if (!free.tryAcquire(entries)) {
            throw new FailureException(
                    FailureReason.OVERLOADED, "Too many folders are being listed; try again in a moment.");
        }
        return new Place(entries);
    }
}
