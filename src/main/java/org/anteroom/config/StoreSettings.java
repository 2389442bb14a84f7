package org.anteroom.config;

import java.util.Map;
import org.anteroom.volume.s3.SpoolSettings;
import org.jspecify.annotations.Nullable;

/**
 * What lies in object stores.
 *
 * @param archive where the archive is in one; else null
 * @param volumes those of the volumes that are in one, by name
 * @param spool where copies for them lie while they are being made
 */
public record StoreSettings(@Nullable StorePlace archive, Map<String, StorePlace> volumes, SpoolSettings spool) {

    /** Copies the map. */
    public StoreSettings {
        volumes = Map.copyOf(volumes);
    }
}
