package org.anteroom.inventory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;

/** The cached copies of a volume from the longest unused on, by the index of last use; no page reads an earlier one. */
final class LeastRecentlyUsed implements CandidateSource {
    private final Database database;
    private final Duration wait;
    private final long volumeId;
    private final Duration minAge;
    private long lastUse = Long.MIN_VALUE;
    private long copyId;

    LeastRecentlyUsed(Database database, Duration wait, long volumeId, Duration minAge) {
        this.database = database;
        this.wait = wait;
        this.volumeId = volumeId;
        this.minAge = minAge;
    }

    @Override
    public List<Candidate> next(int limit) throws DatabaseException {
        List<Candidate> page = database.read(
                "lru-candidates",
                wait,
                handle -> handle.createQuery("""
                        SELECT u.copy_id, c.objid, c.size, u.last_use, u.uses, c.filled_at
                        FROM copy_use u JOIN copies c ON c.id = u.copy_id
                        WHERE u.volume_id = :volume AND (u.last_use, u.copy_id) > (:last_use, :copy_id)
                            AND c.state = 'cached' AND c.filled_at <= <now> - :age
                        ORDER BY u.last_use, u.copy_id LIMIT :limit""")
                        .bind("volume", volumeId)
                        .bind("last_use", lastUse)
                        .bind("copy_id", copyId)
                        .bind("age", minAge.toMillis())
                        .bind("limit", limit)
                        .map((row, context) -> new Candidate(
                                row.getLong("copy_id"),
                                row.getString("objid"),
                                row.getLong("size"),
                                Instant.ofEpochMilli(row.getLong("last_use")),
                                row.getLong("uses"),
                                Instant.ofEpochMilli(row.getLong("filled_at"))))
                        .list());
        if (!page.isEmpty()) {
            Candidate last = page.get(page.size() - 1);
            lastUse = last.lastUse().toEpochMilli();
            copyId = last.copyId();
        }
        return page;
    }
}
