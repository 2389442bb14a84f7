package org.anteroom.http;

import org.anteroom.archive.ArchiveGate;
import org.anteroom.archive.AsyncArchiveStream;
import org.anteroom.fill.DigestedPrefix;
import org.anteroom.fill.Fill;
import org.anteroom.fill.Follower;
import org.anteroom.fill.WrongBytes;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.jspecify.annotations.Nullable;

/**
 * Where the archive's bytes come from for a reader: passed through, or from a fill.
 *
 * <p>The last bytes of a file whose checksum is known are handed out when the whole is verified. What is passed through is
 * verified when it is read from the beginning; so a range that ends within those bytes is read from there, as long as no more
 * than {@link #READ_TO_VERIFY} are read over for that, or the archive reads over them anyway. Where a fill was lost, its digest is gone on with.
 */
final class Passing {
    /** How much of the archive's file is read over to verify a range. */
    static final long READ_TO_VERIFY = 16L << 20;

    private final ArchiveGate archive;
    private final WrongBytes wrong;

    Passing(ArchiveGate archive, WrongBytes wrong) {
        this.archive = archive;
        this.wrong = wrong;
    }

    private interface Opener {
        AsyncArchiveStream open(FileKey key, FileFacts expected, long offset);
    }

    /**
     * A body for who begins.
     *
     * @param end the position after the last byte that is wanted of the file; Long.MAX_VALUE: all
     */
    ArchiveBody begin(FileKey key, FileFacts facts, long position, long end) {
        return body(key, facts, position, end, null, note(key, facts), archive::open);
    }

    /**
     * A body for who has lost another one. What nothing but the archive's own stream can verify is read from its start again
     * for who followed a fill and wants the end, however far that is: it was to be verified, and still is.
     */
    ArchiveBody goOn(FileKey key, FileFacts facts, long position, long end, Body lost) {
        Runnable mismatch = mismatch(key, facts, lost);
        if (lost instanceof FillBody && wantsTheEnd(facts, end) && archive.verifies(facts)) {
            return ArchiveBody.fromTheStart(archive.resume(key, facts, 0), facts, position, mismatch);
        }
        DigestedPrefix digested = lost instanceof FillBody fill ? fill.prefix(position) : null;
        return body(key, facts, position, end, digested, mismatch, archive::resume);
    }

    /** Notes a file as wrong by facts that are the archive's. */
    private Runnable note(FileKey key, FileFacts facts) {
        return () -> wrong.note(key.objid(), facts);
    }

    private Runnable mismatch(FileKey key, FileFacts facts, Body lost) {
        if (lost instanceof CopyBody) {
            // the checksum of a copy may be the inventory's, and is nothing to hold against the archive for good
            return () -> {};
        }
        return lost instanceof ArchiveBody passed ? passed.mismatch() : note(key, facts);
    }

    private ArchiveBody body(
            FileKey key,
            FileFacts facts,
            long position,
            long end,
            @Nullable DigestedPrefix digested,
            Runnable mismatch,
            Opener opener) {
        boolean heldBack = facts.sha256() != null && wantsTheEnd(facts, end);
        DigestedPrefix start = digested;
        if (heldBack && start == null && (position <= READ_TO_VERIFY || !archive.canSeek(key, facts))) {
            start = DigestedPrefix.none();
        }
        return heldBack && start != null
                ? new ArchiveBody(opener.open(key, facts, start.length()), facts, start, position, mismatch)
                : new ArchiveBody(opener.open(key, facts, position), facts, position, mismatch);
    }

    /** Whether bytes are wanted that are handed out only when the whole is verified. */
    private static boolean wantsTheEnd(FileFacts facts, long end) {
        return !facts.hasSize() || end > facts.size() - ArchiveBody.HELD_BACK;
    }

    /** A follower's body for a position; null if the fill is over. */
    @Nullable
    FillBody follow(FileKey key, Fill fill, long position) {
        Follower follower = fill.follow();
        if (follower == null) {
            return null;
        }
        FillBody body = new FillBody(follower, archive.canSeek(key, fill.facts()));
        if (body.isFarBehind(position)) {
            FileFacts facts = fill.facts();
            body.goAhead(new ArchiveBody(archive.open(key, facts, position), facts, position, note(key, facts)));
        }
        return body;
    }

    /**
     * Where a further part of the file is read: as the one before it, unless that would be to wait for long. So a request
     * opens the archive's file once for each part at most.
     */
    Body move(FileKey key, FileFacts facts, long position, long end, Body before) {
        if (before instanceof FillBody fill) {
            if (!fill.skipTo(position)) {
                fill.goAhead(new ArchiveBody(archive.resume(key, facts, position), facts, position, note(key, facts)));
            }
            return fill;
        }
        if (!(before instanceof ArchiveBody passed) || passed.skipTo(position)) {
            return before;
        }
        before.close();
        return goOn(key, facts, position, end, before);
    }
}
