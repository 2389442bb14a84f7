package org.anteroom.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server of HTTP/1.1 on a free port that answers with exactly the bytes it is told to: to lie, to be silent, to break off.
 * Connections are kept as long as the behaviour does not end them.
 */
public final class FaultServer implements AutoCloseable {
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final int port;
    private volatile Behaviour behaviour;
    private volatile @Nullable ServerSocket listening;
    private @Nullable Thread accepting;
    private @Nullable Socket away;

    /** What it does with a request. */
    public interface Behaviour {
        void answer(Exchange exchange) throws IOException;
    }

    /**
     * The head of a request.
     *
     * @param target as it was written
     * @param fields by name in lower case
     */
    public record Request(String method, String target, Map<String, String> fields) {}

    private FaultServer(ServerSocket socket, Behaviour behaviour) {
        this.port = socket.getLocalPort();
        this.behaviour = behaviour;
    }

    /** Starts on a free port. */
    public static FaultServer start(Behaviour behaviour) throws IOException {
        ServerSocket socket = listen(0);
        FaultServer server = new FaultServer(socket, behaviour);
        server.accept(socket);
        return server;
    }

    private static ServerSocket listen(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
        return socket;
    }

    private void accept(ServerSocket socket) {
        listening = socket;
        accepting = thread("accept", () -> {
            while (!socket.isClosed()) {
                try {
                    Socket client = socket.accept();
                    sockets.add(client);
                    thread("connection", () -> serve(client));
                } catch (IOException e) {
                    // closed
                }
            }
        });
    }

    private static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(work, "fault-server-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Where it answers, with a slash at the end. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + port + "/");
    }

    /** Has it do something else from the next request on. */
    public void behave(Behaviour another) {
        behaviour = another;
    }

    /** Refuses connections, and ends those there are. The port stays its own: no other server can be given it meanwhile. */
    public void leave() throws IOException {
        shut();
        away = hold(port);
    }

    private void shut() throws IOException {
        ServerSocket socket = listening;
        Thread acceptor = accepting;
        listening = null;
        accepting = null;
        if (socket != null && acceptor != null) {
            socket.close();
            try {
                // it is closed for good when nobody waits in it any more
                acceptor.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        sockets.forEach(FaultServer::closeQuietly);
    }

    /** Accepts connections again, on the same port. */
    public void comeBack() throws IOException {
        release();
        accept(listen(port));
    }

    private static Socket hold(int port) throws IOException {
        Socket holder = new Socket();
        holder.setReuseAddress(true);
        holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return holder;
    }

    private void release() {
        Socket holder = away;
        away = null;
        if (holder != null) {
            closeQuietly(holder);
        }
    }

    /** All requests so far, in their order. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    /** Forgets them. */
    public void forgetRequests() {
        requests.clear();
    }

    /** How many connections are open. */
    public int connections() {
        return sockets.size();
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            while (true) {
                Request request = readHead(in);
                if (request == null) {
                    return;
                }
                requests.add(request);
                Exchange exchange = new Exchange(request, socket);
                behaviour.answer(exchange);
                if (exchange.last) {
                    return;
                }
            }
        } catch (IOException e) {
            // the client has left, or the connection was to break
        } finally {
            sockets.remove(socket);
        }
    }

    private static @Nullable Request readHead(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        while (true) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            bytes.write(next);
            String head = next == '\n' ? bytes.toString(StandardCharsets.ISO_8859_1) : "";
            if (head.endsWith("\r\n\r\n")) {
                return parse(head);
            }
        }
    }

    private static Request parse(String head) {
        String[] lines = head.split("\r\n", -1);
        String[] first = lines[0].split(" ", -1);
        Map<String, String> fields = new TreeMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                fields.put(
                        lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                        lines[i].substring(colon + 1).strip());
            }
        }
        return new Request(first[0], first[1], fields);
    }

    /** One request, and the connection that its answer goes over. */
    public final class Exchange {
        private final Request request;
        private final Socket socket;
        private boolean last;

        private Exchange(Request request, Socket socket) {
            this.request = request;
            this.socket = socket;
        }

        public Request request() {
            return request;
        }

        /** A field of the request; null if it has none. */
        public @Nullable String field(String name) {
            return request.fields().get(name.toLowerCase(Locale.ROOT));
        }

        /** Sends bytes. */
        public void send(byte[] bytes, int from, int to) throws IOException {
            socket.getOutputStream().write(bytes, from, to - from);
            socket.getOutputStream().flush();
        }

        /** Sends text in ISO-8859-1. */
        public void send(String text) throws IOException {
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            send(bytes, 0, bytes.length);
        }

        /** Ends the connection after this. */
        public void end() {
            last = true;
        }

        /** Resets the connection. */
        public void reset() throws IOException {
            last = true;
            socket.setSoLinger(true, 0);
            socket.close();
        }

        /** Is silent until the server is closed, or until the client has left. */
        public void hang() throws IOException {
            last = true;
            socket.setSoTimeout(20);
            while (true) {
                try {
                    if (closing.await(0, TimeUnit.SECONDS)
                            || socket.getInputStream().read() < 0) {
                        return;
                    }
                } catch (java.net.SocketTimeoutException e) {
                    // nothing yet
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is to be gone, and is
        }
    }

    @Override
    public void close() throws IOException {
        closing.countDown();
        shut();
        release();
    }
}
