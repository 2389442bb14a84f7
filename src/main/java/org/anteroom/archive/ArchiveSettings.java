package org.anteroom.archive;

import java.time.Duration;

/**
 * What the configuration says of the archive.
 *
 * @param kind the kind of archive, as in {@code archive.kind}
 * @param location a folder, or the place in an object store
 * @param concurrency the most calls to the archive at once for files, at least 1
 * @param connectTimeout how long connecting may take; more than zero
 * @param firstByteTimeout how long an answer or the first byte of a file may take; more than zero
 * @param stallTimeout how long each further read may take; more than zero
 * @param headTtl how long what the archive said of a file is trusted; zero or more
 * @param missingTtl how long it is trusted that a file is not there; zero or more
 */
public record ArchiveSettings(
        String kind,
        String location,
        int concurrency,
        Duration connectTimeout,
        Duration firstByteTimeout,
        Duration stallTimeout,
        Duration headTtl,
        Duration missingTtl) {

    /** Checks what the record promises. */
    public ArchiveSettings {
        require(!kind.isBlank(), "the archive's kind is empty");
        require(!location.isBlank(), "the archive's location is empty");
        require(concurrency >= 1, "the archive's concurrency is at least 1");
        require(isPositive(connectTimeout), "the archive's connect timeout is more than 0");
        require(isPositive(firstByteTimeout), "the archive's first-byte timeout is more than 0");
        require(isPositive(stallTimeout), "the archive's stall timeout is more than 0");
        require(!headTtl.isNegative(), "the archive's head-ttl is 0 or more");
        require(!missingTtl.isNegative(), "the archive's missing-ttl is 0 or more");
    }

    private static boolean isPositive(Duration time) {
        return !time.isNegative() && !time.isZero();
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
