package org.anteroom.app;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.anteroom.admin.Health;
import org.anteroom.admin.HealthSource;
import org.anteroom.archive.ArchiveHealth;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.volume.VolumeGuard;
import org.anteroom.volume.VolumeHealth;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How the instance and its parts are, in memory; the inventory is asked every few seconds by {@link #probeInventory}. */
final class InstanceHealth implements HealthSource {
    private static final Logger log = LoggerFactory.getLogger(InstanceHealth.class);
    private static final Duration PROBE_WAIT = Duration.ofSeconds(2);

    private final Instance instance;
    private volatile Health.Stage stage = Health.Stage.STARTING;
    private volatile InventoryState inventoryState = InventoryState.WELL;

    private enum InventoryState {
        WELL,
        AWAY,
        UNUSABLE
    }

    InstanceHealth(Instance instance) {
        this.instance = instance;
    }

    void started() {
        stage = Health.Stage.READY;
    }

    void stopping() {
        stage = Health.Stage.STOPPING;
    }

    /** Asks the inventory whether it can be read and written; the log says once that it is not, and once that it is back. */
    void probeInventory() {
        String name = instance.inventory().database().name();
        try {
            instance.inventory().database().probe(PROBE_WAIT);
            instance.inventory().database().probeWriting(PROBE_WAIT);
            if (inventoryState != InventoryState.WELL) {
                log.info("The database {} answers again", name);
            }
            inventoryState = InventoryState.WELL;
        } catch (DatabaseException e) {
            // until the cache is open, its start says so
            if (inventoryState == InventoryState.WELL && instance.cacheStart().isDone()) {
                log.warn("The database {} does not answer: {}", name, e.getMessage());
            }
            inventoryState = CacheStart.unusable(e) ? InventoryState.UNUSABLE : InventoryState.AWAY;
        }
    }

    @Override
    public Health health() {
        List<Health.Component> components = new ArrayList<>();
        components.add(inventory());
        boolean readable = false;
        for (VolumeGuard guard : instance.guards()) {
            VolumeHealth health = guard.health();
            readable |= health.readable();
            components.add(component(guard.name(), Health.Kind.VOLUME, health.ok(), health.reason()));
        }
        ArchiveHealth archive = instance.archive().health();
        components.add(
                component(instance.settings().archive().kind(), Health.Kind.ARCHIVE, archive.ok(), archive.reason()));
        boolean servable = archive.ok() || (readable && instance.caching().isOpen());
        return new Health(stage, "", servable, components);
    }

    private Health.Component inventory() {
        String name = instance.inventory().database().name();
        if (inventoryState == InventoryState.AWAY) {
            return new Health.Component(name, Health.Kind.POOL, Health.State.AWAY, "the database does not answer");
        }
        if (inventoryState == InventoryState.UNUSABLE) {
            return component(name, Health.Kind.POOL, false, "the database cannot be used as it is; the log says why");
        }
        if (instance.cacheStart().lostItsName()) {
            return component(name, Health.Kind.POOL, false, "another boot has taken the name of this instance");
        }
        String waits = instance.caching().isOpen()
                ? "no copies are made yet: another boot has not given up the name of this instance"
                : "the cache is not open yet; the log says why";
        return component(name, Health.Kind.POOL, instance.cacheStart().isDone(), waits);
    }

    private static Health.Component component(String name, Health.Kind kind, boolean ok, String reason) {
        return new Health.Component(name, kind, ok ? Health.State.OK : Health.State.DEGRADED, ok ? "" : reason);
    }
}
