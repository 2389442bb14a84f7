package org.anteroom.fill;

import java.util.List;
import org.anteroom.inventory.CopyRow;

/** What came of the wish to have a file cached. */
public sealed interface Outcome {

    /**
     * A fill runs in this instance.
     *
     * @param begun whether this call began it
     */
    record Following(Fill fill, boolean begun) implements Outcome {}

    /** The inventory has copies of it by now. */
    record Cached(List<CopyRow> copies) implements Outcome {
        /** Makes the list immutable. */
        public Cached {
            copies = List.copyOf(copies);
        }
    }

    /**
     * It cannot be cached now, and is to be passed through.
     *
     * @param detail why: a token for Cache-Status (RFC 9211, section 2.8), such as {@code no-room}
     */
    record Bypass(String detail) implements Outcome {}
}
