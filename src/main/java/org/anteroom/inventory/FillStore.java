package org.anteroom.inventory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;

/** The fills: the single flight of the fleet, the reservations, and the leases on them. */
@SuppressWarnings("DoNotCallSuggester")
public final class FillStore {

    /**
     * Fills in a database.
     *
     * @param wait how long a call may wait for the database in all, unless it is told otherwise
     */
    public FillStore(Database database, Duration wait) {}

    /**
     * Begins a fill if one is needed, nobody runs it, and there is room; in one transaction.
     *
     * @param candidates the volumes that may take it, the best first
     */
    public BeginResult begin(NewFill fill, List<Long> candidates, Duration wait) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Keeps a fill for another lease, from now.
     *
     * @param bytes how many are written
     * @return false if it is lost
     */
    public boolean renew(FillTicket ticket, Owner owner, Duration lease, long bytes) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Ends a fill whose copy is durable under its name: the copy gets its row, what was reserved is used, and suspect
     * copies of the file are condemned.
     *
     * @return empty if the fill is lost or the volume has a cached copy already: the owner removes the file that it made
     */
    public Optional<CopyRow> complete(FillTicket ticket, Owner owner, FileFacts facts) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Ends a fill without a copy and gives its bytes back; false if it was lost before. */
    public boolean fail(FillTicket ticket, Owner owner, String reason) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Ends the queued and running fills of a file; how many. Their owners find out later. */
    public int cancel(String objid) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Ends one queued or running fill. */
    public boolean cancel(long fillId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Ends what earlier boots of the same instance left running; how many. */
    public int releaseEarlierBoots(Owner current) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Ends running fills whose lease has run out; how many. */
    public int releaseExpired() throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Whether that owner of a fill may still be at work; if not, its temporary file is dead. */
    public boolean alive(long fillId, long epoch) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Whether a running fill is about to give that name to its copy: such a file without a row is no stray. */
    public boolean expects(long volumeId, String copyName) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Fills, newest first.
     *
     * @param state only those, or null for all
     * @param beforeId the id to go on before, or {@link Long#MAX_VALUE}
     */
    public List<FillRow> list(@Nullable FillState state, long beforeId, int limit) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Forgets fills that ended longer ago; how many, at most the limit. */
    public int pruneEnded(Duration olderThan, int limit) throws DatabaseException {
        throw new UnsupportedOperationException();
    }
}
