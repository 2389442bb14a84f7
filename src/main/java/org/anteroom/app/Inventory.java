package org.anteroom.app;

import java.time.Duration;
import java.time.InstantSource;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.HeadStore;
import org.anteroom.inventory.LeaseStore;
import org.anteroom.inventory.PlanStore;
import org.anteroom.inventory.RetryPolicy;
import org.anteroom.inventory.UseStore;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.Database;

/** The inventory's stores over one database. */
record Inventory(
        Database database,
        VolumeStore volumes,
        CopyStore copies,
        FillStore fills,
        FillQueue queue,
        PlanStore plans,
        LeaseStore leases,
        HeadStore heads,
        UseStore uses) {

    /** How long background work waits for the database. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * The stores.
     *
     * @param lookupTimeout how long what is on a reader's way waits
     * @param retries what becomes of fills that fail
     * @param clock this instance's
     */
    static Inventory over(Database database, Duration lookupTimeout, RetryPolicy retries, InstantSource clock) {
        return new Inventory(
                database,
                new VolumeStore(database, PATIENCE),
                new CopyStore(database, lookupTimeout),
                new FillStore(database, PATIENCE, retries),
                new FillQueue(database, PATIENCE, retries),
                new PlanStore(database, PATIENCE),
                new LeaseStore(database, PATIENCE),
                new HeadStore(database),
                new UseStore(database, PATIENCE, clock));
    }
}
