package org.anteroom.archive;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.anteroom.model.FileKey;
import org.jspecify.annotations.Nullable;

/**
 * Files that were opened to learn of them, for whoever reads them next: few, and not for long.
 *
 * <p>What is not wanted is handed back to be closed, since closing may block.
 */
final class ReadyStreams {
    /** How long one waits for its reader. */
    static final Duration KEPT = Duration.ofSeconds(3);

    private final int most;
    private final Ticker ticker;
    private final Map<FileKey, Ready> files = new LinkedHashMap<>();
    private boolean closed;

    private record Ready(OpenedFile file, long since) {}

    ReadyStreams(int most, Ticker ticker) {
        this.most = most;
        this.ticker = ticker;
    }

    /** Whether there is room for one more; there may be none any more when it comes. */
    synchronized boolean hasRoom() {
        return !closed && files.size() < most;
    }

    /** Keeps a file; what it takes the place of, or the file itself if there is no room, is returned. */
    synchronized @Nullable ArchiveStream put(FileKey key, OpenedFile file) {
        if (closed || (files.size() >= most && !files.containsKey(key))) {
            return file.stream();
        }
        Ready old = files.put(key, new Ready(file, ticker.read()));
        return old == null ? null : old.file().stream();
    }

    /** The file for its reader. */
    synchronized @Nullable OpenedFile take(FileKey key) {
        Ready ready = files.remove(key);
        return ready == null ? null : ready.file();
    }

    /** Takes out what has waited for too long. */
    synchronized List<ArchiveStream> expired() {
        List<ArchiveStream> old = new ArrayList<>(0);
        long now = ticker.read();
        for (Iterator<Ready> all = files.values().iterator(); all.hasNext(); ) {
            Ready ready = all.next();
            if (now - ready.since() >= KEPT.toNanos()) {
                all.remove();
                old.add(ready.file().stream());
            }
        }
        return old;
    }

    /** Takes out everything and keeps nothing more. */
    synchronized List<ArchiveStream> close() {
        closed = true;
        List<ArchiveStream> all = new ArrayList<>(files.size());
        files.values().forEach(ready -> all.add(ready.file().stream()));
        files.clear();
        return all;
    }
}
