package org.anteroom.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;

/**
 * An HTTP/2 client (RFC 9113) over TLS that grants its streams exactly the windows it is told to: for slow and stalled
 * readers, streams that are reset, and connections that are left.
 *
 * <p>One connection, used by one thread. Header blocks are not decoded, but for the status.
 */
public final class RawHttp2 implements Closeable {
    /** Types of frames. */
    public static final int DATA = 0;

    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;

    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int DEFAULT_WINDOW = 65_535;

    /** Of the static table (RFC 7541, appendix A): two whole fields, and two names whose values follow. */
    private static final int METHOD_GET = 0x82;

    private static final int SCHEME_HTTPS = 0x87;
    private static final int AUTHORITY = 0x01;
    private static final int PATH = 0x04;

    /** RST_STREAM's code for a stream that is no longer wanted. */
    private static final int CANCEL = 8;

    private final Socket socket;
    private final DataInputStream in;
    private final Map<Integer, Stream> streams = new HashMap<>();
    private int lastStream = -1;
    private int owed;

    /** A stream as far as its frames have been read. */
    public static final class Stream {
        private final int id;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private int status;
        private boolean ended;
        private int resetCode = -1;

        private Stream(int id) {
            this.id = id;
        }

        /** The body so far. */
        public byte[] body() {
            return body.toByteArray();
        }

        /** The bytes of the body so far. */
        public int received() {
            return body.size();
        }

        /** The status; 0 before it has come. */
        public int status() {
            return status;
        }

        /** Whether the server has said that the body is whole. */
        public boolean ended() {
            return ended;
        }

        /** Whether the server has broken the stream off. */
        public boolean broken() {
            return resetCode >= 0;
        }
    }

    private RawHttp2(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 8192));
    }

    /**
     * Connects and exchanges the prefaces.
     *
     * @param base an https URI
     * @param receiveBuffer SO_RCVBUF in bytes; 0 for the kernel's default
     * @param window bytes that each stream, and the connection, may send before more is granted
     */
    public static RawHttp2 connect(URI base, SSLContext tls, int receiveBuffer, int window) throws IOException {
        RawHttp2 http = new RawHttp2(RawHttp.encrypt(RawHttp.socket(base, receiveBuffer), base, tls, "h2"));
        http.socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        http.send(
                SETTINGS,
                0,
                0,
                ByteBuffer.allocate(6)
                        .putShort((short) INITIAL_WINDOW_SIZE)
                        .putInt(window)
                        .array());
        if (window > DEFAULT_WINDOW) {
            http.grant(0, window - DEFAULT_WINDOW);
        }
        return http;
    }

    /** Asks for a target on a stream of its own; headers are names in lower case and values in turn. */
    public Stream get(String target, String... headers) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(METHOD_GET);
        block.write(SCHEME_HTTPS);
        block.write(AUTHORITY);
        text(block, "localhost");
        block.write(PATH);
        text(block, target);
        for (int i = 0; i < headers.length; i += 2) {
            field(block, headers[i], headers[i + 1]);
        }
        lastStream += 2;
        Stream stream = new Stream(lastStream);
        streams.put(lastStream, stream);
        send(HEADERS, END_HEADERS | END_STREAM, lastStream, block.toByteArray());
        return stream;
    }

    /** Lets a stream send more bytes. */
    public void grant(Stream stream, int bytes) throws IOException {
        grant(stream.id, bytes);
    }

    /** Gives a stream up. */
    public void cancel(Stream stream) throws IOException {
        send(RST_STREAM, 0, stream.id, ByteBuffer.allocate(4).putInt(CANCEL).array());
    }

    /**
     * Reads one frame and takes note of it.
     *
     * @return the type of the frame
     * @throws EOFException at the end of the connection
     */
    public int read() throws IOException {
        int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        Stream stream = streams.get(in.readInt() & Integer.MAX_VALUE);
        byte[] payload = new byte[length];
        in.readFully(payload);
        switch (type) {
            case SETTINGS -> {
                if ((flags & ACK) == 0) {
                    send(SETTINGS, ACK, 0, new byte[0]);
                }
            }
            case PING -> {
                if ((flags & ACK) == 0) {
                    send(PING, ACK, 0, payload);
                }
            }
            case GOAWAY ->
                throw new EOFException("GOAWAY " + new String(payload, 8, length - 8, StandardCharsets.UTF_8));
            default -> {
                if (type == DATA && length > 0) {
                    // the connection's window is kept open: only streams are held up
                    owed += length;
                    if (owed > DEFAULT_WINDOW / 4) {
                        grant(0, owed);
                        owed = 0;
                    }
                }
                if (stream != null) {
                    note(stream, type, flags, payload);
                }
            }
        }
        return type;
    }

    private static void note(Stream stream, int type, int flags, byte[] payload) {
        switch (type) {
            case HEADERS -> {
                if (stream.status == 0) {
                    stream.status = status(payload);
                }
            }
            case DATA -> stream.body.writeBytes(payload);
            case RST_STREAM -> stream.resetCode = ByteBuffer.wrap(payload).getInt();
            default -> {
                // WINDOW_UPDATE and what is not known
                return;
            }
        }
        if (type != RST_STREAM && (flags & END_STREAM) != 0) {
            stream.ended = true;
        }
    }

    /** Reads frames until the stream has its status. */
    public Stream readHead(Stream stream) throws IOException {
        while (stream.status == 0 && !stream.broken()) {
            read();
        }
        return stream;
    }

    /** Reads frames until the stream is over or has so many bytes of its body. */
    public Stream readUntil(Stream stream, int received) throws IOException {
        while (!stream.ended && !stream.broken() && stream.received() < received) {
            read();
        }
        return stream;
    }

    /** Reads frames until the stream is over, granting what comes. */
    public Stream readToEnd(Stream stream) throws IOException {
        int granted = stream.received();
        while (!stream.ended && !stream.broken()) {
            read();
            int came = stream.received() - granted;
            if (came > DEFAULT_WINDOW / 4 && !stream.ended) {
                grant(stream, came);
                granted += came;
            }
        }
        return stream;
    }

    /** How long a read waits before it fails, in milliseconds. */
    public void patience(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    /** Leaves as a client does that is killed. */
    public void hangUp() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void grant(int stream, int bytes) throws IOException {
        send(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
    }

    private void send(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.put((byte) (payload.length >> 16)).putShort((short) payload.length);
        frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
        socket.getOutputStream().write(frame.array());
        socket.getOutputStream().flush();
    }

    /** A literal field without indexing and without Huffman's code (RFC 7541, section 6.2.2). */
    private static void field(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteArrayOutputStream block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length < 127) {
            block.write(bytes.length);
        } else {
            block.write(127);
            int rest = bytes.length - 127;
            for (; rest >= 128; rest >>= 7) {
                block.write((rest & 127) | 128);
            }
            block.write(rest);
        }
        block.writeBytes(bytes);
    }

    /** The status, which comes first: from the static table, or as a literal without Huffman's code or with it. */
    private static int status(byte[] block) {
        int[] indexed = {200, 204, 206, 304, 400, 404, 500};
        int at = 0;
        while ((block[at] & 0xe0) == 0x20) {
            // a change of the dynamic table's size; small enough for one byte, or followed by more
            if ((block[at] & 0x1f) == 0x1f) {
                do {
                    at++;
                } while ((block[at] & 0x80) != 0);
            }
            at++;
        }
        int index = block[at] & 0x7f;
        return (block[at] & 0x80) != 0 && index >= 8 && index <= 14 ? indexed[index - 8] : -1;
    }
}
