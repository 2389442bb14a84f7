package org.anteroom.inventory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;

/** The volumes and their counters. */
@SuppressWarnings("DoNotCallSuggester")
public final class VolumeStore {

    /**
     * Volumes in a database.
     *
     * @param wait how long a call may wait for the database in all
     */
    public VolumeStore(Database database, Duration wait) {}

    /**
     * Makes a configured volume known, or brings its row up to date. The status changes only when the configured one is
     * another than last time, so that what an operator set is kept over restarts.
     */
    public VolumeRow register(NewVolume volume) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Sets the status; whether there is such a volume. */
    public boolean setStatus(long id, VolumeStatus status) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Gives a volume without identity its identity; false if it has one already. */
    public boolean setMarker(long id, String marker) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Every volume, also those that are no longer configured, by name. */
    public List<VolumeRow> all() throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** One volume. */
    public Optional<VolumeRow> get(long id) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** The bytes that a plan is wanted for, 0 for none; the wish is taken back by that. */
    public long takePlanWanted(long id) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Compares the counters with the rows, in one moment; no writer waits for it. */
    public Optional<Drift> drift(long id) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Corrects the counters by what was found; false if somebody else corrected them since. */
    public boolean repair(Drift drift) throws DatabaseException {
        throw new UnsupportedOperationException();
    }
}
