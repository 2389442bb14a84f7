package org.anteroom.inventory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.anteroom.inventory.Drift.Counters;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;

/** The volumes and their counters. */
public final class VolumeStore {
    private static final String COLUMNS = "id, name, owner, kind, location, marker, capacity, status, used, reserved,"
            + " copies, priority, plan_wanted";

    private static final RowMapper<VolumeRow> ROWS = (row, context) -> new VolumeRow(
            row.getLong("id"),
            row.getString("name"),
            row.getString("owner"),
            row.getString("kind"),
            row.getString("location"),
            row.getString("marker"),
            row.getLong("capacity"),
            VolumeStatus.parse(row.getString("status")),
            row.getLong("used"),
            row.getLong("reserved"),
            row.getLong("copies"),
            row.getInt("priority"),
            row.getLong("plan_wanted"));

    private final Database database;
    private final Duration wait;

    /**
     * Volumes in a database.
     *
     * @param wait how long a call may wait for the database in all
     */
    public VolumeStore(Database database, Duration wait) {
        this.database = database;
        this.wait = wait;
    }

    /**
     * Makes a configured volume known, or brings its row up to date. The status changes only when the configured one is
     * another than last time, so that what an operator set is kept over restarts.
     */
    public VolumeRow register(NewVolume volume) throws DatabaseException {
        return database.write(
                "register-volume",
                wait,
                handle -> handle.createQuery("""
                        INSERT INTO volumes (name, owner, kind, location, capacity, configured, status, priority)
                        VALUES (:name, :owner, :kind, :location, :capacity, :status, :status, :priority)
                        ON CONFLICT (owner, name) DO UPDATE SET
                            kind = excluded.kind,
                            location = excluded.location,
                            capacity = excluded.capacity,
                            priority = excluded.priority,
                            status = CASE WHEN volumes.configured = excluded.configured
                                THEN volumes.status ELSE excluded.configured END,
                            configured = excluded.configured
                        RETURNING\s""" + COLUMNS)
                        .bind("name", volume.name())
                        .bind("owner", volume.owner())
                        .bind("kind", volume.kind())
                        .bind("location", volume.location())
                        .bind("capacity", volume.capacity())
                        .bind("status", volume.status().text())
                        .bind("priority", volume.priority())
                        .map(ROWS)
                        .one());
    }

    /** Sets the status; whether there is such a volume. */
    public boolean setStatus(long id, VolumeStatus status) throws DatabaseException {
        return database.write(
                "set-volume-status",
                wait,
                handle -> handle.createUpdate("UPDATE volumes SET status = :status WHERE id = :id")
                                .bind("status", status.text())
                                .bind("id", id)
                                .execute()
                        == 1);
    }

    /** Gives a volume without identity its identity; false if it has one already. */
    public boolean setMarker(long id, String marker) throws DatabaseException {
        return database.write(
                "set-volume-marker",
                wait,
                handle -> handle.createUpdate("UPDATE volumes SET marker = :marker WHERE id = :id AND marker IS NULL")
                                .bind("marker", marker)
                                .bind("id", id)
                                .execute()
                        == 1);
    }

    /** Every volume, also those that are no longer configured, in the order in which they became known. */
    public List<VolumeRow> all() throws DatabaseException {
        return database.read(
                "list-volumes",
                wait,
                handle -> handle.createQuery("SELECT " + COLUMNS + " FROM volumes ORDER BY id")
                        .map(ROWS)
                        .list());
    }

    /** One volume. */
    public Optional<VolumeRow> get(long id) throws DatabaseException {
        return database.read(
                "get-volume",
                wait,
                handle -> handle.createQuery("SELECT " + COLUMNS + " FROM volumes WHERE id = :id")
                        .bind("id", id)
                        .map(ROWS)
                        .findOne());
    }

    /**
     * The bytes that a plan is wanted for, 0 for none; the wish is taken back by that.
     *
     * @param lease the role of the one who plans for the volume; where it is lost, the wish is another's to take
     */
    public long takePlanWanted(Lease lease, long id) throws DatabaseException {
        return database.write("take-plan-wanted", wait, handle -> {
            if (!LeaseStore.held(handle, lease)) {
                return 0L;
            }
            long wanted = handle.createQuery("SELECT plan_wanted FROM volumes WHERE id = :id")
                    .bind("id", id)
                    .mapTo(Long.class)
                    .findOne()
                    .orElse(0L);
            if (wanted == 0) {
                return 0L;
            }
            int changed = handle.createUpdate(
                            "UPDATE volumes SET plan_wanted = 0 WHERE id = :id AND plan_wanted = :wanted")
                    .bind("id", id)
                    .bind("wanted", wanted)
                    .execute();
            return changed == 1 ? wanted : 0L;
        });
    }

