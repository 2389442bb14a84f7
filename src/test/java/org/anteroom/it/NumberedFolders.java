package org.anteroom.it;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.FolderPage;
import org.anteroom.model.FolderKey;

/** Folders that each hold so many folders, called {@code n000000} and so on; counts what is asked of them. */
final class NumberedFolders implements SteeredArchive.Lister {
    private final int all;
    private final Map<String, List<Integer>> pages = new ConcurrentHashMap<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();

    NumberedFolders(int all) {
        this.all = all;
    }

    @Override
    public FolderPage list(FolderKey folder, String after, int limit) {
        if (limit == 0) {
            return new FolderPage(List.of(), false);
        }
        mostAtOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            pages.computeIfAbsent(folder.path(), path -> new CopyOnWriteArrayList<>())
                    .add(limit);
            int from = after.isEmpty() ? 0 : Integer.parseInt(after.substring(1, after.length() - 1)) + 1;
            List<ArchiveEntry> entries = IntStream.range(from, Math.min(all, from + limit))
                    .mapToObj(i -> new ArchiveEntry(String.format("n%06d", i), null))
                    .toList();
            return new FolderPage(entries, from + limit < all);
        } finally {
            running.decrementAndGet();
        }
    }

    /** How many entries were asked for at a time. */
    List<Integer> pages(String folder) {
        return List.copyOf(pages.getOrDefault(folder, List.of()));
    }

    /** The most calls that ran at once. */
    int mostAtOnce() {
        return mostAtOnce.get();
    }
}
