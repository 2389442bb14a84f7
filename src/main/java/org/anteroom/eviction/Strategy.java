package org.anteroom.eviction;

import java.time.Duration;
import java.util.Map;
import org.anteroom.inventory.CandidateSource;
import org.anteroom.inventory.PlanStore;

/**
 * The order in which the copies of a volume go: a function of their facts and the time alone, so that a plan can be made
 * by any instance and looked at before it runs.
 */
@FunctionalInterface
interface Strategy {
    /** Every strategy by its name in the configuration. */
    Map<String, Strategy> ALL = Map.of("lru", PlanStore::leastRecentlyUsed);

    /**
     * The copies that may go, the first to go first, in pages.
     *
     * @param minAge age below which a copy is no candidate
     */
    CandidateSource candidates(PlanStore plans, long volumeId, Duration minAge);

    /**
     * The strategy of that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Strategy named(String name) {
        Strategy strategy = ALL.get(name);
        if (strategy == null) {
            throw new IllegalArgumentException("there is no strategy " + name + ", only " + ALL.keySet());
        }
        return strategy;
    }
}
