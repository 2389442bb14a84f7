package org.anteroom.inventory;

import java.util.List;
import org.anteroom.jdbc.DatabaseException;

/** Candidates for deletion, the first to go first, in pages. */
@FunctionalInterface
public interface CandidateSource {

    /**
     * The next ones.
     *
     * @param limit the most to return
     * @return none when there are no more
     */
    List<Candidate> next(int limit) throws DatabaseException;
}
