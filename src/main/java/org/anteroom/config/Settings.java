package org.anteroom.config;

import java.nio.file.Path;
import java.util.List;
import org.anteroom.archive.ArchiveSettings;
import org.anteroom.archive.bagit.BagitSettings;
import org.anteroom.archive.http.HttpArchiveSettings;
import org.anteroom.delivery.HeaderSettings;
import org.anteroom.eviction.EvictionSettings;
import org.anteroom.fill.CachingSettings;
import org.anteroom.fill.FillSettings;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.CorsSettings;
import org.anteroom.http.DeliverySettings;
import org.anteroom.inventory.InventorySettings;
import org.anteroom.volume.VolumeSettings;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is configured, checked alone and against each other.
 *
 * @param home the folder of what needs no configuration, {@code ${catalina.base}/anteroom}; it need not exist
 * @param sampleArchive true where the archive is the default one, the directory {@code home/archive}, which may be filled with
 *     samples
 * @param archiveServer where the archive is another server; else null
 * @param bagit what an archive of bags needs besides; of no use for others
 * @param stores the archive and volumes that are in object stores
 * @param volumes in the order of the key {@code volumes}; folders are absolute
 */
public record Settings(
        Path home,
        boolean sampleArchive,
        InstanceSettings instance,
        ArchiveSettings archive,
        @Nullable HttpArchiveSettings archiveServer,
        BagitSettings bagit,
        StoreSettings stores,
        List<VolumeSettings> volumes,
        FillSettings fill,
        CachingSettings caching,
        InventorySettings inventory,
        EvictionSettings eviction,
        DeliverySettings delivery,
        HeaderSettings headers,
        CorsSettings cors,
        AccessSettings access) {

    /** Makes the list unchangeable. */
    public Settings {
        volumes = List.copyOf(volumes);
    }
}
