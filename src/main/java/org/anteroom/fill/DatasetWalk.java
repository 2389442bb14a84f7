package org.anteroom.fill;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.FolderPage;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder and of the folders in it, one after the other in the order of their paths, as the archive lists
 * them.
 *
 * <p>In memory is one page of each folder on the way down, the smaller the deeper. A position is the path below the first
 * folder of what was passed last; that of a folder, which has a slash at its end, says that all in it was.
 */
final class DatasetWalk {
    private static final int PAGE = 1000;
    private static final int LEAST_PAGE = 20;

    private final Archive archive;
    private final Deque<Frame> frames = new ArrayDeque<>();
    private String position;
    private long unreachable;

    /** A file that was met. */
    record Found(FileKey key, FileFacts facts) {}

    /** A folder on the way, and how far it was read. */
    private static final class Frame {
        private final FolderKey folder;
        private final String path;
        private String after;
        private Iterator<ArchiveEntry> page = Collections.emptyIterator();
        private boolean more = true;

        /**
         * A folder that is to be read.
         *
         * @param path below the first folder, empty or with a slash at its end
         */
        Frame(FolderKey folder, String path, String after) {
            this.folder = folder;
            this.path = path;
            this.after = after;
        }
    }

    /**
     * Begins, or goes on.
     *
     * @param position where an earlier walk of the same folder ended, or the empty string
     * @throws IllegalArgumentException if no walk can have ended there
     */
    DatasetWalk(Archive archive, FolderKey root, String position) {
        this.archive = archive;
        this.position = position;
        FolderKey folder = root;
        int from = 0;
        int slash = position.indexOf('/');
        while (slash >= 0 && slash + 1 < position.length()) {
            String name = position.substring(from, slash);
            frames.push(new Frame(folder, position.substring(0, from), name + '/'));
            folder = FolderKey.of(folder.file(name));
            from = slash + 1;
            slash = position.indexOf('/', from);
        }
        frames.push(new Frame(folder, position.substring(0, from), position.substring(from)));
    }

    /** What was passed last. */
    String position() {
        return position;
    }

    /** Entries that no request can name, so far. */
    long unreachable() {
        return unreachable;
    }

    /** Whether there may be more. */
    boolean hasMore() {
        return !frames.isEmpty();
    }

    /**
     * The next files; fewer than asked for, or none, where a folder has no more.
     *
     * @throws FailureException NOT_FOUND if there is no such folder at all; NOT_LISTED if the archive lists none
     */
    List<Found> next(int most) throws IOException {
        List<Found> found = new ArrayList<>();
        boolean asked = false;
        while (found.size() < most && !frames.isEmpty()) {
            Frame frame = frames.element();
            if (frame.page.hasNext()) {
                take(frame, frame.page.next(), found);
            } else if (frame.more) {
                if (asked) {
                    break;
                }
                asked = true;
                read(frame);
            } else {
                frames.pop();
                if (!frame.path.isEmpty()) {
                    position = frame.path;
                }
            }
        }
        return found;
    }

    private void read(Frame frame) throws IOException {
        int limit = Math.max(LEAST_PAGE, PAGE / frames.size());
        FolderPage page;
        try {
            page = archive.list(frame.folder, frame.after, limit);
        } catch (FailureException e) {
            if (e.reason() == FailureReason.NOT_FOUND && !frame.path.isEmpty()) {
                // it went while its parent was read
                frame.more = false;
                return;
            }
            throw e;
        }
        List<ArchiveEntry> entries = page.entries();
        frame.page = entries.iterator();
        frame.more = page.more() && !entries.isEmpty();
        if (!entries.isEmpty()) {
            frame.after = entries.get(entries.size() - 1).key();
        }
    }

    private void take(Frame frame, ArchiveEntry entry, List<Found> found) {
        FileKey key = key(frame.folder, entry.name());
        FileFacts facts = entry.facts();
        if (key == null) {
            unreachable++;
        } else if (facts == null) {
            frames.push(new Frame(FolderKey.of(key), frame.path + entry.key(), ""));
            return;
        } else {
            found.add(new Found(key, facts));
        }
        position = frame.path + entry.key();
    }

    private static @Nullable FileKey key(FolderKey folder, String name) {
        try {
            FileKey key = folder.file(name);
            int length = key.objid().getBytes(StandardCharsets.UTF_8).length;
            return length <= FileKey.MAX_OBJID_BYTES ? key : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
