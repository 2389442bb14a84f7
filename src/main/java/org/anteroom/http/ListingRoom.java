package org.anteroom.http;

import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;

/**
 * The memory that listings may take in all, counted in entries: in one share for folders that are written whole, and in one for
 * single pages, so that readers of the former never turn off the latter.
 *
 * <p>Half of each share is left to small places, of {@value #LEAST} entries. So those who read big pages slowly cannot keep
 * others from beginning.
 */
final class ListingRoom {
    /** The entries of the first page of a whole folder; room for as many is kept until its last page. */
    static final int LEAST = 200;

    /** The most entries of one page of a whole folder. */
    static final int MOST = 20_000;

    /** How many times more entries the next page of a whole folder has. */
    private static final int GROWTH = 4;

    private final Share whole;
    private final Share single;

    /**
     * Room.
     *
     * @param whole entries of folders that are written whole
     * @param single entries of single pages
     */
    ListingRoom(int whole, int single, Metrics metrics) {
        this.whole = new Share(whole);
        this.single = new Share(single);
        metrics.gauges(
                "anteroom_listing_entries",
                "Entries of folders that are held in memory, or have room kept for them",
                callback -> {
                    callback.call(this.whole.used(), "html");
                    callback.call(this.single.used(), "json");
                },
                "format");
        metrics.gauges(
                "anteroom_listing_entries_limit",
                "The most such entries",
                callback -> {
                    callback.call(whole, "html");
                    callback.call(single, "json");
                },
                "format");
    }

    /**
     * Takes a place for a folder that is written whole.
     *
     * @throws FailureException OVERLOADED if there is none
     */
    Place takeWhole() throws FailureException {
        return take(whole, LEAST, MOST);
    }

    /**
     * Takes a place for one page.
     *
     * @throws FailureException OVERLOADED if there is none
     */
    Place takePage(int limit) throws FailureException {
        return take(single, limit, limit);
    }

    private static Place take(Share share, int first, int most) throws FailureException {
        if (!share.take(first)) {
            throw new FailureException(
                    FailureReason.OVERLOADED, "Too many folders are being listed; try again in a moment.");
        }
        return new Place(share, first, most);
    }

    /** Entries that are given out and come back. */
    private static final class Share {
        private final int entries;
        private int free;

        Share(int entries) {
            this.entries = entries;
            this.free = entries;
        }

        synchronized boolean take(int wanted) {
            int left = free - wanted;
            if (left < (wanted <= LEAST ? 0 : entries / 2)) {
                return false;
            }
            free = left;
            return true;
        }

        /** Takes as many as wanted, but no more than half of what big places may have: others want some, too. */
        synchronized int takeSome(int wanted) {
            int taken = Math.max(0, Math.min(wanted, (free - entries / 2) / 2));
            free -= taken;
            return taken;
        }

        synchronized void give(int back) {
            free += back;
        }

        synchronized int used() {
            return entries - free;
        }
    }

    /** The place of one listing; used by one thread at a time. */
    static final class Place {
        private final Share share;
        private final int most;
        private int size;
        private int wanted;

        private Place(Share share, int size, int most) {
            this.share = share;
            this.size = size;
            this.most = most;
        }

        /** Makes room for the next page, for more than for the last one if there is; returns for how many entries. */
        int nextPage() {
            wanted = wanted == 0 ? size : Math.min(most, GROWTH * wanted);
            size += share.takeSome(wanted - size);
            return size;
        }

        /** Gives back what is not needed for so many entries, or for the next page to be asked for. */
        void keepForMore(int entries) {
            keep(Math.max(entries, LEAST));
        }

        /** Gives back what is not needed for so many entries, which are the last. */
        void keep(int entries) {
            if (entries < size) {
                share.give(size - entries);
                size = entries;
            }
        }
    }
}
