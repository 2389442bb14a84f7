package org.anteroom.archive.http;

import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.model.FailureException;
import org.anteroom.model.FileFacts;
import org.anteroom.model.Sha256;
import org.apache.hc.client5.http.utils.DateUtils;
import org.jspecify.annotations.Nullable;

/**
 * What an answer says of a file.
 *
 * <p>The validator is the server's entity tag if that is a strong one, else its time of change with the size; a weak tag
 * says nothing of bytes. A time that is not over yet when the answer is made says nothing either, since the file may change
 * once more within that second (RFC 9110, section 8.8.2.2). The checksum is that of {@code Repr-Digest} (RFC 9530) or {@code Digest} (RFC 3230).
 */
final class ToldFacts {
    private static final Pattern STRONG_TAG = Pattern.compile("\"[\\x21\\x23-\\x7e]{0,200}\"");
    private static final Pattern REPR_DIGEST =
            Pattern.compile("(?:^|,)\\s*sha-256=:([A-Za-z0-9+/]{43}=):\\s*(?:$|[,;])");
    private static final Pattern DIGEST =
            Pattern.compile("(?:^|,)\\s*sha-256=([A-Za-z0-9+/]{43}=)\\s*(?:$|,)", Pattern.CASE_INSENSITIVE);
    private static final String TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,80}";
    private static final Pattern MEDIA_TYPE = Pattern.compile(TOKEN + "/" + TOKEN + "(?:\\s*;\\s*" + TOKEN + "=(?:"
            + TOKEN + "|\"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]{0,80}\"))*");

    /** What servers say of files whose names tell them nothing. */
    private static final String UNKNOWN_TYPE = "application/octet-stream";

    private ToldFacts() {}

    /**
     * The facts of the whole file.
     *
     * @param size as the answer tells it in its way, or {@link FileFacts#UNKNOWN_SIZE}
     */
    static FileFacts of(Reply reply, long size) {
        Instant modified = modified(reply);
        String tag = reply.field("ETag");
        if (tag == null || !STRONG_TAG.matcher(tag.strip()).matches()) {
            tag = modified == null || size < 0 || !isOver(modified, reply) ? null : derivedTag(size, modified);
        }
        return new FileFacts(
                size,
                modified,
                tag == null ? null : tag.strip(),
                digest(reply),
                contentType(reply.field("Content-Type")));
    }

    private static @Nullable Instant modified(Reply reply) {
        String value = reply.field("Last-Modified");
        return value == null ? null : DateUtils.parseStandardDate(value);
    }

    /** Whether the second of that time was over by the server's own clock, if it tells that. */
    private static boolean isOver(Instant modified, Reply reply) {
        String date = reply.field("Date");
        Instant now = date == null ? null : DateUtils.parseStandardDate(date);
        return now == null || now.isAfter(modified);
    }

    /**
     * Whether an answer tells of the file that was told of before, as far as that can be said of one whose time was not over
     * then.
     */
    static boolean isSame(FileFacts told, FileFacts expected) {
        boolean wasNotOver = expected.etag() == null && timeOfTag(told) != null;
        FileFacts comparable = wasNotOver
                ? new FileFacts(told.size(), told.lastModified(), null, told.sha256(), told.contentType())
                : told;
        return comparable.sameContent(expected);
    }

    private static String derivedTag(long size, Instant modified) {
        return '"' + Long.toHexString(size) + '-' + Long.toHexString(modified.getEpochSecond()) + "-0\"";
    }

    /** The time of change if the tag is made of it, rather than the server's own; else null. */
    @Nullable
    static Instant timeOfTag(FileFacts facts) {
        Instant modified = facts.lastModified();
        return modified != null && derivedTag(facts.size(), modified).equals(facts.etag()) ? modified : null;
    }

    private static @Nullable Sha256 digest(Reply reply) {
        String repr = reply.list("Repr-Digest");
        Sha256 digest = repr == null ? null : digest(REPR_DIGEST.matcher(repr));
        String old = reply.list("Digest");
        return digest != null || old == null ? digest : digest(DIGEST.matcher(old));
    }

    private static @Nullable Sha256 digest(Matcher matcher) {
        return matcher.find()
                ? new Sha256(HexFormat.of().formatHex(Base64.getDecoder().decode(matcher.group(1))))
                : null;
    }

    private static @Nullable String contentType(@Nullable String value) {
        if (value == null) {
            return null;
        }
        String type = value.strip();
        return type.equalsIgnoreCase(UNKNOWN_TYPE) || !MEDIA_TYPE.matcher(type).matches() ? null : type;
    }

    /**
     * The length of the body as the fields tell it, also of an answer to HEAD.
     *
     * @throws FailureException ARCHIVE_FAILED if they contradict each other; ARCHIVE_REFUSED if the body is encoded
     */
    static long length(Reply reply) throws FailureException {
        requireIdentity(reply);
        if (reply.field("Transfer-Encoding") != null) {
            return FileFacts.UNKNOWN_SIZE;
        }
        String length = reply.field("Content-Length");
        if (length == null) {
            return FileFacts.UNKNOWN_SIZE;
        }
        if (reply.count("Content-Length") > 1 || !length.strip().matches("[0-9]{1,18}")) {
            throw Failures.senseless("Content-Length: " + reply.list("Content-Length"));
        }
        return Long.parseLong(length.strip());
    }

    /** Refuses what is encoded though that was not asked for: its length, tag and digest speak of other bytes. */
    static void requireIdentity(Reply reply) throws FailureException {
        String encoding = reply.list("Content-Encoding");
        if (encoding != null && !encoding.isBlank() && !encoding.strip().equalsIgnoreCase("identity")) {
            throw Failures.refused("The archive gives the file only in an encoding.");
        }
    }
}
