package org.anteroom.inventory;

import java.time.Instant;
import org.anteroom.model.FileFacts;

/**
 * A copy as the inventory knows it.
 *
 * @param name its name in the volume
 * @param facts what the archive said of the file when the copy was made; the size is known
 * @param since when it came into its state
 * @param filledAt when it was made
 * @param verifiedAt when its bytes were last known to be right
 */
public record CopyRow(
        long id,
        long volumeId,
        String objid,
        String name,
        FileFacts facts,
        CopyState state,
        Instant since,
        Instant filledAt,
        Instant verifiedAt) {}
