package org.anteroom.inventory;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The copies, their states, and the changes from one to the next. */
public final class CopyStore {
    private final Database database;
    private final Duration wait;

    /**
     * Copies in a database.
     *
     * @param wait how long a call may wait for the database in all, unless it is told otherwise
     */
    public CopyStore(Database database, Duration wait) {
        this.database = database;
        this.wait = wait;
    }

    /** The cached copies of a file, newest first. */
    public List<CopyRow> find(String objid, Duration wait) throws DatabaseException {
        return database.read(
                "find-copies",
                wait,
                handle -> handle.createQuery("SELECT " + Rows.COPY + " FROM copies c"
                                + " WHERE c.objid = :objid AND c.state = 'cached' ORDER BY c.filled_at DESC, c.id DESC")
                        .bind("objid", objid)
                        .map(Rows.copies())
                        .list());
    }

    /**
     * What is known of the newest cached copies whose checksum is known, by objid.
     *
     * @param objids at least one and at most a thousand
     */
    public Map<String, FileFacts> checksummed(Collection<String> objids, Duration wait) throws DatabaseException {
        return database.read("find-checksums", wait, handle -> {
            Map<String, FileFacts> facts = new HashMap<>();
            handle.createQuery("SELECT " + Rows.COPY + " FROM copies c WHERE c.objid IN (<objids>)"
                            + " AND c.state = 'cached' AND c.sha256 IS NOT NULL ORDER BY c.filled_at, c.id")
                    .bindList("objids", List.copyOf(objids))
                    .map(Rows.copies())
                    .forEach(copy -> facts.put(copy.objid(), copy.facts()));
            return facts;
        });
    }

    /**
     * Condemns every copy of a file that is not on its way out for good, also those that eviction condemned, so that
     * they can no longer be rescued. To delete a file, cancel its fills first.
     *
     * @return their ids
     */
    public List<Long> condemn(String objid, CondemnedBy by) throws DatabaseException {
        return database.write(
                "condemn-copies",
                wait,
                handle -> handle.createQuery("""
                        UPDATE copies SET state = 'condemned', condemned_by = :by,
                            since = CASE WHEN state = 'condemned' THEN since ELSE <now> END
                        WHERE id IN (SELECT id FROM copies
                            WHERE objid = :objid AND (state IN ('cached', 'suspect')
                                OR (state = 'condemned' AND condemned_by = 'eviction'))
                            ORDER BY id <for_update>)
                        RETURNING id""")
                        .bind("by", by.text())
                        .bind("objid", objid)
                        .mapTo(Long.class)
                        .list());
    }

    /** Condemns one copy that is cached or suspect. */
    public boolean condemn(long copyId, CondemnedBy by) throws DatabaseException {
        return database.write(
                "condemn-copy",
                wait,
                handle -> handle.createUpdate("""
                                UPDATE copies SET state = 'condemned', condemned_by = :by, since = <now>
                                WHERE id = :id AND state IN ('cached', 'suspect')""")
                                .bind("by", by.text())
                                .bind("id", copyId)
                                .execute()
                        == 1);
    }

    /** Removes the row of a copy that is not in its volume any more, in whatever state, and gives its bytes back. */
    public boolean removeMissing(long copyId, Duration wait) throws DatabaseException {
        return database.write(
                "remove-missing",
                wait,
                handle -> remove(handle, copyId, "", ItemState.SKIPPED, "the copy was not in the volume"));
    }

    /** Sends no more readers to a cached copy that was found short or wrong. */
    public boolean suspect(long copyId) throws DatabaseException {
        return database.write(
                "suspect-copy",
                wait,
                handle -> handle.createUpdate(
                                        "UPDATE copies SET state = 'suspect', since = <now> WHERE id = :id AND state = 'cached'")
                                .bind("id", copyId)
                                .execute()
                        == 1);
    }

    /**
     * Files with copies in any state, by objid in the order of code points.
     *
     * @param prefix what the objid begins with, literally
     * @param after the objid to go on after, or the empty string
     * @param limit the most files
     */
    public List<ObjectRow> objects(String prefix, String after, int limit) throws DatabaseException {
        boolean inside = compare(after, prefix) >= 0 && !after.isEmpty();
        String end = Prefixes.end(prefix);
        String sql = "SELECT " + Rows.COPY + ", u.last_use, u.uses FROM copies c"
                + " LEFT JOIN copy_use u ON u.copy_id = c.id WHERE c.objid IN (SELECT DISTINCT objid FROM copies"
                + (inside ? " WHERE objid > :start" : " WHERE objid >= :start")
                + (end == null ? "" : " AND objid < :end")
                + " ORDER BY objid LIMIT :limit) ORDER BY c.objid, c.id";
        return database.read("list-objects", wait, handle -> {
            Query query = handle.createQuery(sql)
                    .bind("start", inside ? after : prefix)
                    .bind("limit", limit);
            return grouped(end == null ? query : query.bind("end", end));
        });
    }

    /**
     * The versions of a file that have copies in any state, or fills that are queued or run.
     *
     * @param key without a version; it is not among them itself
     */
    public List<FileKey> versions(FileKey key) throws DatabaseException {
        String prefix = FileKey.encode(key.dataset()) + '@';
        String suffix = '/' + key.path();
        String inRange = "objid >= :start AND objid < :end AND substr(objid, length(objid) - :length + 1) = :suffix";
        return database.read(
                "find-versions",
                wait,
                handle -> handle.createQuery(
                                "SELECT objid FROM copies WHERE " + inRange + " UNION SELECT objid FROM fills"
                                        + " WHERE state IN ('queued', 'running') AND " + inRange + " ORDER BY objid")
                        .bind("start", prefix)
                        .bind("end", Prefixes.end(prefix))
                        .bind("length", suffix.codePointCount(0, suffix.length()))
                        .bind("suffix", suffix)
                        .mapTo(String.class)
                        .map(FileKey::parse)
                        .filter(version -> version.path().equals(key.path()))
                        .list());
    }

