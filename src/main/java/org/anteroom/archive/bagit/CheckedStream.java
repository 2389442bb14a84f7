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
 * start, by the digest and the CRC-32 that there are of it, and by the bag's being still the same.
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
            throw e;
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
        content.finish();
        if (fromStart) {
            checks.verify();
        }
        if (!checks.unchanged.holds()) {
            throw Damage.changed();
        }
        checked = true;
    }

    @Override
    public void close() throws IOException {
        content.close();
    }
}
