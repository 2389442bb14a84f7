package org.anteroom.inventory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Uses of copies since they were last written to the inventory, collected in memory.
 *
 * <p>A use costs its request one read of a map and two plain atomic writes, and no lock. A count is written at most
 * once: {@link #drain} takes what is there, and what could not be stored is given back with {@link #restore}.
 */
public final class UseLog {
    /** Most copies whose uses wait at once; uses of further ones are not counted until the next drain. */
    public static final int LIMIT = 200_000;

    private static final long RETIRED = Long.MIN_VALUE;

    private static final class Cell {
        final AtomicLong uses = new AtomicLong();
        volatile long lastUse;

        boolean add(long count, long millis) {
            long seen;
            do {
                seen = uses.get();
                if (seen == RETIRED) {
                    return false;
                }
            } while (!uses.compareAndSet(seen, seen + count));
            if (millis > lastUse) {
                lastUse = millis;
            }
            return true;
        }
    }

    private final ConcurrentMap<Long, Cell> cells = new ConcurrentHashMap<>();
    private final InstantSource clock;

    /** An empty log. */
    public UseLog(InstantSource clock) {
        this.clock = clock;
    }

    /** Notes that a copy was read just now. */
    public void used(long copyId) {
        add(copyId, 1, clock.millis());
    }

    /** Takes all that has been noted. */
    public List<Use> drain() {
        List<Use> taken = new ArrayList<>();
        cells.forEach((copyId, cell) -> {
            long uses = cell.uses.getAndSet(0);
            if (uses > 0) {
                taken.add(new Use(copyId, Instant.ofEpochMilli(cell.lastUse), uses));
            } else if (cell.uses.compareAndSet(0, RETIRED)) {
                // unused for a whole round: a use that comes later finds the mark and makes a new cell
                cells.remove(copyId, cell);
            }
        });
        return taken;
    }

    /** Gives back what could not be stored. */
    public void restore(Collection<Use> uses) {
        uses.forEach(use -> add(use.copyId(), use.uses(), use.lastUse().toEpochMilli()));
    }

    /** Copies with uses, or none lately, in memory. */
    public int size() {
        return cells.size();
    }

    private void add(long copyId, long count, long millis) {
        while (true) {
            Cell cell = cells.get(copyId);
            if (cell == null) {
                if (cells.size() >= LIMIT) {
                    return;
                }
                cell = cells.computeIfAbsent(copyId, id -> new Cell());
            }
            if (cell.add(count, millis)) {
                return;
            }
            cells.remove(copyId, cell);
        }
    }
}
