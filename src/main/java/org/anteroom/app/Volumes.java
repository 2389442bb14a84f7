package org.anteroom.app;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.anteroom.config.Settings;
import org.anteroom.config.StorePlace;
import org.anteroom.metrics.Metrics;
import org.anteroom.s3.S3Clients;
import org.anteroom.tasks.Tasks;
import org.anteroom.volume.Volume;
import org.anteroom.volume.VolumeSettings;
import org.anteroom.volume.fs.FilesystemVolume;
import org.anteroom.volume.s3.S3Volume;
import org.anteroom.volume.s3.Spool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The kinds of volumes that there are, and what those in object stores have in common. */
final class Volumes {
    private static final Logger log = LoggerFactory.getLogger(Volumes.class);

    /** Parts of copies that are sent at once before the fills are at their ends. */
    private static final int UPLOADS = 8;

    private static final int WAITING_UPLOADS = 1024;

    private final Map<String, StorePlace> stored;
    private final S3Clients stores;
    private final Spool spool;
    private final Executor uploads;
    private final Ticker ticker;

    Volumes(Settings settings, S3Clients stores, Tasks tasks, Metrics metrics, Ticker ticker) {
        this.stored = settings.stores().volumes();
        this.stores = stores;
        this.spool = new Spool(settings.stores().spool());
        this.ticker = ticker;
        if (stored.isEmpty()) {
            this.uploads = work -> {
                throw new RejectedExecutionException("there is no object store");
            };
        } else {
            this.uploads = tasks.pool("s3-upload", UPLOADS, WAITING_UPLOADS);
        }
        metrics.gauge("anteroom_spool_bytes", "Bytes of copies that grow in the spool", spool::used);
        metrics.gauge("anteroom_spool_limit_bytes", "The most bytes in the spool", spool::limit);
    }

    /** The volume that is configured; it may be away. */
    Volume of(VolumeSettings volume) {
        StorePlace place = stored.get(volume.name());
        if (place == null) {
            return new FilesystemVolume(volume.name(), Path.of(volume.location()));
        }
        return new S3Volume(
                volume.name(),
                stores.bucket(place.location(), place.store()),
                place.location().prefix(),
                volume.maxObjectSize(),
                spool,
                uploads,
                ticker);
    }

    /** Removes what is left in the spool; no copy is made after. */
    void close() {
        try {
            spool.close();
        } catch (IOException e) {
            log.warn("The spool is left to the next start to clear: {}", e.toString());
        }
    }
}
