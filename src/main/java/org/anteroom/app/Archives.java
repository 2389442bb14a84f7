package org.anteroom.app;

import com.github.benmanes.caffeine.cache.Ticker;
import java.nio.file.Path;
import org.anteroom.archive.Archive;
import org.anteroom.archive.directory.DirectoryArchive;
import org.anteroom.archive.http.HttpArchive;
import org.anteroom.archive.http.HttpArchiveSettings;
import org.anteroom.config.Settings;
import org.anteroom.tasks.Tasks;

/** The kinds of archives that there are. */
final class Archives {
    private Archives() {}

    /** The archive that is configured; it may be away. */
    static Archive of(Settings settings, Tasks tasks, Ticker ticker) {
        HttpArchiveSettings server = settings.archiveServer();
        return server == null
                ? new DirectoryArchive(Path.of(settings.archive().location()))
                : new HttpArchive(server, tasks, ticker);
    }
}
