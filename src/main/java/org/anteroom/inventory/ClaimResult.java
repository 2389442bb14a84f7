package org.anteroom.inventory;

/** What came of the wish to claim a fill from the queue. */
public sealed interface ClaimResult {

    /**
     * It is owned by the one who asked, and its bytes are reserved.
     *
     * @param size bytes of the file, as was known when it was asked for
     */
    record Claimed(FillTicket ticket, String objid, long size) implements ClaimResult {}

    /** The first one needs no copy any more and is done; there may be others. */
    record Cached(String objid) implements ClaimResult {}

    /**
     * There is no room for the first one; there may be others.
     *
     * @param waits whether it waits for room; else it has failed
     */
    record NoRoom(String objid, boolean waits) implements ClaimResult {}

    /** None is due that nobody else is about to claim. */
    record Nothing() implements ClaimResult {}
}