    /**
     * Compares the counters with the rows, in one moment; no writer waits for it.
     *
     * @param wait how long at most: it adds up every copy of the volume
     */
    public Optional<Drift> drift(long id, Duration wait) throws DatabaseException {
        // one statement, since that sees one state of the database
        return database.read(
                "sum-volume",
                wait,
                handle -> handle.createQuery("""
                        SELECT v.used, v.reserved, v.copies, v.recounts,
                            (SELECT COALESCE(SUM(c.size), 0) FROM copies c WHERE c.volume_id = v.id) AS used_sum,
                            (SELECT COALESCE(SUM(f.size), 0) FROM fills f
                                WHERE f.volume_id = v.id AND f.state = 'running') AS reserved_sum,
                            (SELECT COUNT(*) FROM copies c WHERE c.volume_id = v.id) AS copies_sum
                        FROM volumes v WHERE v.id = :id""")
                        .bind("id", id)
                        .map((row, context) -> new Drift(
                                id,
                                new Counters(row.getLong("used"), row.getLong("reserved"), row.getLong("copies")),
                                new Counters(
                                        row.getLong("used_sum"),
                                        row.getLong("reserved_sum"),
                                        row.getLong("copies_sum")),
                                row.getLong("recounts")))
                        .findOne());
    }

    /**
     * Corrects the counters by what was found; false if somebody else corrected them since. What has changed them
     * meanwhile is kept, since the difference is added.
     */
    public boolean repair(Drift drift) throws DatabaseException {
        return database.write(
                "repair-volume",
                wait,
                handle -> handle.createUpdate("""
                                UPDATE volumes SET used = used + :used, reserved = reserved + :reserved,
                                    copies = copies + :copies, recounts = recounts + 1
                                WHERE id = :id AND recounts = :recounts""")
                                .bind(
                                        "used",
                                        drift.summed().used() - drift.counted().used())
                                .bind(
                                        "reserved",
                                        drift.summed().reserved()
                                                - drift.counted().reserved())
                                .bind(
                                        "copies",
                                        drift.summed().copies()
                                                - drift.counted().copies())
                                .bind("id", drift.volumeId())
                                .bind("recounts", drift.recounts())
                                .execute()
                        == 1);
    }

    /** Reserves bytes if the volume is active and has room. */
    static boolean reserve(Handle handle, long id, long bytes) {
        return handle.createUpdate("""
                                UPDATE volumes SET reserved = reserved + :bytes
                                WHERE id = :id AND status = 'active' AND used + reserved + :bytes <= capacity""").bind("bytes", bytes).bind("id", id).execute() == 1;
    }

    /** Gives reserved bytes back. */
    static void unreserve(Handle handle, long id, long bytes) {
        handle.createUpdate("UPDATE volumes SET reserved = reserved - :bytes WHERE id = :id")
                .bind("bytes", bytes)
                .bind("id", id)
                .execute();
    }

    /** Asks for a plan, if the volume could hold so much at all. */
    static void wantPlan(Handle handle, long id, long bytes) {
        handle.createUpdate("""
                        UPDATE volumes SET plan_wanted = :bytes
                        WHERE id = :id AND status = 'active' AND plan_wanted < :bytes AND :bytes <= capacity""").bind("bytes", bytes).bind("id", id).execute();
    }

    /** Counts a copy, for which bytes were reserved. */
    static void copyAdded(Handle handle, long id, long reserved, long size) {
        handle.createUpdate("""
                        UPDATE volumes SET reserved = reserved - :reserved, used = used + :size, copies = copies + 1
                        WHERE id = :id""")
                .bind("reserved", reserved)
                .bind("size", size)
                .bind("id", id)
                .execute();
    }

    /** Counts a copy no more. */
    static void copyRemoved(Handle handle, long id, long size) {
        handle.createUpdate("UPDATE volumes SET used = used - :size, copies = copies - 1 WHERE id = :id")
                .bind("size", size)
                .bind("id", id)
                .execute();
    }
}
