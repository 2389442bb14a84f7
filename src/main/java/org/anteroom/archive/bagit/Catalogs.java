package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * The catalog of the archive's folder, read anew when the folder has changed.
 *
 * <p>A folder's time of change is coarse, so that one read within {@link #SETTLES} of it may have changed again under the
 * same time: it is read at each asking until then. Readings are shared, but only by who asked before they began.
 *
 * <p>A folder that is missing, unreadable or empty is taken for a disk that is not mounted: then nothing is "not found", the
 * archive has failed.
 */
final class Catalogs {
    /** The most files and folders in the archive's folder. */
    static final int MOST_NAMES = 2_000_000;

    static final Duration SETTLES = Duration.ofSeconds(2);

    private final Path root;
    private final Disk disk;
    private final InstantSource clock;
    private final AtomicReference<@Nullable CompletableFuture<Known>> reading = new AtomicReference<>();
    private volatile @Nullable Known known;

    /** A catalog as it was read. */
    private record Known(Catalog catalog, Path folder, FileState state, Instant readAt) {
        boolean isStill(Path nowFolder, FileState now) {
            return folder.equals(nowFolder)
                    && state.equals(now)
                    && !readAt.isBefore(now.modified().plus(SETTLES));
        }
    }

    Catalogs(Path root, Disk disk, InstantSource clock) {
        this.root = root;
        this.disk = disk;
        this.clock = clock;
    }

    /** What lies in the folder now. */
    Catalog current() throws IOException {
        Known last = known;
        if (last != null) {
            Path folder = folder();
            if (last.isStill(folder, state(folder))) {
                return last.catalog;
            }
        }
        boolean beganAfterMyAsking = false;
        while (true) {
            CompletableFuture<Known> mine = new CompletableFuture<>();
            CompletableFuture<Known> running = reading.compareAndExchange(null, mine);
            if (running == null) {
                return readFor(mine).catalog;
            }
            Known read = await(running);
            if (beganAfterMyAsking) {
                return read.catalog;
            }
            beganAfterMyAsking = true;
        }
    }

    private Known readFor(CompletableFuture<Known> mine) throws IOException {
        try {
            Known read = read();
            known = read;
            reading.set(null);
            mine.complete(read);
            return read;
        } catch (IOException | RuntimeException | Error e) {
            reading.set(null);
            mine.completeExceptionally(e);
            throw e;
        }
    }

    private static Known await(CompletableFuture<Known> running) throws IOException {
        try {
            return running.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException failure ? failure : away(e);
        }
    }

    private Known read() throws IOException {
        Path folder = folder();
        FileState before = state(folder);
        Instant readAt = clock.instant();
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> all = disk.entries(folder)) {
            for (Path path : all) {
                if (names.size() == MOST_NAMES) {
                    throw new FailureException(
                            FailureReason.ARCHIVE_FAILED,
                            "The archive has more bags than can be served.",
                            new IOException("more than " + MOST_NAMES + " names in one folder"));
                }
                names.add(path.getFileName().toString());
            }
        } catch (DirectoryIteratorException e) {
            throw away(e);
        } catch (FailureException e) {
            throw e;
        } catch (IOException e) {
            throw away(e);
        }
        if (names.isEmpty()) {
            throw new FailureException(FailureReason.ARCHIVE_FAILED, "The archive is empty; it may not be mounted.");
        }
        return new Known(new Catalog(names), folder, before, readAt);
    }

    /** Where the archive's folder really lies. */
    Path folder() throws FailureException {
        try {
            return disk.real(root);
        } catch (IOException e) {
            throw away(e);
        }
    }

    private FileState state(Path folder) throws FailureException {
        try {
            return disk.state(folder);
        } catch (IOException e) {
            throw away(e);
        }
    }

    private static FailureException away(Throwable e) {
        return new FailureException(FailureReason.ARCHIVE_FAILED, "The archive is not there.", e);
    }
}
