package org.anteroom.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.anteroom.testing.S3Forwarder;
import org.anteroom.testing.TestS3;
import org.jclouds.blobstore.domain.Blob;

/**
 * An S3 server in a process of its own that gives so many bytes a second to all its readers together. What is read again and
 * again is kept in memory before it, and given to whoever asks, so that it costs little.
 */
final class LimitedStore {
    private static final int CHUNK = 64 << 10;

    /** What was not used for so long may be given at once. */
    private static final long BURST_NANOS = 5_000_000;

    private final TestS3 server;
    private final double nanosPerByte;
    private final AtomicLong due = new AtomicLong(System.nanoTime());
    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();

    private LimitedStore(TestS3 server, long bytesPerSecond) {
        this.server = server;
        this.nanosPerByte = 1e9 / bytesPerSecond;
    }

    /** Runs one until the standard input ends; its port is the first line of the output. */
    public static void main(String[] args) throws Exception {
        try (TestS3 server = TestS3.start();
                S3Forwarder before = S3Forwarder.before(server.port())) {
            LimitedStore store = new LimitedStore(server, Long.parseLong(args[0]));
            before.rule(store::action);
            System.out.println(before.port());
            while (System.in.read() >= 0) {
                // until the end
            }
        }
    }

    private S3Forwarder.Action action(S3Forwarder.Request request) {
        if (!request.method().equals("GET") || !request.target().contains("/copies/")) {
            return new S3Forwarder.Pass();
        }
        byte[] bytes = objects.computeIfAbsent(request.target(), this::read);
        return new S3Forwarder.Content(bytes.length, (out, from, length) -> write(out, bytes, from, length));
    }

    private byte[] read(String target) {
        String key = target.substring(TestS3.BUCKET.length() + 2).replaceFirst("\\?.*", "");
        Blob blob = server.store().getBlob(TestS3.BUCKET, key);
        try (InputStream in = blob.getPayload().openStream()) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(OutputStream out, byte[] bytes, long from, long length) throws IOException {
        for (long done = 0; done < length; done += CHUNK) {
            int count = (int) Math.min(CHUNK, length - done);
            long mine = (long) (count * nanosPerByte);
            long now = System.nanoTime();
            long at = due.updateAndGet(before -> Math.max(before, now - BURST_NANOS) + mine);
            for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            out.write(bytes, (int) (from + done), count);
        }
    }
}
