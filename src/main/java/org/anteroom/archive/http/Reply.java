package org.anteroom.archive.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.archive.http.Deadlines.Deadline;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/**
 * The server's answer to one request, and the connection that it comes over.
 *
 * <p>Closing it while there is more to come closes the connection: the client's own way of closing would read the rest.
 */
final class Reply {
    /** So much of an answer that nobody wants is read, for the connection to be used again. */
    private static final int MOST_DISCARDED = 16 * 1024;

    private static final int CHUNK = 64 * 1024;

    private final HttpUriRequestBase request;
    private final ClassicHttpResponse response;
    private final Connections connections;
    private final Deadlines deadlines;
    private final @Nullable InputStream body;
    private final AtomicBoolean closed = new AtomicBoolean();

    Reply(
            HttpUriRequestBase request,
            ClassicHttpResponse response,
            @Nullable InputStream body,
            Connections connections,
            Deadlines deadlines) {
        this.request = request;
        this.response = response;
        this.body = body;
        this.connections = connections;
        this.deadlines = deadlines;
    }

    int status() {
        return response.getCode();
    }

    URI address() throws IOException {
        try {
            return request.getUri();
        } catch (java.net.URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** A field that stands in it once, or the first of several. */
    @Nullable
    String field(String name) {
        Header header = response.getFirstHeader(name);
        return header == null ? null : header.getValue();
    }

    /** The values of all fields of that name, as one list. */
    @Nullable
    String list(String name) {
        Header[] headers = response.getHeaders(name);
        if (headers.length == 0) {
            return null;
        }
        StringBuilder values = new StringBuilder();
        for (Header header : headers) {
            values.append(values.length() == 0 ? "" : ", ").append(header.getValue());
        }
        return values.toString();
    }

    /** How many fields of that name there are. */
    int count(String name) {
        return response.getHeaders(name).length;
    }

    /** Whether the end of the body can be told from a connection that broke. */
    boolean tellsItsEnd() {
        HttpEntity entity = response.getEntity();
        return entity == null || entity.getContentLength() >= 0 || entity.isChunked();
    }

    /**
     * Reads some of the body.
     *
     * @return how many bytes, or -1 at the end
     */
    int read(ByteBuffer target, Duration time) throws IOException {
        if (body == null) {
            return -1;
        }
        Deadline deadline = deadlines.at(deadlines.after(time), request::cancel);
        try {
            if (target.hasArray()) {
                int at = target.arrayOffset() + target.position();
                int count = body.read(target.array(), at, target.remaining());
                target.position(target.position() + Math.max(0, count));
                return count;
            }
            byte[] chunk = new byte[Math.min(CHUNK, target.remaining())];
            int count = body.read(chunk);
            target.put(chunk, 0, Math.max(0, count));
            return count;
        } catch (IOException e) {
            throw Failures.of(e, deadline.isOver());
        } finally {
            deadline.end();
        }
    }

    /** Whether nothing follows. */
    boolean isAtEnd(Duration time) throws IOException {
        return read(ByteBuffer.allocate(1), time) < 0;
    }

    /** Reads over a part of the body; all of it within the time. */
    void skip(long bytes, Duration time) throws IOException {
        long due = deadlines.after(time);
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        long left = bytes;
        while (left > 0) {
            chunk.clear().limit((int) Math.min(CHUNK, left));
            int count = read(chunk, Duration.ofNanos(Math.max(0, due - deadlines.after(Duration.ZERO))));
            if (count < 0) {
                throw Failures.broken(null);
            }
            left -= count;
        }
    }

    /** Lets go of an answer whose body nobody wants. */
    void discard(Duration time) {
        HttpEntity entity = response.getEntity();
        if (entity != null && entity.getContentLength() >= 0 && entity.getContentLength() <= MOST_DISCARDED) {
            try {
                skip(entity.getContentLength(), time);
                isAtEnd(time);
            } catch (IOException e) {
                // then it is not used again
            }
        }
        close();
    }

    /** Gives the place back, and closes the connection unless the body has ended. Does not block. */
    void close() {
        if (closed.compareAndSet(false, true)) {
            connections.resume(this);
            request.cancel();
            connections.release();
        }
    }

    /** Closes the connection for somebody who takes over its place; false if it was closed already. */
    boolean surrender() {
        if (closed.compareAndSet(false, true)) {
            request.cancel();
            return true;
        }
        return false;
    }
}
