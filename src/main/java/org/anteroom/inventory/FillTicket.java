package org.anteroom.inventory;

/**
 * The right to carry out a fill, as long as its lease is kept.
 *
 * @param epoch counts the owners that the fill has had
 * @param name the name of the copy to be
 */
public record FillTicket(long fillId, long epoch, long volumeId, String name) {

    /** The name of the temporary file, {@code FILL.EPOCH}. */
    public String temporary() {
        return fillId + "." + epoch;
    }
}
