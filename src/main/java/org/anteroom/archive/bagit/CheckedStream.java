package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a file, of which the last ones are returned only when all are found to be right: if it was read from its
 * start, by the digest and the CRC-32 that there are of it, and by the bag's being still the same. What a bag has that is not
 * the same any more is FILE_CHANGED, whatever its bytes are.
 */
final class CheckedStream implements ArchiveStream {
    private final Content content;
    private final long size;
    private final Checks checks;
    private final boolean fromStart;
    private long position;
    private boolean checked;

    /** Looks whether the bag is still the one that was opened. */
    interface Unchanged {
        boolean holds() throws IOException;
    }

    /** What is looked at; without a digest or CRC-32 if there is none. */
    static final class Checks {
        private final @Nullable MessageDigest digester;
        private final @Nullable String digest;
        private final @Nullable CRC32 crc;
        private final long crcValue;
        private final Unchanged unchanged;

        Checks(@Nullable Algorithm algorithm, @Nullable String digest, long crc, Unchanged unchanged) {
            this.digester = algorithm == null ? null : algorithm.digester();
            this.digest = digest;
            this.crc = crc == Member.NO_CRC ? null : new CRC32();
            this.crcValue = crc;
            this.unchanged = unchanged;
        }

        private void update(ByteBuffer bytes) {
            if (digester != null) {
                digester.update(bytes.duplicate());
            }
            if (crc != null) {
                crc.update(bytes.duplicate());
            }
        }

        private void verify() throws IOException {
            if (digester != null && !HexFormat.of().formatHex(digester.digest()).equals(digest)) {
                throw Damage.wrongBytes("its bytes in the archive do not match the checksum of its manifest");
            }
            if (crc != null && crc.getValue() != crcValue) {
                throw Damage.wrongBytes("its bytes in the archive do not match the checksum of their zip file");
            }
        }
    }

    CheckedStream(Content content, long offset, long size, Checks checks) {
        this.content = content;
        this.position = offset;
        this.size = size;
        this.checks = checks;
        this.fromStart = offset == 0;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (!target.hasRemaining()) {
            throw new IllegalArgumentException("no room to read into");
        }
        if (position == size) {
            check();
            return -1;
        }
        int start = target.position();
        int limit = target.limit();
        target.limit((int) Math.min(limit, start + (size - position)));
        int count;
        try {
            count = content.read(target);
        } catch (FailureException e) {
            throw ofWhatWasOpened(e);
        } catch (IOException e) {
            throw new FailureException(FailureReason.ARCHIVE_FAILED, "The archive broke off.", e);
        } finally {
            target.limit(limit);
        }
        position += count;
        if (fromStart) {
            checks.update(target.slice(start, count));
        }
        if (position == size) {
            check();
        }
        return count;
    }

    private void check() throws IOException {
        if (checked) {
            return;
        }
        try {
            content.finish();
        } catch (FailureException e) {
            throw ofWhatWasOpened(e);
        }
        // before the bytes are judged: those of a bag that was replaced meanwhile may be of both
        if (!checks.unchanged.holds()) {
            throw Damage.changed();
        }
        if (fromStart) {
            checks.verify();
        }
        checked = true;
    }

    /** A failure, unless it comes of the bag's being another one by now. */
    private FailureException ofWhatWasOpened(FailureException failure) throws IOException {
        return failure.reason() == FailureReason.WRONG_BYTES && !checks.unchanged.holds() ? Damage.changed() : failure;
    }

    @Override
    public void close() throws IOException {
        content.close();
    }
}
