package org.anteroom.fill;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.inventory.FillTicket;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.VolumeGuard;
import org.jspecify.annotations.Nullable;

/**
 * The work of one fill, on a thread of its own: read the archive, write the copy, verify, name.
 *
 * <p>Readers are let on up to {@link #HELD_BACK} bytes before the end; the rest is published when the archive has ended
 * where it should and the checksum, where the archive gives one, is right. So no reader gets a whole file that is wrong.
 * The row is not written here but by the caller, last.
 */
final class FillRun {
    /** Bytes before the end that readers get only when all is verified. */
    static final long HELD_BACK = 64 * 1024;

    private static final int BUFFER = 256 * 1024;

    private final Archive archive;
    private final VolumeGuard volume;
    private final FileKey key;
    private final FillTicket ticket;
    private final Fill fill;
    private final WrongBytes wrong;

    FillRun(Archive archive, VolumeGuard volume, FileKey key, FillTicket ticket, Fill fill, WrongBytes wrong) {
        this.archive = archive;
        this.volume = volume;
        this.key = key;
        this.ticket = ticket;
        this.fill = fill;
        this.wrong = wrong;
    }

    /**
     * What the run did: the facts with the checksum when there is a whole, durable copy, else why not.
     *
     * @param left whether a file may be left under the copy's name although there is no copy
     */
    record Result(@Nullable FileFacts stored, @Nullable IOException failure, boolean left) {}

    /**
     * Runs to the end; never throws an IOException. When the result has facts, the copy exists under its name; else
     * nothing of it is left, or what is left bears a temporary name, or the result says otherwise.
     */
    Result run() {
        FileFacts facts = fill.facts();
        // once the bytes are verified, readers are served to the end whatever becomes of the copy
        boolean served = false;
        try (CopyWriter writer = fill.inVolume(() -> volume.create(ticket.temporary(), ticket.name(), facts.size()))) {
            Sha256 digest = fillIn(writer, facts);
            served = true;
            fill.inVolume(() -> {
                writer.commit();
                return writer;
            });
            return new Result(facts.withSha256(digest), null, false);
        } catch (IOException e) {
            if (!served) {
                fill.abandon(e);
            }
            return new Result(null, e, served && !removeNamed(e));
        }
    }

    private Sha256 fillIn(CopyWriter writer, FileFacts facts) throws IOException {
        try {
            fill.opened(fill.inVolume(writer::openWritten));
            Sha256 digest = copy(writer, facts);
            fill.succeed(facts.size());
            return digest;
        } catch (IOException e) {
            // before the writer is closed, which may take a sick volume long
            fill.abandon(e);
            throw e;
        }
    }

    /** A commit that failed may have failed after the copy had got its name; whether nothing of that is left. */
    private boolean removeNamed(IOException failure) {
        try {
            volume.delete(ticket.name());
            return true;
        } catch (IOException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    private Sha256 copy(CopyWriter writer, FileFacts facts) throws IOException {
        FillDigest digest = fill.digest();
        try (ArchiveStream stream = openArchive(facts)) {
            // with room for the end to be seen with the last bytes
            ByteBuffer buffer = ByteBuffer.allocateDirect((int) Math.min(BUFFER, facts.size() + 1));
            while (readArchive(stream, buffer.clear(), facts) >= 0) {
                if (fill.isInVain()) {
                    throw new FillAbandonedException("its fill was ended or taken over", null);
                }
                buffer.flip();
                if (writer.written() + buffer.remaining() > facts.size()) {
                    throw wrong("the archive sends more bytes than the file has");
                }
                digest.update(buffer);
                fill.inVolume(() -> {
                    writer.write(buffer);
                    return writer;
                });
                fill.publish(Math.max(fill.readable(), Math.min(writer.written(), facts.size() - HELD_BACK)));
            }
        }
        if (writer.written() != facts.size()) {
            throw wrong("the archive ended after " + writer.written() + " of " + facts.size() + " bytes");
        }
        return verified(digest.end(), facts);
    }

    private Sha256 verified(Sha256 digest, FileFacts facts) throws FailureException {
        if (facts.sha256() != null && !facts.sha256().equals(digest)) {
            wrong.note(key.objid(), facts);
            throw wrong("the bytes of the archive do not match its checksum");
        }
        wrong.forget(key.objid());
        return digest;
    }

    private ArchiveStream openArchive(FileFacts facts) throws FailureException {
        try {
            return archive.open(key, facts, 0);
        } catch (IOException e) {
            throw archiveFailure(e, facts);
        }
    }

    private int readArchive(ArchiveStream stream, ByteBuffer buffer, FileFacts facts) throws FailureException {
        try {
            return stream.read(buffer);
        } catch (IOException e) {
            throw archiveFailure(e, facts);
        }
    }

    private FailureException archiveFailure(IOException e, FileFacts facts) {
        if (!(e instanceof FailureException failure)) {
            return new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed while the file was read.", e);
        }
        if (failure.reason() == FailureReason.WRONG_BYTES) {
            wrong.note(key.objid(), facts);
        }
        return failure;
    }

    private static FailureException wrong(String what) {
        return new FailureException(FailureReason.WRONG_BYTES, "The file cannot be delivered: " + what + ".");
    }

    /** A failure for the log. */
    static String describe(@Nullable Throwable failure) {
        if (failure == null) {
            return "";
        }
        Throwable cause = failure.getCause();
        return failure.getMessage() + (cause == null ? "" : " (" + cause + ")");
    }
}
