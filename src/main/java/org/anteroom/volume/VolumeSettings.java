package org.anteroom.volume;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the configuration says of one volume.
 *
 * @param name its name and identity, {@code [a-z0-9-]+}
 * @param kind the kind of volume, as in {@code volume.NAME.kind}
 * @param location a folder, or the place in an object store
 * @param capacity the most bytes of copies, at least 1
 * @param shared whether every instance uses it; otherwise it is this instance's own
 * @param status {@code active}, {@code read-only}, {@code draining} or {@code offline}
 * @param priority higher is filled first
 * @param maxObjectSize the largest copy in bytes, at least 1; {@link Long#MAX_VALUE} for no limit
 * @param minFree bytes that stay free on the disk itself, whatever the capacity says
 */
public record VolumeSettings(
        String name,
        String kind,
        String location,
        long capacity,
        boolean shared,
        String status,
        int priority,
        long maxObjectSize,
        long minFree) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9-]+");
    private static final Set<String> STATUSES = Set.of("active", "read-only", "draining", "offline");

    /** Checks what the record promises. */
    public VolumeSettings {
        require(NAME.matcher(name).matches(), "a volume's name is lower-case letters, digits and hyphens: " + name);
        require(!kind.isBlank(), "the volume's kind is empty");
        require(!location.isBlank(), "the volume's location is empty");
        require(capacity >= 1, "a volume's capacity is at least 1 byte");
        require(STATUSES.contains(status), "a volume's status is active, read-only, draining or offline: " + status);
        require(maxObjectSize >= 1, "the largest copy is at least 1 byte");
        require(minFree >= 0, "the bytes that stay free are 0 or more");
    }

    /** Whether it is not to be touched. */
    boolean offline() {
        return status.equals("offline");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
