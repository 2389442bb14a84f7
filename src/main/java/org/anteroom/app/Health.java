package org.anteroom.app;

import java.time.Duration;
import org.anteroom.jdbc.DatabaseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the instance thinks of itself and its parts, kept in memory for the health endpoints. */
final class Health {
    private static final Logger log = LoggerFactory.getLogger(Health.class);
    private static final Duration PROBE_WAIT = Duration.ofSeconds(2);

    private final Instance instance;
    private volatile @Nullable String inventoryFault = "not asked yet";

    Health(Instance instance) {
        this.instance = instance;
    }

    void started() {}

    void stopping() {}

    void probeInventory() {
        try {
            instance.inventory().database().probe(PROBE_WAIT);
            if (inventoryFault != null) {
                log.info("The inventory answers");
            }
            inventoryFault = null;
        } catch (DatabaseException e) {
            inventoryFault = e.reason().toString();
        }
    }
}
