package org.anteroom.inventory;

import java.time.Duration;
import java.util.Optional;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;

/** Roles that one owner in the fleet has at a time, by the database's clock. */
@SuppressWarnings("DoNotCallSuggester")
public final class LeaseStore {

    /**
     * Leases in a database.
     *
     * @param wait how long a call may wait for the database in all
     */
    public LeaseStore(Database database, Duration wait) {}

    /** Takes a role that nobody has, for a while; not even its owner can take it a second time. */
    public Optional<Lease> acquire(String name, Owner owner, Duration duration) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Keeps a role, from now; false if it is lost. */
    public boolean renew(Lease lease, Duration duration) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Gives a role up; nothing happens if it is lost. */
    public void release(Lease lease) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Who has a role. */
    public Optional<Owner> holder(String name) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Gives up the roles of earlier boots of the same instance; how many. */
    public int releaseEarlierBoots(Owner current) throws DatabaseException {
        throw new UnsupportedOperationException();
    }
}
