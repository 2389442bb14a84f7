package org.anteroom.inventory;

import java.util.List;

/** What came of the wish to begin a fill. */
public sealed interface BeginResult {

    /**
     * No fill is needed.
     *
     * @param copies at least one that is cached where the asking instance can read it, newest first
     */
    record Cached(List<CopyRow> copies) implements BeginResult {
        /** Copies the list. */
        public Cached {
            copies = List.copyOf(copies);
        }
    }

    /** Somebody fills already, maybe the asking instance itself. */
    record RunningElsewhere(long fillId, long epoch, Owner owner) implements BeginResult {}

    /** The bytes are reserved and the fill is owned by the one who asked. */
    record Begun(FillTicket ticket) implements BeginResult {}

    /** No volume has room; those that could ever hold the file now ask for a plan. */
    record NoRoom() implements BeginResult {}
}
