package org.anteroom.app;

import java.util.List;
import java.util.function.Supplier;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.DatabaseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A picture of the rows of the volumes, taken every few seconds, so that nobody asks the inventory on a reader's way. */
final class VolumeRows implements Supplier<List<VolumeRow>> {
    private static final Logger log = LoggerFactory.getLogger(VolumeRows.class);

    private final VolumeStore store;
    private volatile List<VolumeRow> rows = List.of();

    VolumeRows(VolumeStore store) {
        this.store = store;
    }

    @Override
    public List<VolumeRow> get() {
        return rows;
    }

    /** Takes a new picture; keeps the old one when the inventory does not answer. */
    void refresh() {
        try {
            rows = store.all();
        } catch (DatabaseException e) {
            log.debug("the volumes' rows are as old as before: {}", e.getMessage());
        }
    }
}
