package org.anteroom.volume.s3;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileAlreadyExistsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.anteroom.s3.ObjectReader;
import org.anteroom.s3.S3Bucket;
import org.anteroom.s3.S3Failure;
import org.anteroom.s3.S3Failure.Kind;
import org.anteroom.s3.S3Page;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.NoSuchCopyException;
import org.anteroom.volume.Volume;
import org.anteroom.volume.VolumeBusyException;
import org.jspecify.annotations.Nullable;

/**
 * A prefix of a bucket that holds copies.
 *
 * <pre>
 * PREFIX/.anteroom-volume   the identity marker: one line
 * PREFIX/copies/abcd…       copies
 * PREFIX/tmp/FILL.EPOCH     the name of a copy that is being sent in parts, so that its upload is found
 * </pre>
 *
 * <p>The bucket is not made here. A copy counts as missing only where the store itself says NoSuchKey; a bucket that is not
 * there, or a permission, is an error.
 */
public final class S3Volume implements Volume {
    /** Copies up to this size are sent as a whole, others in parts of it. */
    static final long PART = 8L << 20;

    private static final long MOST_PARTS = 10_000;
    private static final long LARGEST_OBJECT = 5L << 40;
    private static final long MIB = 1L << 20;
    private static final int LONGEST_MARKER = 200;
    private static final int PAGE = 1000;

    /** As long it is believed that writing works after it has worked. */
    private static final Duration TRUSTED = Duration.ofMinutes(1);

    private final String name;
    private final S3Bucket bucket;
    private final Keys keys;
    private final Spool spool;
    private final Executor uploads;
    private final long partSize;
    private final Ticker ticker;
    private final Map<String, S3Writer> writers = new ConcurrentHashMap<>();
    /** When writing last worked; null if it has not, or has failed since. */
    private volatile @Nullable Long workedAt;

    /**
     * A volume at a place that may be away; nothing is asked.
     *
     * @param prefix what its keys begin with, empty or with a slash at the end
     * @param largest the largest copy, by which the size of parts is chosen
     * @param uploads runs what sends parts; may refuse
     */
    public S3Volume(
            String name, S3Bucket bucket, String prefix, long largest, Spool spool, Executor uploads, Ticker ticker) {
        this.name = name;
        this.bucket = bucket;
        this.keys = new Keys(prefix);
        this.spool = spool;
        this.uploads = uploads;
        this.partSize = partSize(largest);
        this.ticker = ticker;
    }

    /** All parts of a copy are equal, as some stores want it, and no more than a store takes. */
    static long partSize(long largest) {
        long least = Math.min(largest, LARGEST_OBJECT) / MOST_PARTS + 1;
        return Math.max(PART, (least + MIB - 1) / MIB * MIB);
    }

    @Override
    public String name() {
        return name;
    }

    Keys keys() {
        return keys;
    }

    Executor uploads() {
        return uploads;
    }

    // ---- copies

    @Override
    public CopyReader open(String copy) throws IOException {
        return open(copy, 0);
    }

    @Override
    public CopyReader open(String copy, long position) throws IOException {
        String key = keys.copy(copy);
        try {
            return new S3Reader(name, copy, openAt(key, position));
        } catch (IOException e) {
            throw translated(e, name, copy);
        }
    }

    private ObjectReader openAt(String key, long position) throws IOException {
        try {
            return bucket.open(key, null, null, position);
        } catch (S3Failure e) {
            if (e.kind() == Kind.BEYOND_END && position > 0) {
                // the copy is shorter than it should be, which its reader tells
                return bucket.open(key, null, null, 0);
            }
            throw e;
        }
    }

    /** The same for several who each read on somewhere else. */
    CopyReader openShared(String copy, long position) throws IOException {
        String key = keys.copy(copy);
        try {
            return new S3Reader(name, copy, bucket.openShared(key, position));
        } catch (IOException e) {
            throw translated(e, name, copy);
        }
    }

    /** What the port says of a failure. */
    static IOException translated(IOException e, String volume, String copy) {
        if (e instanceof S3Failure failure && failure.kind() == Kind.NO_OBJECT) {
            NoSuchCopyException missing = new NoSuchCopyException(volume, copy);
            missing.initCause(e);
            return missing;
        }
        if (isBusy(e)) {
            return new VolumeBusyException(volume, e);
        }
        if (e instanceof InterruptedIOException) {
            // says nothing of the store
            ClosedByInterruptException interrupted = new ClosedByInterruptException();
            interrupted.initCause(e);
            return interrupted;
        }
        return e;
    }

    /** Whether there was only no connection for it. */
    static boolean isBusy(IOException e) {
        return e instanceof S3Failure failure && failure.kind() == Kind.BUSY;
    }

    /** Something that is asked of the bucket. */
    private interface Asked<T> {
        T ask() throws IOException;
    }

    /** Asks, and tells that there was no connection in the port's words. */
    private <T> T asked(Asked<T> what) throws IOException {
        try {
            return what.ask();
        } catch (S3Failure e) {
            throw isBusy(e) ? new VolumeBusyException(name, e) : e;
        }
    }

    @Override
    public CopyWriter create(String temporary, String copy) throws IOException {
        String key = keys.copy(copy);
        keys.temporary(temporary);
        SpoolFile spooled = spool.create();
        S3Writer writer;
        try {
            writer = new S3Writer(this, bucket, temporary, copy, key, spooled, partSize);
        } catch (IOException e) {
            spooled.release();
            throw e;
        }
        S3Writer leftover = writers.put(temporary, writer);
        if (leftover != null) {
            leftover.close();
        }
        return writer;
    }

