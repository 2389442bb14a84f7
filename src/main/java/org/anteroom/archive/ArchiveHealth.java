package org.anteroom.archive;

import java.time.Instant;

/**
 * What the last probe of the archive found.
 *
 * @param ok whether it answered
 * @param reason why not, in words without paths; empty when it did
 * @param since when it became so
 */
public record ArchiveHealth(boolean ok, String reason, Instant since) {}
