package org.anteroom.inventory;

import java.time.Duration;
import java.util.Collection;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;

/** When and how often copies are used, at coarse grain. */
@SuppressWarnings("DoNotCallSuggester")
public final class UseStore {

    /**
     * Uses in a database.
     *
     * @param wait how long a call may wait for the database in all
     */
    public UseStore(Database database, Duration wait) {}

    /** Adds uses to what is known; those of copies that are gone are left out. */
    public void record(Collection<Use> uses) throws DatabaseException {
        throw new UnsupportedOperationException();
    }
}