    void ended(String temporary, S3Writer writer) {
        writers.remove(temporary, writer);
    }

    @Override
    public boolean delete(String copy) throws IOException {
        return asked(() -> deleteNow(copy));
    }

    private boolean deleteNow(String copy) throws IOException {
        String key = keys.copy(copy);
        try {
            bucket.head(key, null);
        } catch (S3Failure e) {
            if (e.kind() == Kind.NO_OBJECT) {
                return false;
            }
            throw e;
        }
        bucket.delete(key);
        return true;
    }

    @Override
    public List<String> list(String after, int limit) throws IOException {
        return asked(() -> listNow(after, limit));
    }

    private List<String> listNow(String after, int limit) throws IOException {
        List<String> found = new ArrayList<>();
        String last = after.isEmpty() ? "" : keys.copies() + after;
        String next = null;
        do {
            S3Page page = bucket.list(keys.copies(), null, last, next, Math.min(PAGE, limit));
            for (S3Page.Entry entry : page.entries()) {
                last = entry.key();
                String copy = entry.key().substring(keys.copies().length());
                if (Keys.isCopy(copy) && found.size() < limit) {
                    found.add(copy);
                }
            }
            next = page.next();
        } while (next != null && found.size() < limit);
        return found;
    }

    // ---- what is being made

    @Override
    public List<String> temporaries() throws IOException {
        return asked(() -> temporariesNow());
    }

    private List<String> temporariesNow() throws IOException {
        Set<String> names = new TreeSet<>(writers.keySet());
        String last = "";
        String next = null;
        do {
            S3Page page = bucket.list(keys.temporaries(), null, last, next, PAGE);
            for (S3Page.Entry entry : page.entries()) {
                last = entry.key();
                String temporary = entry.key().substring(keys.temporaries().length());
                if (Keys.isTemporary(temporary)) {
                    names.add(temporary);
                }
            }
            next = page.next();
        } while (next != null);
        return List.copyOf(names);
    }

    @Override
    public boolean deleteTemporary(String temporary) throws IOException {
        return asked(() -> deleteTemporaryNow(temporary));
    }

    private boolean deleteTemporaryNow(String temporary) throws IOException {
        keys.temporary(temporary);
        S3Writer writer = writers.remove(temporary);
        if (writer != null) {
            writer.close();
        }
        return removeNoted(temporary) || writer != null;
    }

    /** Gives up the uploads that a note tells of, and removes it; whether there was one. */
    boolean removeNoted(String temporary) throws IOException {
        String note = keys.temporary(temporary);
        String copy;
        try {
            copy = new String(bucket.readSmall(note, LONGEST_MARKER), US_ASCII).strip();
        } catch (S3Failure e) {
            if (e.kind() == Kind.NO_OBJECT) {
                return false;
            }
            throw e;
        }
        if (Keys.isCopy(copy)) {
            removeUploads(temporary, keys.copy(copy));
        } else {
            bucket.delete(note);
        }
        return true;
    }

    /**
     * Gives up all unfinished uploads of a copy, then removes the note that tells of them. There may be more than its writer knows:
     * where the answer to the beginning of one was lost, another was begun.
     */
    void removeUploads(String temporary, String key) throws IOException {
        for (String upload : bucket.uploads(key)) {
            bucket.abortUpload(key, upload);
        }
        bucket.delete(keys.temporary(temporary));
    }

    // ---- identity and health

    @Override
    public Optional<String> readMarker() throws IOException {
        return asked(() -> readMarkerNow());
    }

    private Optional<String> readMarkerNow() throws IOException {
        String marker;
        try {
            marker = new String(bucket.readSmall(keys.marker(), LONGEST_MARKER), UTF_8).strip();
        } catch (S3Failure e) {
            if (e.kind() == Kind.NO_OBJECT) {
                return Optional.empty();
            }
            throw e;
        }
        if (marker.isEmpty()) {
            throw new IOException("the identity marker is empty");
        }
        return Optional.of(marker);
    }

    @Override
    public void writeMarker(String marker) throws IOException {
        if (marker.isBlank()
                || marker.length() > LONGEST_MARKER / 2
                || marker.lines().count() != 1) {
            throw new IllegalArgumentException("a marker is one short line: " + marker);
        }
        for (S3Page.Entry entry : bucket.list(keys.all(), "/", "", null, PAGE).entries()) {
            if (entry.key().equals(keys.marker())) {
                throw new FileAlreadyExistsException("the identity marker");
            }
            if (!entry.key().equals(keys.temporaries()) && !entry.key().equals(keys.all())) {
                throw new IOException("the prefix has no identity marker and is not empty");
            }
        }
        try {
            bucket.putNew(keys.marker(), (marker + "\n").getBytes(UTF_8));
        } catch (S3Failure e) {
            if (e.kind() == Kind.CONDITION) {
                throw new FileAlreadyExistsException("the identity marker");
            }
            throw e;
        }
    }

    @Override
    public void tryWriting(String temporary, String copy) throws IOException {
        Long worked = workedAt;
        if (worked != null && ticker.read() - worked < TRUSTED.toNanos()) {
            return;
        }
        String key = keys.temporary(temporary);
        asked(() -> {
            bucket.putEmpty(key);
            bucket.delete(key);
            return true;
        });
        writeSucceeded();
    }

    long now() {
        return ticker.read();
    }

    void writeSucceeded() {
        workedAt = ticker.read();
    }

    void writeFailed() {
        workedAt = null;
    }

    /** What the spool can take: a copy grows there, and the store itself is taken for endless. */
    @Override
    public long freeSpace() throws IOException {
        return spool.free();
    }
}
