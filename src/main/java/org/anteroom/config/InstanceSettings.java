package org.anteroom.config;

import java.time.Duration;

/**
 * The instance itself.
 *
 * @param name what tells this instance from the others that share its inventory; survives a restart
 * @param named whether the name was configured; else it is the machine's, which is enough for the only instance
 * @param shutdownGrace the longest that running transfers are waited for at the end; zero or more
 */
public record InstanceSettings(String name, boolean named, Duration shutdownGrace) {

    /** Checks that there is a name. */
    public InstanceSettings {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("an instance has a name");
        }
        if (shutdownGrace.isNegative()) {
            throw new IllegalArgumentException("shutdownGrace must not be negative: " + shutdownGrace);
        }
    }
}
