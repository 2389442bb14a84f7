package org.anteroom.delivery;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.anteroom.model.ByteRange;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;

/**
 * How a request for a file is answered: the status, the headers, and the bytes to send, decided before the first of them
 * leaves.
 *
 * <p>The status is 200, 206, 304, 412 or 416 (RFC 9110). The plan is immutable, and the one of a plain GET or HEAD is made
 * once per file.
 */
public final class ResponsePlan {
    /** The length that stands for "not known" and for "no such header". */
    public static final long NO_LENGTH = -1;

    /** What may be looked at in a browser runs no script, and belongs to no origin. */
    static final String CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

    private final int status;
    private final List<String> headers;
    private final long contentLength;
    private final long offset;
    private final boolean body;
    private final @Nullable Multipart multipart;

    private ResponsePlan(int status, List<String> headers, long contentLength, long offset, boolean body) {
        this.status = status;
        this.headers = List.copyOf(headers);
        this.contentLength = contentLength;
        this.offset = offset;
        this.body = body;
        this.multipart = null;
    }

    private ResponsePlan(List<String> headers, Multipart multipart) {
        this.status = 206;
        this.headers = List.copyOf(headers);
        this.contentLength = multipart.length();
        this.offset = multipart.range(0).first();
        this.body = true;
        this.multipart = multipart;
    }

    /**
     * Decides.
     *
     * <p>HEAD ignores ranges (RFC 9110, section 14.2). Several ranges are answered in parts, unless the parts with what is
     * around them would be longer than the file: then by the whole of it. So an answer is never longer than the file, nor
     * longer than the ranges that it answers by more than the headers of {@link Ranges#MAX_PARTS} parts. A file of unknown
     * size has neither length nor ranges. A last change in the future is not told, and is no validator (section 8.8.2.1).
     *
     * <p>The digest is sent to whoever does not refuse it (see {@link WantDigest}), with the whole and with parts, since it is
     * that of the whole in any case (RFC 9530, section 3).
     *
     * @param clock what future changes, dates with two-digit years and the strength of dates are judged by
     */
    public static ResponsePlan decide(FileRequest request, FileHeaders file, InstantSource clock) {
        Instant lastModified = file.lastModified();
        boolean dated = lastModified != null && isOver(lastModified, clock);
        if (request.isPlain() && (dated || lastModified == null)) {
            return file.plain(request.head());
        }
        Instant validator = dated ? lastModified : null;
        return switch (Preconditions.evaluate(request, file.etag(), validator, clock)) {
            case FAILED -> new ResponsePlan(412, List.of(), NO_LENGTH, 0, false);
            case NOT_MODIFIED -> notModified(file, dated);
            case PROCEED -> proceed(request, file, validator, clock);
        };
    }

    /** Whether a change lies in the past, by whole seconds. */
    static boolean isOver(Instant lastModified, InstantSource clock) {
        return lastModified.getEpochSecond() * 1000 <= clock.millis();
    }

    private static ResponsePlan proceed(
            FileRequest request, FileHeaders file, @Nullable Instant validator, InstantSource clock) {
        FileFacts facts = file.facts();
        if (request.range() == null
                || request.head()
                || !facts.hasSize()
                || !Preconditions.rangeApplies(request, file.etag(), validator, clock)) {
            return whole(file, request, validator != null);
        }
        Ranges ranges = Ranges.parse(request.range(), facts.size());
        if (ranges.kind() == Ranges.Kind.UNSATISFIABLE) {
            List<String> headers = List.of("Content-Range", "bytes */" + facts.size(), "Accept-Ranges", "bytes");
            return new ResponsePlan(416, headers, NO_LENGTH, 0, false);
        }
        if (ranges.kind() == Ranges.Kind.IGNORED) {
            return whole(file, request, validator != null);
        }
        ByteRange range = ranges.single();
        return range == null
                ? parts(file, request, validator != null, ranges.ranges())
                : part(file, request, validator != null, range);
    }

    static ResponsePlan whole(FileHeaders file, FileRequest request, boolean dated) {
        long size = file.facts().hasSize() ? file.facts().size() : NO_LENGTH;
        return new ResponsePlan(200, fileHeaders(file, request, dated, file.contentType()), size, 0, !request.head());
    }

