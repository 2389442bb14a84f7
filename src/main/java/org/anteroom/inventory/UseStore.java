package org.anteroom.inventory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** When and how often copies are used, at coarse grain. */
public final class UseStore {
    private static final int BATCH = 500;

    private final Database database;
    private final Duration wait;
    private final InstantSource clock;

    /**
     * Uses in a database.
     *
     * @param wait how long one batch may wait for the database in all
     * @param clock the one by which the uses are told; the database's may be another
     */
    public UseStore(Database database, Duration wait, InstantSource clock) {
        this.database = database;
        this.wait = wait;
        this.clock = clock;
    }

    /**
     * Adds uses to what is known, in batches; those of copies that are gone are left out.
     *
     * @throws DatabaseException with the first batches recorded, maybe
     */
    public void record(Collection<Use> uses) throws DatabaseException {
        // in the order of the keys, so that two writers do not wait for each other crosswise
        List<Use> sorted =
                uses.stream().sorted(Comparator.comparingLong(Use::copyId)).toList();
        for (int from = 0; from < sorted.size(); from += BATCH) {
            List<Use> batch = sorted.subList(from, Math.min(from + BATCH, sorted.size()));
            // how long ago, by the clock of who saw it, is the same by every clock
            long now = clock.millis();
            database.write("record-uses", wait, handle -> record(handle, batch, now));
        }
    }

    private static int record(Handle handle, List<Use> uses, long now) {
        try (PreparedBatch batch = handle.prepareBatch("""
                UPDATE copy_use SET uses = uses + :uses,
                    last_use = CASE WHEN last_use < <now> - :age THEN <now> - :age ELSE last_use END
                WHERE copy_id = :copy_id""")) {
            for (Use use : uses) {
                batch.bind("uses", use.uses())
                        // a clock that was set back meanwhile makes no use of the future
                        .bind("age", Math.max(0, now - use.lastUse().toEpochMilli()))
                        .bind("copy_id", use.copyId())
                        .add();
            }
            return batch.execute().length;
        }
    }
}
