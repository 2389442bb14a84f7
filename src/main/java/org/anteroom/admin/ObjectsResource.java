package org.anteroom.admin;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.fill.Caching;
import org.anteroom.fill.Heads;
import org.anteroom.fill.Prefetch;
import org.anteroom.http.FileTarget;
import org.anteroom.http.Page;
import org.anteroom.inventory.CondemnedBy;
import org.anteroom.inventory.CopyState;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillRow;
import org.anteroom.inventory.FillState;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.ObjectRow;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;

/** The files that have copies. */
final class ObjectsResource {
    private static final String OBJECTS = "/objects";

    private final CopyStore copies;
    private final FillStore fills;
    private final FillQueue queue;
    private final Prefetch prefetch;
    private final Heads heads;
    private final VolumeStore volumes;
    private final Caching caching;
    private final Locations<?> locations;
    private final ArchiveGate archive;

    ObjectsResource(
            CopyStore copies,
            FillStore fills,
            FillQueue queue,
            Prefetch prefetch,
            Heads heads,
            VolumeStore volumes,
            Caching caching,
            Locations<?> locations,
            ArchiveGate archive) {
        this.copies = copies;
        this.fills = fills;
        this.queue = queue;
        this.prefetch = prefetch;
        this.heads = heads;
        this.volumes = volumes;
        this.caching = caching;
        this.locations = locations;
        this.archive = archive;
    }

    /**
     * A file.
     *
     * @param size bytes, of the newest copy that readers are sent to, or else of the newest
     * @param sha256 of the same copy, or null if nobody knows it
     * @param fill the one that is queued or runs; of a file that is asked for alone, else one that failed last; or null
     */
    record View(
            String objid,
            long size,
            @Nullable String sha256,
            List<CopyView> copies,
            @Nullable FillView fill) {}

    /**
     * A copy of it.
     *
     * @param since when it came into its state
     * @param lastUsed when it was last used, or else made
     * @param uses as written to the inventory, which is some seconds behind
     */
    record CopyView(String volume, String state, Instant since, Instant lastUsed, long uses) {}

    void list(Call call) throws IOException {
        Page page = call.page("objects");
        String prefix = Objects.requireNonNullElse(call.parameter("prefix"), "");
        List<ObjectRow> rows = copies.objects(prefix, page.after(), page.limit() + 1);
        call.json(page.of(views(rows), View::objid));
    }

    /** A file, or how far a dataset is. */
    void get(Call call) throws IOException {
        FileTarget target = call.target(OBJECTS);
        if (target instanceof FileTarget.Listing listing) {
            String prefix = await(heads.lookup(listing.folder())).prefix();
            call.json(Dataset.of(prefix, queue.progress(prefix)));
            return;
        }
        String objid = newest(call.file(OBJECTS)).objid();
        Optional<ObjectRow> row = find(objid);
        Optional<FillRow> last = queue.last(objid).filter(fill -> fill.state() != FillState.DONE);
        Optional<FillView> fill = last.isEmpty()
                ? Optional.empty()
                : Optional.of(FillView.of(last.get(), FillsResource.names(volumes), caching.progress()));
        if (row.isPresent()) {
            call.json(view(row.get(), FillsResource.names(volumes), fill.orElse(null)));
        } else {
            FillView only = fill.orElseThrow(ObjectsResource::unknown);
            call.json(new View(objid, only.size(), null, List.of(), only));
        }
    }

    /**
     * How far a dataset, or a folder in it, is.
     *
     * @param prefix what the objids of its files begin with
     * @param cached its cached copies
     * @param done fills that made copies, of the last days
     * @param failed fills that failed, of the last days
     */
    record Dataset(
            String prefix,
            FillQueue.Sum cached,
            FillQueue.Sum queued,
            FillQueue.Sum running,
            FillQueue.Sum done,
            FillQueue.Sum failed) {

        static Dataset of(String prefix, FillQueue.Progress progress) {
            return new Dataset(
                    prefix,
                    progress.cached(),
                    progress.fills(FillState.QUEUED),
                    progress.fills(FillState.RUNNING),
                    progress.fills(FillState.DONE),
                    progress.fills(FillState.FAILED));
        }
    }

    /** Asks for a file, or for all files of a dataset or of a folder in it. */
    void put(Call call) throws IOException {
        FileTarget target = call.target(OBJECTS);
        if (target instanceof FileTarget.File file) {
            put(call, newest(file.key()));
        } else if (target instanceof FileTarget.Listing listing) {
            put(call, await(heads.lookup(listing.folder())));
        } else {
            throw new FailureException(
                    FailureReason.NOT_FOUND,
                    "The address of a dataset, of which all files are meant, ends with a slash.");
        }
    }

