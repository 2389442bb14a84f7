package org.anteroom.inventory;

import java.time.Duration;
import java.util.List;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;

/** The copies, their states, and the changes from one to the next. */
@SuppressWarnings("DoNotCallSuggester")
public final class CopyStore {

    /**
     * Copies in a database.
     *
     * @param wait how long a call may wait for the database in all, unless it is told otherwise
     */
    public CopyStore(Database database, Duration wait) {}

    /** The cached copies of a file, newest first. */
    public List<CopyRow> find(String objid, Duration wait) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Condemns every copy of a file that is not on its way out for good, also those that eviction condemned, so that
     * they can no longer be rescued. To delete a file, cancel its fills first.
     *
     * @return their ids
     */
    public List<Long> condemn(String objid, CondemnedBy by) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Condemns one copy that is cached or suspect. */
    public boolean condemn(long copyId, CondemnedBy by) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Removes the row of a copy that is not in its volume any more, in whatever state, and gives its bytes back. */
    public boolean removeMissing(long copyId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Sends no more readers to a cached copy that was found short or wrong. */
    public boolean suspect(long copyId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Files with copies in any state, by objid in the order of code points.
     *
     * @param prefix what the objid begins with, literally
     * @param after the objid to go on after, or the empty string
     * @param limit the most files
     */
    public List<ObjectRow> objects(String prefix, String after, int limit) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Copies whose time has come: condemned for longer than the grace, or left in deletion.
     *
     * @param afterId the id to go on after, or 0
     */
    public List<CopyRow> due(long volumeId, Duration grace, long afterId, int limit) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Begins the deletion of a copy that is condemned for longer than the grace.
     *
     * @return false if it must not be deleted: it is rescued, by this call when eviction condemned it and it was used
     *     since, or it is condemned anew, or gone
     */
    public boolean beginDeleting(long copyId, Duration grace) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Takes back what eviction did to a copy; false if it was not that, or if the volume has another cached copy. */
    public boolean rescue(long copyId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /** Ends the deletion of a copy whose file is gone: the row goes, the bytes are given back. */
    public boolean deleted(long copyId) throws DatabaseException {
        throw new UnsupportedOperationException();
    }

    /**
     * Rows of a volume by name in ascending order, in any state, for comparing them with the volume.
     *
     * @param afterName the name to go on after, or the empty string
     */
    public List<CopyRow> names(long volumeId, String afterName, int limit) throws DatabaseException {
        throw new UnsupportedOperationException();
    }
}
