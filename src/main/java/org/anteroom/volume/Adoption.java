package org.anteroom.volume;

/** How the identity of a volume was settled when an instance first looked at it. */
public sealed interface Adoption {

    /**
     * The volume is the one that is meant.
     *
     * @param marker its identity, for the inventory to keep if it knows none
     * @param created whether the marker was written just now, on a place that was empty
     */
    record Ready(String marker, boolean created) implements Adoption {}

    /**
     * The volume is known to the inventory, but is away or is another one. Nothing was written; it stays degraded until
     * {@link VolumeGuard#probe()} finds the right marker.
     *
     * @param reason what is wrong, without paths
     */
    record Degraded(String reason) implements Adoption {}

    /**
     * The volume is new and its place cannot be made into one: an error of the configuration.
     *
     * @param reason what is wrong, for the operator's log; names the place
     */
    record Unusable(String reason) implements Adoption {}
}
