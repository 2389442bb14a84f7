package org.anteroom.inventory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;

/** Deletion plans: their items, and how they are carried out. */
@SuppressWarnings("DoNotCallSuggester")
public final class PlanStore {

    /**
     * Plans in a database.
     *
     * @param wait how long a call may wait for the database in all
     */
    public PlanStore(Database database, Duration wait) {}

    /** The cached copies of a volume that are older than the age, the longest unused first, read by index in pages. */
    public CandidateSource leastRecentlyUsed(long volumeId, Duration minAge) {
        throw new UnsupportedOperationException();
    }

    /**
     * Makes a plan of the first candidates that together free what is asked for; fewer when there are no more. It is
     * written in several short transactions and proposed when it is whole.
     *
     * @param lease the role of the one who plans for the volume
     * @return empty if the lease was lost
     */
    public Optional<PlanRow> create(Lease lease, NewPlan plan, CandidateSource candidates) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** One plan. */
    public Optional<PlanRow> get(long planId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** The plan that is being carried out in a volume. */
    public Optional<PlanRow> running(long volumeId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Items by position.
     *
     * @param after the position to go on after, or 0
     */
    public List<PlanItem> items(long planId, long after, int limit) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Starts a proposed plan or resumes a stopped one.
     *
     * @return false if it is in another state or expired, or if the volume has another running plan
     */
    public boolean start(long planId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Stops a running plan; what it condemned still goes. */
    public boolean stop(long planId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Drops a plan that does not run, with its items. */
    public boolean drop(long planId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Lets plans expire that were not started in time; how many. */
    public int expire() throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Condemns the copies of the next pending items; those that are no longer cached or were used since the plan was
     * made are skipped. A plan without open items is done.
     *
     * @param lease the role of the one who carries out plans in the volume
     * @return empty if the lease is lost or the plan does not run
     */
    public Optional<PlanStep> condemnNext(Lease lease, long planId, int limit) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Notes that a condemned copy could not be deleted. Should that work later, the item is freed all the same. */
    public boolean itemFailed(long copyId, String reason) throws DatabaseException {
        throw new UnsupportedOperationException();
    }
}
