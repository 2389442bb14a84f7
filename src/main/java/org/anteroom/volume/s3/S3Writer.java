package org.anteroom.volume.s3;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.anteroom.s3.S3Bucket;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.VolumeBusyException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy that is being written to the spool, sent to the store in parts as they become full, and put together at the end.
 *
 * <p>One of three works for it at a time: a thread of the pool that sends full parts, {@link #settle()} that sends what is
 * left, or the clean-up. Who has the work is decided under the monitor, which is never held over I/O. A copy of one part is
 * sent as a whole at the end.
 *
 * <p>Before an upload begins, a note with the copy's name is put under the temporary name. So whoever finds the note of a dead
 * fill finds its uploads by the key.
 */
final class S3Writer implements CopyWriter {
    private static final Logger log = LoggerFactory.getLogger(S3Writer.class);

    private final S3Volume volume;
    private final S3Bucket bucket;
    private final String temporary;
    private final String copy;
    private final String key;
    private final SpoolFile spooled;
    private final CopyReader source;
    private final long partSize;

    private final List<String> tags = new ArrayList<>();
    private boolean working;
    private boolean closed;
    private boolean settled;
    private @Nullable IOException failure;
    private @Nullable String upload;
    private boolean noted;
    private volatile boolean committed;

    S3Writer(
            S3Volume volume,
            S3Bucket bucket,
            String temporary,
            String copy,
            String key,
            SpoolFile spooled,
            long partSize)
            throws IOException {
        this.volume = volume;
        this.bucket = bucket;
        this.temporary = temporary;
        this.copy = copy;
        this.key = key;
        this.spooled = spooled;
        this.partSize = partSize;
        this.source = spooled.open(volume.name(), copy);
    }

    @Override
    public void write(ByteBuffer bytes) throws IOException {
        synchronized (this) {
            requireWell();
        }
        spooled.write(bytes);
        boolean begin;
        synchronized (this) {
            begin = !working && !closed && failure == null && fullPart();
            working |= begin;
        }
        if (begin) {
            try {
                volume.uploads().execute(this::sendFullParts);
            } catch (RejectedExecutionException e) {
                // what is not sent now is sent in the end
                endWork(null);
            }
        }
    }

    private void requireWell() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (failure != null) {
            throw S3Volume.isBusy(failure)
                    ? new VolumeBusyException(volume.name(), failure)
                    : new IOException(failure.getMessage(), failure);
        }
    }

    /** Whether the next part is there in full, of a copy that has more than one. */
    private boolean fullPart() {
        long written = spooled.length();
        return written > partSize && written >= (tags.size() + 1) * partSize;
    }

    private void sendFullParts() {
        IOException failed = null;
        try {
            while (wantsPart()) {
                sendPart(partSize);
            }
        } catch (IOException e) {
            failed = e;
        } catch (RuntimeException | Error e) {
            failed = new IOException("a part was not sent", e);
        }
        endWork(failed);
    }

    private synchronized boolean wantsPart() {
        return !closed && fullPart();
    }

    /** Ends the work of whoever has it; cleans up if the writer has been closed meanwhile. */
    private void endWork(@Nullable IOException failed) {
        boolean cleanUp;
        synchronized (this) {
            if (failed != null && failure == null) {
                failure = failed;
            }
            cleanUp = closed;
            working = cleanUp;
            notifyAll();
        }
        if (failed != null) {
            volume.writeFailed();
        }
        if (cleanUp) {
            try {
                cleanUp();
            } catch (IOException e) {
                log.warn("What was sent of copy {} is left for later: {}", copy, e.getMessage());
            }
        }
    }

    /** Sends the next part; for who has the work. */
    private void sendPart(long length) throws IOException {
        String begun = upload == null ? begin() : upload;
        int number = tags.size() + 1;
        String tag = bucket.sendPart(key, begun, number, source::read, (number - 1) * partSize, length);
        synchronized (this) {
            tags.add(tag);
        }
    }

    private String begin() throws IOException {
        volume.removeNoted(temporary);
        noted = true;
        bucket.putSmall(volume.keys().temporary(temporary), copy.getBytes(US_ASCII));
        String begun = bucket.beginUpload(key);
        upload = begun;
        return begun;
    }

    @Override
    public void sync() {
        // parts are sent as they become full
    }

    @Override
    public long written() {
        return spooled.length();
    }

    @Override
    public CopyReader openWritten() throws IOException {
        return new FollowingReader(spooled.open(volume.name(), copy), this);
    }

    /** Opens the copy in the store, for several who read on from about a position and elsewhere. */
    CopyReader openStored(long position) throws IOException {
        return volume.openShared(copy, position);
    }

    long now() {
        return volume.now();
    }

    boolean isCommitted() {
        return committed;
    }

    @Override
    public void settle() throws IOException {
        takeWork();
        IOException failed = null;
        try {
            sendRest();
        } catch (IOException e) {
            failed = e;
            throw S3Volume.translated(e, volume.name(), copy);
        } finally {
            endWork(failed);
        }
        volume.writeSucceeded();
    }

    private synchronized void takeWork() throws IOException {
        try {
            while (working) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a copy was sent");
        }
        requireWell();
        working = true;
    }

    private void sendRest() throws IOException {
        long length = spooled.length();
        if (length <= partSize) {
            settled = true;
            bucket.put(key, source::read, length);
            return;
        }
        for (long sent = tags.size() * partSize; sent < length; sent += partSize) {
            sendPart(Math.min(partSize, length - sent));
        }
        settled = true;
        bucket.completeUpload(key, Objects.requireNonNull(upload), tags);
    }

    @Override
    public void commit() throws IOException {
        boolean sent;
        synchronized (this) {
            requireWell();
            sent = settled;
        }
        if (!sent) {
            settle();
        }
        long stored;
        try {
            stored = bucket.head(key, null).size();
        } catch (IOException e) {
            throw S3Volume.translated(e, volume.name(), copy);
        }
        if (stored != spooled.length()) {
            throw new IOException("the store has " + stored + " of " + spooled.length() + " bytes");
        }
        committed = true;
        removeNote();
    }

    private void removeNote() {
        if (noted) {
            try {
                volume.removeUploads(temporary, key);
            } catch (IOException e) {
                // whoever finds the note goes on with that
                log.debug("The note of copy {} is left for later", copy, e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            if (working) {
                // who works cleans up
                return;
            }
            working = true;
        }
        try {
            cleanUp();
        } catch (IOException e) {
            throw S3Volume.isBusy(e) ? new VolumeBusyException(volume.name(), e) : e;
        }
    }

    private void cleanUp() throws IOException {
        volume.ended(temporary, this);
        try (source) {
            if (!committed) {
                undo();
            }
        } finally {
            spooled.release();
        }
    }

    private void undo() throws IOException {
        if (noted) {
            volume.removeUploads(temporary, key);
        }
        if (settled) {
            // the commit failed after the copy had got its name, or may have
            bucket.delete(key);
        }
    }
}
