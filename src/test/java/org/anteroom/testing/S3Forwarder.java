package org.anteroom.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Stands before an S3 server and, where it is told to, does not do as the server does. */
public final class S3Forwarder implements AutoCloseable {
    private static final Pattern LENGTH = Pattern.compile("(?im)^content-length: *([0-9]+)\\r?$");

    private static final Pattern RANGE = Pattern.compile("(?im)^range: *bytes=([0-9]+)-([0-9]+)\\r?$");

    private final ServerSocket listening;
    private final int backend;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile Function<Request, Action> rule = request -> new Pass();
    private volatile long bytesPerSecond = Long.MAX_VALUE;

    /** A request's line and fields. */
    public record Request(String method, String target, String head) {}

    /** What is done with a request. */
    public sealed interface Action {}

    /** As the server does. */
    public record Pass() implements Action {}

    /**
     * An answer instead of the server's.
     *
     * @param fields further fields, with line ends between them; or empty
     */
    public record Answer(int status, String body, String fields) implements Action {
        /** One without further fields. */
        public Answer(int status, String body) {
            this(status, body, "");
        }
    }

    /** What the bytes of an object are. */
    @FunctionalInterface
    public interface Source {
        /** Writes some of them. */
        void write(OutputStream out, long from, long length) throws IOException;
    }

    /** An object that the server need not have; ranges of it are given. */
    public record Content(long size, Source source) implements Action {
        /** One of so many zeros. */
        public static Content ofZeros(long size) {
            byte[] some = new byte[64 << 10];
            return new Content(size, (out, from, length) -> {
                for (long left = length; left > 0; left -= some.length) {
                    out.write(some, 0, (int) Math.min(some.length, left));
                }
            });
        }
    }

    /** The connection is reset without an answer. */
    public record Reset() implements Action {}

    /** Nothing is answered until the forwarder is closed. */
    public record Silence() implements Action {}

    /** As the server does, but nothing is passed on before the latch opens. */
    public record Late(CountDownLatch opens) implements Action {}

    /** The server's answer up to so many bytes of its body; then the connection is reset. */
    public record Cut(int bytes) implements Action {}

    /** The server's body up to so many bytes as if that were all of it. */
    public record Shorten(int bytes) implements Action {}

    /** The server does as it is asked, and the connection is reset instead of its answer. */
    public record LoseAnswer() implements Action {}

    private S3Forwarder(ServerSocket listening, int backend) {
        this.listening = listening;
        this.backend = backend;
    }

    /** Stands before the server on that port. */
    public static S3Forwarder before(int backend) throws IOException {
        ServerSocket socket = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        S3Forwarder forwarder = new S3Forwarder(socket, backend);
        forwarder.start("s3-forwarder", forwarder::accept);
        return forwarder;
    }

    /** An answer in the form of S3's errors. */
    public static Answer error(int status, String code) {
        return new Answer(
                status,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code + "</Code><Message>" + code
                        + "</Message></Error>");
    }

    /** The port that it listens on. */
    public int port() {
        return listening.getLocalPort();
    }

    /** Decides from now on what becomes of each request. */
    public void rule(Function<Request, Action> next) {
        rule = next;
    }

    /** Bounds how fast each answer's body is passed on. */
    public void slowDownTo(long bytes) {
        bytesPerSecond = bytes;
    }

    /** What was asked. */
    public List<Request> requests() {
        return requests;
    }

    /** Connections that clients have open. */
    public int connections() {
        return clients.size();
    }

