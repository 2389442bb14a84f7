package org.anteroom.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.s3.ObjectReader.Piece;
import org.anteroom.s3.S3Failure.Kind;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.NonRetryableException;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * One request for a range of an object, whose bytes go into a buffer.
 *
 * <p>An answer that is what was asked for is read to its end, so that its connection can be used again; any other one is
 * broken off, since it may be as long as it likes. What breaks off in the middle is asked for again.
 */
final class RangeOfObject implements ResponseTransformer<GetObjectResponse, Piece> {
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})");
    private static final int PARTIAL = 206;
    private static final int CHUNK = 64 << 10;

    private final long from;
    private final ByteBuffer target;
    private final int start;
    private final @Nullable String etag;

    RangeOfObject(long from, ByteBuffer target, @Nullable String etag) {
        this.from = from;
        this.target = target;
        this.start = target.position();
        this.etag = etag;
    }

    GetObjectRequest request(String bucket, String key, @Nullable String version) {
        return GetObjectRequest.builder()
                .bucket(bucket)
                .key(key)
                .versionId(version)
                .ifMatch(etag)
                .range("bytes=" + from + "-" + (from + target.remaining() - 1))
                .build();
    }

    @Override
    public Piece transform(GetObjectResponse response, AbortableInputStream body) {
        boolean whole = false;
        try {
            Piece piece = read(response, body);
            whole = true;
            return piece;
        } catch (S3Failure e) {
            throw NonRetryableException.builder()
                    .message(e.getMessage())
                    .cause(e)
                    .build();
        } catch (IOException e) {
            throw RetryableException.builder()
                    .message("the object store broke off")
                    .cause(e)
                    .build();
        } finally {
            if (!whole) {
                body.abort();
            }
        }
    }

    private Piece read(GetObjectResponse response, AbortableInputStream body) throws IOException {
        // an earlier attempt may have got some way
        target.position(start);
        long size = size(response);
        S3Object object = Answers.object(response, size);
        if (etag != null && object.etag() != null && !etag.equals(object.etag())) {
            throw new S3Failure(Kind.CONDITION, "the object is another one", null);
        }
        int expected = (int) Math.min(target.remaining(), size - from);
        byte[] chunk = new byte[target.hasArray() ? 0 : Math.min(CHUNK, expected)];
        int done = 0;
        while (done < expected) {
            int count = target.hasArray()
                    ? body.read(target.array(), target.arrayOffset() + target.position(), expected - done)
                    : body.read(chunk, 0, Math.min(chunk.length, expected - done));
            if (count < 0) {
                throw new IOException("the answer ended after " + done + " of " + expected + " bytes");
            }
            if (target.hasArray()) {
                target.position(target.position() + count);
            } else {
                target.put(chunk, 0, count);
            }
            done += count;
        }
        if (body.read() >= 0) {
            // a store that does not know ranges; what is there is right, the rest is not wanted
            body.abort();
        }
        return new Piece(object, done);
    }

    /** The size of the whole object, of which the answer begins where it should. */
    private long size(GetObjectResponse response) throws S3Failure {
        if (response.sdkHttpResponse().statusCode() != PARTIAL) {
            Long length = response.contentLength();
            if (from > 0 || length == null) {
                throw new S3Failure(Kind.OTHER, "the object store gives objects only from their beginning", null);
            }
            return length;
        }
        String told = response.contentRange();
        Matcher matcher = CONTENT_RANGE.matcher(told == null ? "" : told);
        if (!matcher.matches() || Long.parseLong(matcher.group(1)) != from) {
            throw new S3Failure(Kind.OTHER, "the object store gives another range than was asked for", null);
        }
        long size = Long.parseLong(matcher.group(3));
        long last = Math.min(size, from + target.remaining()) - 1;
        if (Long.parseLong(matcher.group(2)) != last) {
            throw new S3Failure(Kind.OTHER, "the object store gives less than was asked for", null);
        }
        return size;
    }
}
