package org.anteroom.fill;

import io.prometheus.metrics.core.metrics.Counter;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.FillReasons;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.FillTicket;
import org.anteroom.inventory.Owner;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the fills of this instance ended, told to the inventory until it knows.
 *
 * <p>A whole copy gets its row in one transaction, conditional on owner and epoch. If that finds that the fill is no longer
 * ours, the file is deleted again; if its outcome is unknown, the question is asked again until it is answered, since
 * deleting a file whose row exists, or keeping one without a row, would be wrong. Of a fill without a copy the row forgets
 * the name once nothing is left under it, whoever has ended it: nobody else knows that, as long as this boot lives.
 */
final class FillEnds {
    private static final Logger log = LoggerFactory.getLogger(FillEnds.class);

    private final FillStore store;
    private final Placement placement;
    private final Owner owner;
    private final Counter bytes;
    private final ConcurrentMap<FillTicket, End> unsettled = new ConcurrentHashMap<>();
    private final Doubts doubts = new Doubts();

    /**
     * How a fill ended.
     *
     * @param stored the facts of the whole, durable copy, or null if there is none
     * @param left whether a file may be left under the copy's name although there is no copy
     * @param size of the file, as is known now, if it is another one than was thought
     */
    record End(String objid, @Nullable FileFacts stored, String reason, boolean left, long size) {

        /** One that has come to nothing, of which no file is left. */
        static End nothing(String objid, String reason) {
            return new End(objid, null, reason, false, FileFacts.UNKNOWN_SIZE);
        }
    }

    /** No fill has ended yet. */
    FillEnds(FillStore store, Placement placement, Owner owner, Metrics metrics) {
        this.store = store;
        this.placement = placement;
        this.owner = owner;
        this.bytes = metrics.counter("anteroom_fill_bytes", "Bytes of copies that were made");
        metrics.gauge(
                "anteroom_fills_unsettled", "Fills whose end the inventory has not been told yet", unsettled::size);
    }

    /** Fills whose end is not told yet, by their ids. */
    Set<Long> ids() {
        return unsettled.keySet().stream().map(FillTicket::fillId).collect(Collectors.toSet());
    }

    /** Keeps an end that is to be told at the next {@link #tellAll}. Never blocks. */
    void keep(FillTicket ticket, End end) {
        unsettled.put(ticket, end);
    }

    /** Notes that it is not known whether a fill was begun for a copy of that name. */
    void doubt(String copyName, String objid) {
        doubts.add(copyName, objid);
    }

    /**
     * Tells an end, or keeps it if it cannot be told now.
     *
     * @param made is given the new copy
     */
    void tell(FillTicket ticket, End end, Consumer<CopyRow> made) {
        boolean told = false;
        try {
            told = attempt(ticket, end, made);
        } finally {
            if (!told) {
                unsettled.put(ticket, end);
            }
        }
    }

    /** Tells all that the inventory does not know yet. */
    void tellAll() {
        giveBackDoubtful();
        unsettled.forEach((ticket, end) -> {
            try {
                if (attempt(ticket, end, copy -> {})) {
                    unsettled.remove(ticket, end);
                }
            } catch (RuntimeException e) {
                log.error("The end of the fill of {} could not be recorded", end.objid(), e);
            }
        });
    }

    /** Finds the fills that were begun without an answer; they are given back like those that were begun too late. */
    private void giveBackDoubtful() {
        if (doubts.none()) {
            return;
        }
        try {
            long asked = doubts.round();
            for (FillTicket ticket : store.named(owner, placement.volumes())) {
                String objid = doubts.settle(ticket.name());
                if (objid != null) {
                    keep(ticket, End.nothing(objid, FillReasons.UNANSWERED));
                }
            }
            doubts.answered(asked);
        } catch (DatabaseException e) {
            log.debug("Fills that were begun without an answer are looked for later: {}", e.getMessage());
        }
    }

    /** False if the inventory could not be told, or did not answer, or a file is left. */
    private boolean attempt(FillTicket ticket, End end, Consumer<CopyRow> made) {
        try {
            if (end.stored() == null) {
                return withoutCopy(ticket, end);
            }
            Optional<CopyRow> copy = store.complete(ticket, owner, end.stored());
            if (copy.isPresent()) {
                bytes.inc(end.stored().size());
                made.accept(copy.get());
                log.info("Cached {} ({} bytes) in {}", end.objid(), end.stored().size(), volumeName(ticket));
            } else if (!store.stored(ticket)) {
                log.warn("The copy of {} is dropped: its fill was ended or taken over meanwhile", end.objid());
                return withoutCopy(ticket, new End(end.objid(), null, FillReasons.LOST, true, FileFacts.UNKNOWN_SIZE));
            }
            return true;
        } catch (DatabaseException e) {
            log.warn("The end of the fill of {} is not recorded yet: {}", end.objid(), e.getMessage());
            return false;
        }
    }

    /** The row keeps the copy's name for as long as a file may be left under it. */
    private boolean withoutCopy(FillTicket ticket, End end) throws DatabaseException {
        if (end.left() && !drop(ticket)) {
            return false;
        }
        if (!store.fail(ticket, owner, end.reason(), end.size())) {
            // somebody else has ended it, and does not know that nothing is left
            store.cleaned(ticket);
        }
        return true;
    }

    private boolean drop(FillTicket ticket) {
        try {
            placement.volume(ticket.volumeId()).delete(ticket.name());
            return true;
        } catch (IOException e) {
            log.warn("A file without a row is left in volume {} for now: {}", volumeName(ticket), FillRun.describe(e));
            return false;
        }
    }

    private String volumeName(FillTicket ticket) {
        return placement.volume(ticket.volumeId()).name();
    }
}
