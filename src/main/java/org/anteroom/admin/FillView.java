package org.anteroom.admin;

import java.time.Instant;
import java.util.Map;
import org.anteroom.inventory.FillRow;
import org.anteroom.inventory.FillState;
import org.jspecify.annotations.Nullable;

/**
 * A fill as the API shows it.
 *
 * @param id its number
 * @param volume where the copy is made or was to be made, or null while nobody has claimed it
 * @param state {@code queued}, {@code running}, {@code done} or {@code failed}
 * @param bytes written; of fills of this instance now, of others when they told last
 * @param size bytes of the file
 * @param attempts how often it was begun
 * @param owner the instance that has it or had it last, or that asked for it while it is queued
 * @param until when the owner's lease ends unless it is renewed, or null when it does not run
 * @param notBefore from when on it may be claimed, or null when it is not queued
 * @param reason why it failed, the last time or for good, or why it waits; or null
 */
record FillView(
        long id,
        String objid,
        @Nullable String volume,
        String state,
        long bytes,
        long size,
        int attempts,
        String owner,
        @Nullable Instant until,
        @Nullable Instant notBefore,
        @Nullable String reason) {

    /**
     * A view of a row.
     *
     * @param volumes the names of volumes by their ids
     * @param progress bytes that are written by now, by the ids of fills
     */
    static FillView of(FillRow row, Map<Long, String> volumes, Map<Long, Long> progress) {
        Long volume = row.volumeId();
        return new FillView(
                row.id(),
                row.objid(),
                volume == null ? null : volumes.get(volume),
                row.state().text(),
                row.state() == FillState.RUNNING ? progress.getOrDefault(row.id(), row.bytes()) : row.bytes(),
                row.size(),
                row.attempts(),
                row.owner().instance(),
                row.until(),
                row.notBefore(),
                row.reason());
    }
}
