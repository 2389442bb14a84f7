package org.anteroom.fill;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Wishes for fills that failed without telling whether the fill was begun, by the name that the copy was to have.
 *
 * <p>The inventory is asked which of them it knows. It may make what was asked of it a little later than it answers others,
 * so a wish is done with when it was not found several times. Bounded: past that, a fill ends with its lease.
 */
final class Doubts {
    static final int MOST = 1000;

    /** As often a wish that is not found is looked for. */
    static final int ROUNDS = 3;

    private record Doubt(String objid, long firstRound) {}

    private final ConcurrentMap<String, Doubt> doubts = new ConcurrentHashMap<>();
    private final AtomicLong rounds = new AtomicLong();

    void add(String copyName, String objid) {
        if (doubts.size() < MOST) {
            doubts.put(copyName, new Doubt(objid, rounds.get()));
        }
    }

    boolean none() {
        return doubts.isEmpty();
    }

    /** The round that begins now: what comes later was not looked for in it. */
    long round() {
        return rounds.incrementAndGet();
    }

    /** The file whose fill was begun after all; null if there is no doubt about that name. */
    @Nullable
    String settle(String copyName) {
        Doubt doubt = doubts.remove(copyName);
        return doubt == null ? null : doubt.objid();
    }

    /** Ends a round in which the inventory has answered. */
    void answered(long round) {
        doubts.values().removeIf(doubt -> round - doubt.firstRound() >= ROUNDS);
    }
}
