package org.anteroom.fill;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.anteroom.archive.Archive;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.Owner;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;

/** Asking for files that no reader waits for: a single one, or all of a dataset. */
public final class Prefetch {
    /** Datasets that are walked through at once, at most. */
    static final int MOST_WALKS = 4;

    private final Archive archive;
    private final FillQueue queue;
    private final Owner owner;
    private final Supplier<Set<Long>> volumes;
    private final Runnable wake;
    private final Duration longestWalk;
    private final Semaphore walks = new Semaphore(MOST_WALKS);

    /**
     * Asking through the queue.
     *
     * @param archive as background work reads it
     * @param volumes the volumes that this instance has by now
     * @param wake lets the queue be looked at
     * @param longestWalk how long one call goes through a dataset
     */
    public Prefetch(
            Archive archive,
            FillQueue queue,
            Owner owner,
            Supplier<Set<Long>> volumes,
            Runnable wake,
            Duration longestWalk) {
        this.archive = archive;
        this.queue = queue;
        this.owner = owner;
        this.volumes = volumes;
        this.wake = wake;
        this.longestWalk = longestWalk;
    }

    /**
     * Asks for a file.
     *
     * @return whether there is a copy already; else it is queued or being filled
     * @throws FailureException NOT_FOUND if the archive lacks it; CONFLICT if it cannot be cached
     */
    public boolean file(FileKey key) throws IOException {
        FileFacts facts = archive.head(key);
        if (!facts.hasSize()) {
            throw new FailureException(
                    FailureReason.CONFLICT, "The archive does not tell the file's length, so it cannot be cached.");
        }
        FillQueue.Added added = queue.add(List.of(new FillQueue.Wish(key.objid(), facts.size())), owner, volumes.get());
        if (added.cached().isEmpty()) {
            wake.run();
            return false;
        }
        return true;
    }

    /**
     * What came of a walk through a dataset.
     *
     * @param files that were met
     * @param bytes of these
     * @param queued those that are queued by this call
     * @param active those that were queued or being filled already
     * @param cached those that have copies
     * @param skipped those whose length the archive does not tell, and entries that no request can name
     * @param next where to go on, or null if all was met
     */
    public record Walked(
            long files,
            long bytes,
            long queued,
            long active,
            long cached,
            long skipped,
            @Nullable String next) {}

    /**
     * Asks for all files of a dataset, or of a folder in it, for a bounded time: with what remains the caller goes on. Each
     * call comes further than the one before.
     *
     * @param position where an earlier call ended, or the empty string
     * @throws FailureException NOT_FOUND if the archive has no such folder; OVERLOADED if too many are walked through
     * @throws IllegalArgumentException if no call can have ended there
     */
    public Walked folder(FolderKey folder, String position) throws IOException {
        DatasetWalk walk = new DatasetWalk(archive, folder, position);
        if (!walks.tryAcquire()) {
            throw new FailureException(
                    FailureReason.OVERLOADED, "Other datasets are being asked for; try again in a moment.");
        }
        try {
            return walk(walk);
        } finally {
            walks.release();
        }
    }

    private Walked walk(DatasetWalk walk) throws IOException {
        long begun = System.nanoTime();
        String start = walk.position();
        Walked sum = new Walked(0, 0, 0, 0, 0, 0, null);
        do {
            sum = add(sum, walk.next(FillQueue.MOST_ADDED));
        } while (walk.hasMore()
                && (System.nanoTime() - begun < longestWalk.toNanos()
                        || walk.position().equals(start)));
        return new Walked(
                sum.files(),
                sum.bytes(),
                sum.queued(),
                sum.active(),
                sum.cached(),
                sum.skipped() + walk.unreachable(),
                walk.hasMore() ? walk.position() : null);
    }

    private Walked add(Walked sum, List<DatasetWalk.Found> found) throws IOException {
        List<FillQueue.Wish> wishes = new ArrayList<>();
        long bytes = 0;
        for (DatasetWalk.Found file : found) {
            if (file.facts().hasSize()) {
                wishes.add(new FillQueue.Wish(file.key().objid(), file.facts().size()));
                bytes += file.facts().size();
            }
        }
        FillQueue.Added added = queue.addOfDataset(wishes, owner, volumes.get());
        if (!added.queued().isEmpty()) {
            wake.run();
        }
        return new Walked(
                sum.files() + found.size(),
                sum.bytes() + bytes,
                sum.queued() + added.queued().size(),
                sum.active() + added.active().size(),
                sum.cached() + added.cached().size(),
                sum.skipped() + found.size() - wishes.size(),
                null);
    }
}