    private static int compare(String a, String b) {
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    private static List<ObjectRow> grouped(Query query) {
        Map<String, List<ObjectRow.UsedCopy>> groups = new LinkedHashMap<>();
        query.map((row, context) -> {
                    CopyRow copy = Rows.copies().map(row, context);
                    Instant lastUse = Rows.time(row, "last_use");
                    return new ObjectRow.UsedCopy(
                            copy, lastUse == null ? copy.filledAt() : lastUse, row.getLong("uses"));
                })
                .forEach(used -> groups.computeIfAbsent(used.copy().objid(), objid -> new ArrayList<>())
                        .add(used));
        return groups.entrySet().stream()
                .map(group -> new ObjectRow(group.getKey(), group.getValue()))
                .toList();
    }

    /**
     * Copies whose time has come: condemned for longer than the grace, or left in deletion.
     *
     * @param afterId the id to go on after, or 0
     */
    public List<CopyRow> due(long volumeId, Duration grace, long afterId, int limit) throws DatabaseException {
        return database.read(
                "due-copies",
                wait,
                handle -> handle.createQuery("SELECT " + Rows.COPY + """
                                 FROM copies c
                                WHERE c.volume_id = :volume AND c.id > :after AND c.state IN ('condemned', 'deleting')
                                    AND (c.state = 'deleting' OR c.since <= <now> - :grace)
                                ORDER BY c.id LIMIT :limit""")
                        .bind("volume", volumeId)
                        .bind("after", afterId)
                        .bind("grace", grace.toMillis())
                        .bind("limit", limit)
                        .map(Rows.copies())
                        .list());
    }

    /**
     * Begins the deletion of a copy that is condemned for longer than the grace.
     *
     * @return false if it must not be deleted: it is rescued, by this call when eviction condemned it and it was used
     *     since, or it is condemned anew, or gone
     */
    public boolean beginDeleting(long copyId, Duration grace) throws DatabaseException {
        return database.write("begin-deleting", wait, handle -> {
            boolean used = handle.createQuery("""
                            SELECT 1 FROM copies c JOIN copy_use u ON u.copy_id = c.id
                            WHERE c.id = :id AND c.condemned_by = 'eviction' AND u.last_use > c.since""")
                    .bind("id", copyId)
                    .mapTo(Integer.class)
                    .findOne()
                    .isPresent();
            if (used && rescue(handle, copyId)) {
                return false;
            }
            return handle.createUpdate("""
                                    UPDATE copies SET state = 'deleting', since = <now>
                                    WHERE id = :id AND state = 'condemned' AND since <= <now> - :grace""")
                            .bind("id", copyId)
                            .bind("grace", grace.toMillis())
                            .execute()
                    == 1;
        });
    }

    /** Takes back what eviction did to a copy; false if it was not that, or if the volume has another cached copy. */
    public boolean rescue(long copyId) throws DatabaseException {
        return database.write("rescue-copy", wait, handle -> rescue(handle, copyId));
    }

    /** Ends the deletion of a copy whose file is gone: the row goes, the bytes are given back. */
    public boolean deleted(long copyId) throws DatabaseException {
        return database.write(
                "copy-deleted",
                wait,
                handle -> remove(handle, copyId, " AND state = 'deleting'", ItemState.FREED, null));
    }

    /**
     * Rows of a volume by name in ascending order, in any state, for comparing them with the volume.
     *
     * @param afterName the name to go on after, or the empty string
     */
    public List<CopyRow> names(long volumeId, String afterName, int limit) throws DatabaseException {
        return database.read(
                "copies-by-name",
                wait,
                handle -> handle.createQuery("SELECT " + Rows.COPY + " FROM copies c"
                                + " WHERE c.volume_id = :volume AND c.name > :after ORDER BY c.name LIMIT :limit")
                        .bind("volume", volumeId)
                        .bind("after", afterName)
                        .bind("limit", limit)
                        .map(Rows.copies())
                        .list());
    }

    static boolean rescue(Handle handle, long copyId) {
        int changed = handle.createUpdate("""
                        UPDATE copies SET state = 'cached', condemned_by = NULL, since = <now>
                        WHERE id = :id AND state = 'condemned' AND condemned_by = 'eviction'
                            AND NOT EXISTS (SELECT 1 FROM copies o WHERE o.objid = copies.objid
                                AND o.volume_id = copies.volume_id AND o.state = 'cached')""").bind("id", copyId).execute();
        if (changed == 1) {
            PlanItems.settle(handle, copyId, ItemState.SKIPPED, "used before it was deleted");
        }
        return changed == 1;
    }

    private static boolean remove(
            Handle handle, long copyId, String condition, ItemState item, @Nullable String reason) {
        record Gone(long volumeId, long size) {}
        List<Gone> gone = handle.createQuery(
                        "DELETE FROM copies WHERE id = :id" + condition + " RETURNING volume_id, size")
                .bind("id", copyId)
                .map((row, context) -> new Gone(row.getLong("volume_id"), row.getLong("size")))
                .list();
        for (Gone copy : gone) {
            PlanItems.settle(handle, copyId, item, reason);
            VolumeStore.copyRemoved(handle, copy.volumeId(), copy.size());
        }
        return !gone.isEmpty();
    }
}
