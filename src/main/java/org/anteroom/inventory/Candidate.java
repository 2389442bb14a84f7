package org.anteroom.inventory;

import java.time.Instant;

/**
 * A copy that a deletion plan may name.
 *
 * @param lastUse when it was last used, or else made
 * @param uses how often it was used
 */
public record Candidate(long copyId, String objid, long size, Instant lastUse, long uses, Instant filledAt) {}
