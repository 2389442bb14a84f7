package org.anteroom.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.archive.FolderPage;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a listing, written entry by entry. The next page is asked for when the client has taken the last one, so that
 * one page at most is in memory, whose room is given back as it is written; nothing is written before the first one is there.
 */
final class ListingBody implements Body {

    /** Asks for a page of the folder. */
    @FunctionalInterface
    interface Pages {
        /** So many entries after that key, or the first ones after the empty string. Cancelled if nobody waits any more. */
        CompletableFuture<FolderPage> after(String key, int most);
    }

    private final Pages pages;
    private final Predicate<ArchiveEntry> wanted;
    private final ListingFormat format;
    private final boolean whole;
    private final ListingRoom.Place place;

    private @Nullable CompletableFuture<FolderPage> pending;
    /** Those of the page that are not written yet. */
    private Queue<ArchiveEntry> entries = new ArrayDeque<>(0);

    private ByteBuffer piece = ByteBuffer.allocate(0);
    private String last = "";
    private boolean begun;
    /** Whether entries follow those of the page. */
    private boolean more = true;

    private boolean ended;

    /**
     * A body.
     *
     * @param wanted what is listed of the entries
     * @param whole whether all pages are written rather than one
     * @param after the key to begin after, or the empty string
     * @param place room for the entries of a page; given back at the end
     */
    ListingBody(
            Pages pages,
            Predicate<ArchiveEntry> wanted,
            ListingFormat format,
            boolean whole,
            String after,
            ListingRoom.Place place) {
        this.pages = pages;
        this.wanted = wanted;
        this.format = format;
        this.whole = whole;
        this.last = after;
        this.place = place;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int before = target.remaining();
        while (target.hasRemaining() && advance()) {
            int n = Math.min(target.remaining(), piece.remaining());
            target.put(target.position(), piece, piece.position(), n);
            target.position(target.position() + n);
            piece.position(piece.position() + n);
        }
        giveRoom();
        int n = before - target.remaining();
        return n == 0 && ended ? -1 : n;
    }

    private void giveRoom() {
        if (!begun) {
            return;
        }
        if (whole && more) {
            if (pending == null) {
                place.keepForMore(entries.size());
            }
        } else {
            place.keep(entries.size());
        }
    }

    /** Makes the next piece if the last one is written; false if there is none, or not yet. */
    private boolean advance() throws IOException {
        while (!piece.hasRemaining()) {
            ArchiveEntry entry = entries.poll();
            if (entry != null) {
                last = entry.key();
                if (wanted.test(entry)) {
                    piece = ByteBuffer.wrap(format.entry(entry));
                }
            } else if (begun && (!whole || !more)) {
                if (ended) {
                    return false;
                }
                ended = true;
                piece = ByteBuffer.wrap(format.end(more ? last : null));
            } else if (!turn()) {
                return false;
            }
        }
        return true;
    }

    /** Turns to the next page; false if it is not there yet. */
    private boolean turn() throws IOException {
        CompletableFuture<FolderPage> asked = pending;
        if (asked == null) {
            asked = pages.after(last, place.nextPage());
            pending = asked;
        }
        if (!asked.isDone()) {
            return false;
        }
        FolderPage page;
        try {
            page = asked.join();
        } catch (java.util.concurrent.CompletionException e) {
            throw ArchiveGate.failure(e);
        }
        pending = null;
        entries = new ArrayDeque<>(page.entries());
        more = page.more();
        if (!begun) {
            begun = true;
            piece = ByteBuffer.wrap(format.begin());
        }
        return true;
    }

    @Override
    public boolean await(long position, Runnable wake) {
        CompletableFuture<FolderPage> asked = pending;
        if (asked == null || asked.isDone()) {
            return false;
        }
        var unused = asked.whenComplete((page, failure) -> {
            if (!asked.isCancelled()) {
                wake.run();
            }
        });
        return true;
    }

    @Override
    public void close() {
        CompletableFuture<FolderPage> asked = pending;
        if (asked != null) {
            asked.cancel(false);
        }
        entries.clear();
        place.keep(0);
    }
}
