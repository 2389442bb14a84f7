package org.anteroom.admin;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.fill.Caching;
import org.anteroom.http.Page;
import org.anteroom.inventory.CondemnedBy;
import org.anteroom.inventory.CopyState;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.ObjectRow;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;

/** The files that have copies. */
final class ObjectsResource {
    private static final String OBJECTS = "/objects";

    private final CopyStore copies;
    private final FillStore fills;
    private final VolumeStore volumes;
    private final Caching caching;
    private final Locations<?> locations;
    private final ArchiveGate archive;

    ObjectsResource(
            CopyStore copies,
            FillStore fills,
            VolumeStore volumes,
            Caching caching,
            Locations<?> locations,
            ArchiveGate archive) {
        this.copies = copies;
        this.fills = fills;
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
     */
    record View(String objid, long size, @Nullable String sha256, List<CopyView> copies) {}

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

    void get(Call call) throws IOException {
        ObjectRow row = find(call.file(OBJECTS).objid()).orElseThrow(ObjectsResource::unknown);
        call.json(views(List.of(row)).get(0));
    }

    /**
     * Condemns every copy of a file and ends its fills. Readers that are being served go on; other instances may send
     * readers to the copies until their memory of the location is too old.
     */
    void delete(Call call) throws IOException {
        FileKey key = call.file(OBJECTS);
        String objid = key.objid();
        int ended;
        int condemned;
        try {
            // in this order: a fill that completes in between has made a copy that is condemned
            ended = fills.cancel(objid);
            condemned = copies.condemn(objid, CondemnedBy.DELETE).size();
        } finally {
            // also when the database did not answer in time, since it may yet do what it was asked for
            caching.cancel(objid);
            locations.forget(objid);
            archive.forget(key);
        }
        call.did("condemned copies: " + condemned + ", ended fills: " + ended);
        if (ended == 0 && condemned == 0 && find(objid).isEmpty()) {
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
        // read after the copies, so that the volume of each of them is there
        Map<Long, String> names = volumes.all().stream().collect(Collectors.toMap(VolumeRow::id, VolumeRow::name));
        return rows.stream().map(row -> view(row, names)).toList();
    }

    private static View view(ObjectRow row, Map<Long, String> names) {
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
        return new View(row.objid(), facts.size(), digest == null ? null : digest.hex(), views);
    }

    private static ObjectRow.UsedCopy newest(ObjectRow row) {
        List<ObjectRow.UsedCopy> all = row.copies();
        return all.stream()
                .filter(used -> used.copy().state() == CopyState.CACHED)
                .reduce(all.get(all.size() - 1), (older, newer) -> newer);
    }
}
