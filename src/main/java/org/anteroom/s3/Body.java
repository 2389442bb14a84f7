package org.anteroom.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import software.amazon.awssdk.core.sync.RequestBody;

/** What an upload sends: a stretch of bytes that is read as often as signing, checksums and further attempts need. */
final class Body {
    private static final int BUFFER = 64 << 10;
    private static final String TYPE = "application/octet-stream";

    private final BytesAt bytes;
    private final long from;
    private final long length;

    Body(BytesAt bytes, long from, long length) {
        this.bytes = bytes;
        this.from = from;
        this.length = length;
    }

    RequestBody asRequest() {
        return RequestBody.fromContentProvider(Stream::new, length, TYPE);
    }

    /** The digest as Content-MD5 has it (RFC 1864). */
    String md5() throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
        byte[] buffer = new byte[(int) Math.min(BUFFER, Math.max(1, length))];
        try (Stream stream = new Stream()) {
            for (int count = stream.read(buffer, 0, buffer.length);
                    count >= 0;
                    count = stream.read(buffer, 0, buffer.length)) {
                digest.update(buffer, 0, count);
            }
        }
        return Base64.getEncoder().encodeToString(digest.digest());
    }

    private final class Stream extends InputStream {
        private long position;
        private long mark;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            if (count == 0) {
                return 0;
            }
            if (position == length) {
                return -1;
            }
            int wanted = (int) Math.min(count, length - position);
            int read = bytes.read(ByteBuffer.wrap(target, offset, wanted), from + position);
            if (read < 0) {
                throw new IOException("what is uploaded is shorter than it was");
            }
            position += read;
            return read;
        }

        @Override
        public boolean markSupported() {
            return true;
        }

        @Override
        public synchronized void mark(int limit) {
            mark = position;
        }

        @Override
        public synchronized void reset() {
            position = mark;
        }
    }
}