    /**
     * What was asked for.
     *
     * @param state {@code cached}, {@code queued} or {@code running}
     * @param fill null if it is cached
     */
    record Asked(String objid, String state, @Nullable FillView fill) {}

    private void put(Call call, FileKey key) throws IOException {
        String objid = key.objid();
        if (prefetch.file(key)) {
            call.did("cached already");
            call.json(new Asked(objid, "cached", null));
            return;
        }
        // it may have been made, and the row forgotten, by now
        Optional<FillRow> row = queue.last(objid);
        call.did("asked for");
        call.accepted(
                row.isEmpty()
                        ? new Asked(objid, FillState.QUEUED.text(), null)
                        : new Asked(
                                objid,
                                row.get().state().text(),
                                FillView.of(row.get(), FillsResource.names(volumes), caching.progress())));
    }

    private void put(Call call, FolderKey folder) throws IOException {
        Page page = call.page(OBJECTS + '/' + folder.prefix());
        Prefetch.Walked walked;
        try {
            walked = prefetch.folder(folder, page.after());
        } catch (IllegalArgumentException e) {
            throw new FailureException(
                    FailureReason.MALFORMED, "The value of after is none that was given out here.", e);
        }
        call.did("files: " + walked.files() + ", queued: " + walked.queued());
        String next = walked.next();
        call.accepted(new Prefetch.Walked(
                walked.files(),
                walked.bytes(),
                walked.queued(),
                walked.active(),
                walked.cached(),
                walked.skipped(),
                next == null ? null : page.next(next)));
    }

    /** The key of the newest version, where it names none. */
    private FileKey newest(FileKey key) throws IOException {
        return await(heads.lookup(key)).key();
    }

    private static <T> T await(CompletableFuture<T> answer) throws IOException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw ArchiveGate.failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the archive");
        }
    }

    /**
     * Condemns every copy of a file, of all versions if none is named, and ends its fills. Readers that are being served go on; other instances may send
     * readers to the copies until their memory of the location is too old.
     */
    void delete(Call call) throws IOException {
        FileKey asked = heads.spelled(call.file(OBJECTS));
        List<FileKey> keys = new ArrayList<>(List.of(asked));
        if (asked.version() == null && archive.hasVersions()) {
            keys.addAll(copies.versions(asked));
        }
        int ended = 0;
        int condemned = 0;
        boolean known = keys.size() > 1;
        for (FileKey key : keys) {
            String objid = key.objid();
            try {
                // in this order: a fill that completes in between has made a copy that is condemned
                ended += fills.cancel(objid);
                condemned += copies.condemn(objid, CondemnedBy.DELETE).size();
            } finally {
                // also when the database did not answer in time, since it may yet do what it was asked for
                caching.cancel(objid);
                locations.forget(objid);
                archive.forget(key);
            }
        }
        call.did("condemned copies: " + condemned + ", ended fills: " + ended);
        if (ended == 0 && condemned == 0 && !known && find(asked.objid()).isEmpty()) {
            throw unknown();
        }
        call.noContent();
    }

    /** The file is the first of those that begin with its own id. */
    private Optional<ObjectRow> find(String objid) throws DatabaseException {
        return copies.objects(objid, "", 1).stream()
                .filter(row -> row.objid().equals(objid))
                .findFirst();
    }

    private static FailureException unknown() {
        return new FailureException(FailureReason.NOT_FOUND, "There is no copy of such a file.");
    }

    private List<View> views(List<ObjectRow> rows) throws DatabaseException {
        if (rows.isEmpty()) {
            return List.of();
        }
        Map<String, FillRow> active =
                queue.active(rows.stream().map(ObjectRow::objid).toList());
        Map<Long, Long> progress = caching.progress();
        // read after the copies, so that the volume of each of them is there
        Map<Long, String> names = FillsResource.names(volumes);
        return rows.stream()
                .map(row -> {
                    FillRow fill = active.get(row.objid());
                    return view(row, names, fill == null ? null : FillView.of(fill, names, progress));
                })
                .toList();
    }

    private static View view(ObjectRow row, Map<Long, String> names, @Nullable FillView fill) {
        FileFacts facts = newest(row).copy().facts();
        Sha256 digest = facts.sha256();
        List<CopyView> views = row.copies().stream()
                .map(used -> new CopyView(
                        Objects.requireNonNull(names.get(used.copy().volumeId())),
                        used.copy().state().text(),
                        used.copy().since(),
                        used.lastUse(),
                        used.uses()))
                .toList();
        return new View(row.objid(), facts.size(), digest == null ? null : digest.hex(), views, fill);
    }

    private static ObjectRow.UsedCopy newest(ObjectRow row) {
        List<ObjectRow.UsedCopy> all = row.copies();
        return all.stream()
                .filter(used -> used.copy().state() == CopyState.CACHED)
                .reduce(all.get(all.size() - 1), (older, newer) -> newer);
    }
}
