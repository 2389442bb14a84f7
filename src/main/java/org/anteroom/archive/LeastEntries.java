package org.anteroom.archive;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The least of many entries that come in any order: a page of them, and one by which it is known that others follow. */
public final class LeastEntries {
    private static final Comparator<ArchiveEntry> BY_KEY = (a, b) -> ArchiveEntry.compareKeys(a.key(), b.key());

    private final int limit;
    private final PriorityQueue<ArchiveEntry> least = new PriorityQueue<>(BY_KEY.reversed());

    /** None yet; at most so many on the page. */
    public LeastEntries(int limit) {
        this.limit = limit;
    }

    /** The key that an entry must come before to be among them; null while any is. */
    @Nullable
    public String bound() {
        ArchiveEntry last = least.size() > limit ? least.peek() : null;
        return last == null ? null : last.key();
    }

    /** Adds an entry; the last one makes room for it when they are enough. */
    public void add(ArchiveEntry entry) {
        least.add(entry);
        if (least.size() > limit + 1) {
            least.poll();
        }
    }

    /** How many are held. */
    public int size() {
        return least.size();
    }

    /** What was found. */
    public FolderPage page() {
        List<ArchiveEntry> entries = new ArrayList<>(least);
        entries.sort(BY_KEY);
        boolean more = entries.size() > limit;
        return new FolderPage(more ? entries.subList(0, limit) : entries, more);
    }
}
