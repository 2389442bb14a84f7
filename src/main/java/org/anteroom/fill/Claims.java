package org.anteroom.fill;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import org.anteroom.fill.FillEnds.End;
import org.anteroom.inventory.ClaimResult;
import org.anteroom.inventory.FillReasons;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.FillTicket;
import org.anteroom.inventory.Owner;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims from the queue that are not yet fills: a worker is asking the archive for the file.
 *
 * <p>Whoever takes a claim out of the map has it, and answers for its row: the worker when it knows what the file is, a
 * reader who comes meanwhile and knows that already, or who finds that it is lost.
 */
final class Claims {
    private static final Logger log = LoggerFactory.getLogger(Claims.class);

    private final FillStore store;
    private final FillEnds ends;
    private final Owner owner;
    private final ConcurrentMap<String, ClaimResult.Claimed> claims = new ConcurrentHashMap<>();

    /** No claims yet. */
    Claims(FillStore store, FillEnds ends, Owner owner) {
        this.store = store;
        this.ends = ends;
        this.owner = owner;
    }

    /** Ids of the fills that are claimed. */
    Set<Long> ids() {
        return claims.values().stream().map(claim -> claim.ticket().fillId()).collect(Collectors.toSet());
    }

    /** Keeps what was claimed, until it is taken. */
    void add(ClaimResult.Claimed claim) {
        ClaimResult.Claimed lost = claims.put(claim.objid(), claim);
        if (lost != null) {
            // a file has one fill at a time
            ends.keep(lost.ticket(), End.nothing(lost.objid(), FillReasons.LOST));
        }
    }

    /** Gives back what was claimed when nobody waited for that any more. Never blocks. */
    void addTooLate(ClaimResult.Claimed claim) {
        ends.keep(claim.ticket(), End.nothing(claim.objid(), FillReasons.TOO_LATE));
    }

    /** Notes that it is not known whether something was claimed for a copy of that name. */
    void addUnanswered(String copyName) {
        ends.doubt(copyName, "a file of the queue");
    }

    /** Ends a claim without a copy; false if somebody else has it. */
    boolean giveUp(ClaimResult.Claimed claim, String reason, long size) {
        if (!claims.remove(claim.objid(), claim)) {
            return false;
        }
        ends.tell(claim.ticket(), new End(claim.objid(), null, reason, false, size), copy -> {});
        return true;
    }

    /**
     * Lets a claim become a fill, in one step for readers, who find the one or the other; false if somebody else has it, or
     * if it is lost.
     *
     * @param begin makes the fill known; must be quick
     */
    boolean become(ClaimResult.Claimed claim, Runnable begin) {
        if (!renew(claim)) {
            return false;
        }
        boolean[] mine = new boolean[1];
        claims.computeIfPresent(claim.objid(), (objid, present) -> {
            if (!present.equals(claim)) {
                return present;
            }
            mine[0] = true;
            begin.run();
            return null;
        });
        return mine[0];
    }

    /**
     * Takes the claim of a file for a reader, if it is for what the archive says now; null if there is none, or it is lost.
     *
     * @param wait how long at most for the inventory
     * @throws DatabaseException if it could not be found out whether it is lost; then it is given back
     */
    @Nullable
    FillTicket take(String objid, FileFacts facts, Duration wait) throws DatabaseException {
        ClaimResult.Claimed claim = claims.get(objid);
        if (claim == null || claim.size() != facts.size() || !claims.remove(objid, claim)) {
            return null;
        }
        boolean kept = false;
        try {
            kept = store.renew(claim.ticket(), owner, Fills.LEASE, 0, wait);
        } finally {
            if (!kept) {
                ends.keep(claim.ticket(), End.nothing(objid, FillReasons.LOST));
            }
        }
        return kept ? claim.ticket() : null;
    }

    /** Keeps all claims for another lease. */
    void renewAll() {
        for (ClaimResult.Claimed claim : claims.values()) {
            try {
                renew(claim);
            } catch (RuntimeException e) {
                log.error("The claim of {} could not be renewed", claim.objid(), e);
            }
        }
    }

    /** Keeps a claim for another lease; one that is lost is ended. What cannot be found out now counts as kept. */
    private boolean renew(ClaimResult.Claimed claim) {
        try {
            if (store.renew(claim.ticket(), owner, Fills.LEASE, 0)) {
                return true;
            }
            giveUp(claim, FillReasons.LOST, FileFacts.UNKNOWN_SIZE);
            return false;
        } catch (DatabaseException e) {
            log.debug("The claim of {} could not be renewed: {}", claim.objid(), e.getMessage());
            return true;
        }
    }
}
