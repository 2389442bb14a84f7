package org.anteroom.app;

import com.github.benmanes.caffeine.cache.Ticker;
import java.nio.file.Path;
import java.time.InstantSource;
import org.anteroom.archive.Archive;
import org.anteroom.archive.bagit.BagitArchive;
import org.anteroom.archive.directory.DirectoryArchive;
import org.anteroom.archive.http.HttpArchive;
import org.anteroom.archive.http.HttpArchiveSettings;
import org.anteroom.archive.s3.S3Archive;
import org.anteroom.config.Settings;
import org.anteroom.config.StorePlace;
import org.anteroom.s3.S3Clients;
import org.anteroom.tasks.Tasks;

/** The kinds of archives that there are. */
final class Archives {
    private Archives() {}

    /** The archive that is configured; it may be away. */
    static Archive of(Settings settings, S3Clients stores, Tasks tasks, InstantSource clock, Ticker ticker) {
        HttpArchiveSettings server = settings.archiveServer();
        if (server != null) {
            return new HttpArchive(server, tasks, ticker);
        }
        StorePlace place = settings.stores().archive();
        if (place != null) {
            return new S3Archive(
                    stores.bucket(place.location(), place.store()),
                    place.location().prefix());
        }
        Path folder = Path.of(settings.archive().location());
        return settings.archive().kind().equals("bagit")
                ? new BagitArchive(folder, settings.bagit(), clock, ticker)
                : new DirectoryArchive(folder);
    }
}
