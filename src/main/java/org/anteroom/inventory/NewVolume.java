package org.anteroom.inventory;

/**
 * A volume as the configuration has it.
 *
 * @param owner empty for a shared volume, else the instance that it belongs to
 * @param location where it is, for people
 * @param capacity bytes, at least 1
 */
public record NewVolume(
        String name, String owner, String kind, String location, long capacity, VolumeStatus status, int priority) {

    /** Checks what the record promises. */
    public NewVolume {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a volume has a name");
        }
        if (capacity < 1) {
            throw new IllegalArgumentException("a volume has a capacity of at least one byte, not " + capacity);
        }
    }
}