    private void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                sockets.add(client);
                clients.add(client);
                start("s3-forwarder-connection", () -> serve(client));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket server = new Socket(InetAddress.getLoopbackAddress(), backend)) {
            sockets.add(server);
            while (exchange(client, server)) {
                // the next one
            }
        } catch (IOException e) {
            // one of the two has closed
        } finally {
            clients.remove(client);
        }
    }

    private boolean exchange(Socket client, Socket server) throws IOException {
        InputStream in = client.getInputStream();
        String head = head(in);
        String[] line = head.substring(0, head.indexOf("\r\n")).split(" ", -1);
        Request request = new Request(line[0], line[1], head);
        requests.add(request);
        Action action = rule.apply(request);
        if (action instanceof Reset) {
            reset(client);
            return false;
        }
        if (action instanceof Silence) {
            await(closing);
            return false;
        }
        if (action instanceof Late late) {
            await(late.opens());
        }
        if (action instanceof Content content) {
            answer(request, content, client.getOutputStream());
            return true;
        }
        if (action instanceof Answer answer) {
            byte[] body = answer.body().getBytes(UTF_8);
            client.getOutputStream()
                    .write(("HTTP/1.1 " + answer.status() + " Told\r\nContent-Type: application/xml\r\nContent-Length: "
                                    + body.length
                                    + (answer.fields().isEmpty() ? "" : "\r\n" + answer.fields())
                                    + "\r\nConnection: close\r\n\r\n")
                            .getBytes(ISO_8859_1));
            if (!request.method().equals("HEAD")) {
                client.getOutputStream().write(body);
            }
            client.shutdownOutput();
            discard(in);
            return false;
        }
        return pass(request, action, client, server);
    }

    private static void answer(Request request, Content content, OutputStream out) throws IOException {
        Matcher range = RANGE.matcher(request.head());
        boolean part = range.find();
        long from = part ? Long.parseLong(range.group(1)) : 0;
        long end = part ? Math.min(content.size(), Long.parseLong(range.group(2)) + 1) : content.size();
        String status = part
                ? "206 Partial Content\r\nContent-Range: bytes " + from + "-" + (end - 1) + "/" + content.size()
                : "200 OK";
        out.write(("HTTP/1.1 " + status + "\r\nETag: \"content\"\r\nContent-Length: " + (end - from) + "\r\n\r\n")
                .getBytes(ISO_8859_1));
        if (!request.method().equals("HEAD")) {
            content.source().write(out, from, end - from);
        }
        out.flush();
    }

    private boolean pass(Request request, Action action, Socket client, Socket server) throws IOException {
        OutputStream to = server.getOutputStream();
        OutputStream back = client.getOutputStream();
        to.write(request.head().getBytes(ISO_8859_1));
        to.flush();
        String answer = "";
        if (request.head().toLowerCase(Locale.ROOT).contains("100-continue")) {
            answer = head(server.getInputStream());
            if (!answer.startsWith("HTTP/1.1 100")) {
                back.write(answer.getBytes(ISO_8859_1));
                return false;
            }
            back.write(answer.getBytes(ISO_8859_1));
            back.flush();
        }
        copy(client.getInputStream(), to, length(request.head()), Long.MAX_VALUE);
        to.flush();
        answer = head(server.getInputStream());
        if (action instanceof LoseAnswer) {
            reset(client);
            return false;
        }
        boolean bodiless = request.method().equals("HEAD") || answer.startsWith("HTTP/1.1 204");
        byte @Nullable [] body = null;
        long length = bodiless ? 0 : length(answer);
        if (!bodiless && answer.toLowerCase(Locale.ROOT).contains("transfer-encoding: chunked")) {
            body = dechunk(server.getInputStream());
            length = body.length;
            answer = answer.replaceFirst("(?i)transfer-encoding: *chunked", "Content-Length: " + length);
        }
        if (action instanceof Shorten shorten) {
            long kept = Math.min(length, shorten.bytes());
            answer = LENGTH.matcher(answer).replaceFirst("Content-Length: " + kept + "\r");
            back.write(answer.getBytes(ISO_8859_1));
            write(body, server, back, kept);
            return false;
        }
        back.write(answer.getBytes(ISO_8859_1));
        if (action instanceof Cut cut) {
            write(body, server, back, Math.min(length, cut.bytes()));
            back.flush();
            reset(client);
            return false;
        }
        write(body, server, back, length);
        back.flush();
        return true;
    }

    private void write(byte @Nullable [] body, Socket server, OutputStream back, long length) throws IOException {
        if (body == null) {
            copy(server.getInputStream(), back, length, bytesPerSecond);
        } else {
            back.write(body, 0, (int) length);
        }
    }

    private static void copy(InputStream from, OutputStream to, long length, long perSecond) throws IOException {
        byte[] buffer = new byte[64 << 10];
        long begun = System.nanoTime();
        long done = 0;
        while (done < length) {
            int count = from.read(buffer, 0, (int) Math.min(buffer.length, length - done));
            if (count < 0) {
                throw new EOFException();
            }
            to.write(buffer, 0, count);
            done += count;
            if (perSecond != Long.MAX_VALUE) {
                long due = begun + (long) (1e9 * done / perSecond);
                LockSupport.parkNanos(due - System.nanoTime());
            }
        }
    }

    private static byte[] dechunk(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (true) {
            int size = Integer.parseInt(line(in).split(";", 2)[0].strip(), 16);
            if (size == 0) {
                while (!line(in).isEmpty()) {
                    // trailers
                }
                return all.toByteArray();
            }
            all.write(in.readNBytes(size));
            line(in);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException();
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (true) {
            int c = in.read();
            if (c < 0) {
                throw new EOFException();
            }
            head.append((char) c);
            if (c == '\n'
                    && head.length() > 3
                    && head.substring(head.length() - 4).equals("\r\n\r\n")) {
                return head.toString();
            }
        }
    }

    private static long length(String head) {
        Matcher matcher = LENGTH.matcher(head);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static void discard(InputStream in) {
        try {
            in.skipNBytes(Long.MAX_VALUE);
        } catch (IOException e) {
            // the client has seen the answer
        }
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        closing.countDown();
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
