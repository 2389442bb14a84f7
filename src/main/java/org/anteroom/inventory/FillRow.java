package org.anteroom.inventory;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A fill as the inventory knows it.
 *
 * @param volumeId where to, or null before anybody claimed it
 * @param bytes written when the owner last told
 * @param size bytes of the file, reserved while the fill runs
 * @param attempts how often it was begun
 * @param owner who has it or had it last, or who asked for it while it is queued
 * @param until when the owner's lease ends unless it is renewed, or null when it does not run
 * @param notBefore from when on it may be claimed, or null when it is not queued
 * @param reason why it failed, the last time or for good, or null
 */
public record FillRow(
        long id,
        String objid,
        @Nullable Long volumeId,
        FillState state,
        long bytes,
        long size,
        int attempts,
        Owner owner,
        @Nullable Instant until,
        @Nullable Instant notBefore,
        @Nullable String reason) {}
