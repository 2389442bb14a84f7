package org.anteroom.admin;

/** Who knows how the instance is. */
@FunctionalInterface
public interface HealthSource {

    /** How it is now, as far as memory tells: nothing is asked, opened or waited for. */
    Health health();
}
