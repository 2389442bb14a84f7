package org.anteroom.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * An HTTP/1.1 client that sends exactly the bytes it is given: for malformed requests, exact responses, keep-alive,
 * slow reading, and hanging up at a chosen byte.
 *
 * <p>One connection, used by one thread. Text is ISO-8859-1, so that a character is a byte.
 */
public final class RawHttp implements Closeable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Socket socket;
    private final InputStream in;

    private RawHttp(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 8192);
    }

    /** Connects to the host and port of a base URI. */
    public static RawHttp connect(URI base) throws IOException {
        return connect(base, 0);
    }

    /**
     * Connects with a small receive buffer, so that a server feels a slow reader soon.
     *
     * @param receiveBuffer SO_RCVBUF in bytes, which the kernel doubles and may raise to its least; 0 for its default
     */
    public static RawHttp connect(URI base, int receiveBuffer) throws IOException {
        return new RawHttp(socket(base, receiveBuffer));
    }

    /** The same over TLS. */
    public static RawHttp connect(URI base, int receiveBuffer, SSLContext tls) throws IOException {
        return new RawHttp(encrypt(socket(base, receiveBuffer), base, tls, "http/1.1"));
    }

    /** Puts TLS on a connection, with one protocol offered. */
    static SSLSocket encrypt(Socket plain, URI base, SSLContext tls, String protocol) throws IOException {
        try {
            SSLSocket socket =
                    (SSLSocket) tls.getSocketFactory().createSocket(plain, base.getHost(), base.getPort(), true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {protocol});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        } catch (IOException e) {
            plain.close();
            throw e;
        }
    }

    /** A connected socket that waits 30 s at most. */
    static Socket socket(URI base, int receiveBuffer) throws IOException {
        Socket socket = new Socket();
        try {
            if (receiveBuffer > 0) {
                // before connecting: the window is agreed upon then
                socket.setReceiveBufferSize(receiveBuffer);
            }
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.connect(new InetSocketAddress(InetAddress.getByName(base.getHost()), base.getPort()), (int)
                    PATIENCE.toMillis());
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** One GET over a connection of its own, which the server is asked to close. */
    public static Response get(URI base, String target, String... headers) throws IOException {
        return exchange(base, "GET", target, headers);
    }

    /** One request without a body over a connection of its own, which the server is asked to close. */
    public static Response exchange(URI base, String method, String target, String... headers) throws IOException {
        try (RawHttp http = connect(base)) {
            List<String> all = new ArrayList<>(List.of(headers));
            all.add("Connection: close");
            http.request(method, target, all.toArray(String[]::new));
            return http.response(method);
        }
    }

    /** Sends bytes as they are. */
    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Sends text as ISO-8859-1, without adding anything. */
    public void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends a request without a body: the target as it is, a Host header, and the headers given as whole lines. */
    public void request(String method, String target, String... headers) throws IOException {
        StringBuilder text = new StringBuilder();
        text.append(method).append(' ').append(target).append(" HTTP/1.1\r\nHost: localhost\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        send(text.append("\r\n").toString());
    }

    /** Reads a whole response to a method: head and body. */
    public Response response(String method) throws IOException {
        Response head = head();
        if (method.equals("HEAD") || head.status() == 204 || head.status() == 304) {
            return head;
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (head.header("Transfer-Encoding").orElse("").toLowerCase(Locale.ROOT).equals("chunked")) {
            readChunks(body);
        } else if (head.header("Content-Length").isPresent()) {
            body.write(body(Long.parseLong(head.header("Content-Length").get())));
        } else {
            in.transferTo(body);
        }
        return new Response(head.statusLine(), head.headers(), body.toByteArray());
    }

    /** Reads the head of a response, with an empty body; 1xx responses before it are left out. */
    public Response head() throws IOException {
        Response head;
        do {
            String statusLine = line();
            List<String> headers = new ArrayList<>();
            for (String header = line(); !header.isEmpty(); header = line()) {
                headers.add(header);
            }
            head = new Response(statusLine, List.copyOf(headers), new byte[0]);
        } while (head.status() < 200);
        return head;
    }

    /**
     * Reads bytes of a body.
     *
     * @throws EOFException if the connection ends before
     */
    public byte[] body(long length) throws IOException {
        byte[] bytes = in.readNBytes(Math.toIntExact(length));
        if (bytes.length < length) {
            throw new EOFException(bytes.length + " of " + length + " bytes, then the connection ended");
        }
        return bytes;
    }

    /** Reads at most so many bytes, whatever there is; -1 at the end. */
    public int read(byte[] target) throws IOException {
        return in.read(target);
    }

    /** How long a read waits before it fails; 30 s at first. */
    public void patience(Duration wait) throws IOException {
        socket.setSoTimeout(Math.toIntExact(wait.toMillis()));
    }

    /** Hangs up with a reset, as a client does that is killed. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void readChunks(ByteArrayOutputStream body) throws IOException {
        while (true) {
            String size = line();
            int semicolon = size.indexOf(';');
            long length = Long.parseLong((semicolon < 0 ? size : size.substring(0, semicolon)).trim(), 16);
            if (length == 0) {
                // trailers are not asked for
                String trailer = line();
                while (!trailer.isEmpty()) {
                    trailer = line();
                }
                return;
            }
            body.write(body(length));
            if (!line().isEmpty()) {
                throw new IOException("a chunk that is longer than it says");
            }
        }
    }

    private String line() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the connection ended in the head of a response: '" + text + "'");
            }
            text.append((char) b);
        }
        if (text.isEmpty() || text.charAt(text.length() - 1) != '\r') {
            throw new IOException("a line without CRLF: '" + text + "'");
        }
        text.setLength(text.length() - 1);
        return text.toString();
    }

    /** A response as it came. */
    public static final class Response {
        private final String statusLine;
        private final List<String> headers;
        private final byte[] body;

        private Response(String statusLine, List<String> headers, byte[] body) {
            this.statusLine = statusLine;
            this.headers = headers;
            this.body = body;
        }

        /** The same with a body that was read apart from it. */
        public Response withBody(byte[] bytes) {
            return new Response(statusLine, headers, bytes);
        }

        /** The first line. */
        public String statusLine() {
            return statusLine;
        }

        /** The header lines in their order. */
        public List<String> headers() {
            return headers;
        }

        /** The body's bytes, without the framing of chunks; not copied. */
        public byte[] body() {
            return body;
        }

        /** The status code. */
        public int status() {
            return Integer.parseInt(statusLine.split(" ", 3)[1]);
        }

        /** The value of the only header of a name, in any case; several are an error. */
        public Optional<String> header(String name) {
            List<String> values = headers(name);
            if (values.size() > 1) {
                throw new AssertionError("several " + name + " headers: " + values);
            }
            return values.stream().findFirst();
        }

        /** All values of a name, in any case, in their order. */
        public List<String> headers(String name) {
            String prefix = name.toLowerCase(Locale.ROOT) + ":";
            return headers.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
                    .map(line -> line.substring(prefix.length()).trim())
                    .toList();
        }

        /** The body as UTF-8. */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }
}