    private static ResponsePlan part(FileHeaders file, FileRequest request, boolean dated, ByteRange range) {
        List<String> headers = fileHeaders(file, request, dated, file.contentType());
        add(
                headers,
                "Content-Range",
                "bytes " + range.first() + "-" + range.last() + "/"
                        + file.facts().size());
        return new ResponsePlan(206, headers, range.length(), range.first(), true);
    }

    private static ResponsePlan parts(FileHeaders file, FileRequest request, boolean dated, List<ByteRange> ranges) {
        Multipart parts = new Multipart(ranges, file.contentType(), file.facts().size());
        return parts.length() >= file.facts().size()
                ? whole(file, request, dated)
                : new ResponsePlan(fileHeaders(file, request, dated, parts.mediaType()), parts);
    }

    /** No more than guides the update of a cache (RFC 9110, section 15.4.5). */
    private static ResponsePlan notModified(FileHeaders file, boolean dated) {
        List<String> headers = new ArrayList<>(4);
        add(headers, "Cache-Control", file.cacheControl());
        if (file.etag() != null) {
            add(headers, "ETag", file.etag());
        } else {
            add(headers, "Last-Modified", dated ? file.lastModifiedText() : null);
        }
        return new ResponsePlan(304, headers, NO_LENGTH, 0, false);
    }

    private static List<String> fileHeaders(FileHeaders file, FileRequest request, boolean dated, String contentType) {
        List<String> headers = new ArrayList<>(20);
        add(headers, "Accept-Ranges", file.facts().hasSize() ? "bytes" : "none");
        add(headers, "ETag", file.etag());
        add(headers, "Last-Modified", dated ? file.lastModifiedText() : null);
        add(headers, "Content-Type", contentType);
        add(
                headers,
                "Content-Disposition",
                request.inline() ? ContentDisposition.inline(file.disposition()) : file.disposition());
        add(headers, "Repr-Digest", WantDigest.refusesSha256(request.wantReprDigest()) ? null : file.digest());
        add(headers, "Cache-Control", file.cacheControl());
        add(headers, "X-Content-Type-Options", "nosniff");
        add(headers, "Content-Security-Policy", request.inline() ? CONTENT_SECURITY_POLICY : null);
        return headers;
    }

    private static void add(List<String> headers, String name, @Nullable String value) {
        if (value != null) {
            headers.add(name);
            headers.add(value);
        }
    }

    /** The status code. */
    public int status() {
        return status;
    }

    /** Whether bytes of the file follow; if not, nobody need open a copy or ask the archive. */
    public boolean sendsBody() {
        return body;
    }

    /** The position in the file of the first byte to send, 0 where none is. */
    public long offset() {
        return offset;
    }

    /** The position in the file after the last byte to send, of all parts; Long.MAX_VALUE where the length is not known. */
    public long end() {
        if (multipart != null) {
            long end = 0;
            for (int part = 0; part < multipart.count(); part++) {
                end = Math.max(end, multipart.range(part).end());
            }
            return end;
        }
        return contentLength == NO_LENGTH ? Long.MAX_VALUE : offset + contentLength;
    }

    /** The parts to send, or null where what is sent is one piece of the file. */
    public @Nullable Multipart multipart() {
        return multipart;
    }

    /**
     * The {@code Content-Length}, or {@link #NO_LENGTH} where it is not sent. Where a body is sent that is the number of its
     * bytes, {@link #NO_LENGTH} meaning all there are; the answer to HEAD has the length without the bytes.
     */
    public long contentLength() {
        return contentLength;
    }

    /** Hands out every header but {@code Content-Length}, each name once. */
    public void forEachHeader(BiConsumer<String, String> sink) {
        for (int i = 0; i < headers.size(); i += 2) {
            sink.accept(headers.get(i), headers.get(i + 1));
        }
    }

    /** The value of a header, or null; names are compared without regard to case. */
    public @Nullable String header(String name) {
        for (int i = 0; i < headers.size(); i += 2) {
            if (headers.get(i).equalsIgnoreCase(name)) {
                return headers.get(i + 1);
            }
        }
        return null;
    }
}
