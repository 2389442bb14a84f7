package org.anteroom.http;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.anteroom.model.FailureException;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;

/**
 * What a request URI names, read from its raw text.
 *
 * <p>An id is {@code ark:/NAAN/NAME}, {@code ark:NAAN/NAME}, {@code doi:10.PREFIX/SUFFIX}, or else one segment. An encoded
 * slash ({@code %2F}) is part of the id inside an id, so that DOIs with slashes in the suffix can be written, and malformed
 * in the path, since no file's name holds one.
 */
public sealed interface FileTarget {

    /** What stands before the id. */
    String FILES = "/files/";

    /**
     * A file.
     *
     * @param inline whether the client asks to look at it ({@code ?disposition=inline})
     */
    record File(FileKey key, boolean inline) implements FileTarget {}

    /** A dataset's root or one of its folders: the path ends with a slash. */
    record Listing(FolderKey folder) implements FileTarget {}

    /** A dataset's root without the slash at its end. */
    record Dataset(FolderKey root) implements FileTarget {}

    /** Anything that does not begin with {@link #FILES}. */
    record Other() implements FileTarget {}

    /**
     * Reads a target.
     *
     * @param rawPath the undecoded path, after the context path
     * @param rawQuery the undecoded query, or null
     * @throws FailureException MALFORMED if it breaks the rules
     */
    static FileTarget parse(String rawPath, @Nullable String rawQuery) throws FailureException {
        return rawPath.startsWith(FILES) ? below(FILES, rawPath, rawQuery) : new Other();
    }

    /**
     * Reads a target in another place than {@link #FILES}.
     *
     * @param prefix what the path begins with, including the slash before the id
     */
    static FileTarget below(String prefix, String rawPath, @Nullable String rawQuery) throws FailureException {
        RawQuery query = RawQuery.parse(rawQuery);
        int at = RawPath.segmentEnd(rawPath, prefix.length());
        String dataset = RawPath.segment(rawPath, prefix.length(), at);
        while (isIncomplete(dataset)) {
            if (at == rawPath.length()) {
                throw RawPath.malformed("An id is ark:/NAAN/NAME, doi:10.PREFIX/SUFFIX, or one segment.");
            }
            int end = RawPath.segmentEnd(rawPath, at + 1);
            dataset = dataset + '/' + RawPath.segment(rawPath, at + 1, end);
            at = end;
        }
        int start = at + 1;
        if (start >= rawPath.length()) {
            FolderKey root = new FolderKey(dataset, "", query.version());
            requireLength(rawPath, rawQuery, root::prefix);
            return at == rawPath.length() ? new Dataset(root) : new Listing(root);
        }
        boolean folder = rawPath.endsWith("/");
        String path = path(rawPath, start, folder ? rawPath.length() - 1 : rawPath.length());
        FileKey key = new FileKey(dataset, path, query.version());
        requireLength(rawPath, rawQuery, key::objid);
        return folder ? new Listing(FolderKey.of(key)) : new File(key, query.inline());
    }

    /** Whether more segments belong to an id that begins like this; those so far may have held encoded slashes. */
    private static boolean isIncomplete(String id) {
        if (id.startsWith("ark:")) {
            return id.indexOf('/', id.startsWith("ark:/") ? 5 : 4) < 0;
        }
        return id.startsWith("doi:10.") && id.indexOf('/') < 0;
    }

    private static String path(String raw, int from, int to) throws FailureException {
        int end = Math.min(RawPath.segmentEnd(raw, from), to);
        String first = name(raw, from, end);
        if (end == to) {
            return first;
        }
        StringBuilder path = new StringBuilder(to - from).append(first);
        while (end < to) {
            int start = end + 1;
            end = Math.min(RawPath.segmentEnd(raw, start), to);
            path.append('/').append(name(raw, start, end));
        }
        return path.toString();
    }

    private static String name(String raw, int from, int to) throws FailureException {
        String name = RawPath.segment(raw, from, to);
        if (name.indexOf('/') >= 0) {
            throw RawPath.malformed("The path has an encoded slash.");
        }
        return name;
    }

    private static void requireLength(String rawPath, @Nullable String rawQuery, Supplier<String> form)
            throws FailureException {
        int raw = rawPath.length() + (rawQuery == null ? 0 : rawQuery.length());
        // an objid takes at most three bytes for a raw character, so that short addresses need no counting
        if (raw > FileKey.MAX_OBJID_BYTES / 3
                && form.get().getBytes(StandardCharsets.UTF_8).length > FileKey.MAX_OBJID_BYTES) {
            throw RawPath.malformed("The address is too long.");
        }
    }
}
