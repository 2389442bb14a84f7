package org.anteroom.archive.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.FolderPage;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.s3.ObjectReader;
import org.anteroom.s3.S3Bucket;
import org.anteroom.s3.S3Failure;
import org.anteroom.s3.S3Object;
import org.anteroom.s3.S3Page;
import org.jspecify.annotations.Nullable;

/**
 * The archive that is a prefix of a bucket: a file is the object PREFIX + encode(dataset) + {@code /} + path.
 *
 * <p>A version is the version of the object as the store names it. The validator is the store's entity tag, and each request
 * for bytes says which one it wants. The checksum is told where the store keeps a SHA-256 of the whole object. What lies in
 * folders is what the keys have in common up to a slash; listings tell neither types nor checksums.
 */
public final class S3Archive implements Archive {
    private static final int LONGEST_KEY = 1024;
    private static final int PAGE = 1000;
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    /** What comes after every name that a file can have. */
    private static final String AFTER_ALL = Character.toString(Character.MAX_CODE_POINT);

    private final S3Bucket bucket;
    private final String prefix;

    /**
     * An archive that may be away; nothing is asked yet.
     *
     * @param prefix what all keys begin with: empty, or ending with a slash
     */
    public S3Archive(S3Bucket bucket, String prefix) {
        this.bucket = bucket;
        this.prefix = prefix;
    }

    @Override
    public FileFacts head(FileKey key) throws IOException {
        String object = object(key);
        try {
            return facts(bucket.headWithChecksum(object, key.version()));
        } catch (IOException e) {
            throw translated(e);
        }
    }

    private String object(FileKey key) throws FailureException {
        String object = prefix + FileKey.encode(key.dataset()) + '/' + key.path();
        if (object.getBytes(UTF_8).length > LONGEST_KEY) {
            throw notFound();
        }
        return object;
    }

    private static FileFacts facts(S3Object object) {
        return new FileFacts(
                object.size(), object.lastModified(), object.etag(), object.sha256(), type(object.contentType()));
    }

    /** The type, unless it says no more than that nobody has told the store. */
    private static @Nullable String type(@Nullable String type) {
        return type == null
                        || type.isBlank()
                        || type.equals("binary/octet-stream")
                        || type.equals("application/octet-stream")
                        || type.equals("application/x-directory")
                ? null
                : type;
    }

    @Override
    public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
        if (offset < 0 || offset > expected.size()) {
            throw new IllegalArgumentException("offset " + offset + " of " + expected.size());
        }
        if (offset == expected.size()) {
            // there is no range to ask for; what is asked is whether it is still the file
            if (!head(key).sameContent(expected)) {
                throw changed(null);
            }
            return S3Stream.ended();
        }
        String object = object(key);
        ObjectReader reader;
        try {
            reader = bucket.open(object, key.version(), expected.etag(), offset);
        } catch (IOException e) {
            throw translated(e);
        }
        S3Object wanted = new S3Object(expected.size(), expected.etag(), expected.lastModified(), null, null);
        if (!reader.object().isSame(wanted)) {
            reader.close();
            throw changed(null);
        }
        return new S3Stream(reader, offset);
    }

    @Override
    public FolderPage list(FolderKey folder, String after, int limit) throws IOException {
        if (folder.version() != null) {
            // a version is that of one object
            throw noFolder();
        }
        String inside = prefix + folder.prefix();
        try {
            if (inside.getBytes(UTF_8).length > LONGEST_KEY || !exists(inside)) {
                throw noFolder();
            }
            return limit == 0 ? new FolderPage(List.of(), true) : page(folder, inside, after, limit);
        } catch (S3Failure e) {
            throw translated(e);
        }
    }

    private boolean exists(String inside) throws IOException {
        return !bucket.list(inside, null, "", null, 1).entries().isEmpty();
    }

    private FolderPage page(FolderKey folder, String inside, String after, int limit) throws IOException {
        List<ArchiveEntry> entries = new ArrayList<>();
        // a folder that was told comes after all that lies in it
        String last = after.isEmpty() ? "" : inside + (after.endsWith("/") ? after + AFTER_ALL : after);
        String next = null;
        do {
            S3Page page = bucket.list(inside, "/", last, next, Math.min(PAGE, limit + 1));
            for (S3Page.Entry entry : page.entries()) {
                last = entry.key();
                ArchiveEntry found = entry(folder, entry, inside);
                if (found != null && ArchiveEntry.compareKeys(found.key(), after) > 0) {
                    if (entries.size() == limit) {
                        return new FolderPage(entries, true);
                    }
                    entries.add(found);
                }
            }
            next = page.next();
        } while (next != null);
        return new FolderPage(entries, false);
    }

    /** What an entry is in the archive; null for what cannot be asked for. */
    private static @Nullable ArchiveEntry entry(FolderKey folder, S3Page.Entry entry, String inside) {
        String name = entry.key().substring(inside.length());
        S3Object object = entry.object();
        if (object == null) {
            name = name.substring(0, name.length() - 1);
        }
        try {
            folder.file(name);
        } catch (IllegalArgumentException e) {
            // the mark of a folder, a name with a control character, an empty one between two slashes
            return null;
        }
        return new ArchiveEntry(name, object == null ? null : facts(object));
    }

    @Override
    public void probe() throws IOException {
        try {
            exists(prefix);
        } catch (IOException e) {
            throw translated(e);
        }
    }

    // ---- failures

    /** What the port says of a failure. */
    static IOException translated(IOException e) {
        if (!(e instanceof S3Failure failure)) {
            return e instanceof InterruptedIOException || e instanceof FailureException
                    ? e
                    : new FailureException(FailureReason.ARCHIVE_FAILED, "The archive broke off.", e);
        }
        return switch (failure.kind()) {
            case NO_OBJECT -> notFound();
            case CONDITION, BEYOND_END -> changed(e);
            case FORBIDDEN ->
                new FailureException(FailureReason.ARCHIVE_REFUSED, "The archive refuses to give the file.", e);
            case SLOW_DOWN, BUSY ->
                new FailureException(
                        FailureReason.OVERLOADED,
                        "The archive is asked for too much; try again later.",
                        e,
                        RETRY_AFTER);
            case TIMEOUT ->
                new FailureException(FailureReason.ARCHIVE_TIMEOUT, "The archive did not answer in time.", e);
            case NO_BUCKET, NO_UPLOAD, BROKEN ->
                new FailureException(FailureReason.ARCHIVE_FAILED, "The archive is not there or broke off.", e);
            case MALFORMED, UNKNOWN_FORM, OTHER -> error(e);
        };
    }

    private static FailureException error(IOException cause) {
        return new FailureException(FailureReason.ARCHIVE_FAILED, "The archive answered with an error.", cause);
    }

    private static FailureException notFound() {
        return new FailureException(FailureReason.NOT_FOUND, "The archive has no such file.");
    }

    private static FailureException noFolder() {
        return new FailureException(FailureReason.NOT_FOUND, "The archive has no such folder.");
    }

    static FailureException changed(@Nullable IOException cause) {
        return new FailureException(
                FailureReason.FILE_CHANGED, "The file has changed in the archive; ask again for the new one.", cause);
    }
}
