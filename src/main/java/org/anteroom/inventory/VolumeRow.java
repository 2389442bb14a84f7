package org.anteroom.inventory;

import org.jspecify.annotations.Nullable;

/**
 * A volume as the inventory knows it.
 *
 * @param owner empty for a shared volume, else the only instance that has it; (owner, name) is the volume's identity
 * @param marker the identity that the volume itself must carry, or null while it was never used
 * @param capacity bytes that copies may take in all
 * @param used bytes of the copies that have a row, in whatever state
 * @param reserved bytes of the running fills
 * @param copies copies that have a row, in whatever state
 * @param priority fills go to the higher one first
 * @param planWanted bytes that a fill found no room for; 0 when none asks for a plan
 */
public record VolumeRow(
        long id,
        String name,
        String owner,
        String kind,
        String location,
        @Nullable String marker,
        long capacity,
        VolumeStatus status,
        long used,
        long reserved,
        long copies,
        int priority,
        long planWanted) {

    /** Bytes that can still be reserved; negative when a smaller capacity was set. */
    public long free() {
        return capacity - used - reserved;
    }
}
