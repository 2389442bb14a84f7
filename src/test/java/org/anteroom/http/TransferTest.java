package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Transfers on a real Tomcat, with bodies that are late, that fail, and clients that leave or stall. */
@Timeout(60)
class TransferTest {
    @TempDir
    Path dir;

    private final Tomcat tomcat = new Tomcat();
    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();
    private final AtomicInteger open = new AtomicInteger();
    private volatile @Nullable Transfer last;

    /** How the servlet begins the next transfer. */
    private volatile Function<Run, Body> script = run -> {
        throw new IllegalStateException("no script");
    };

    private volatile @Nullable RuntimeException refusal;
    private volatile int length;
    private volatile boolean ready;

    /** One request; what the bodies of a script may call. */
    private final class Run implements Transfer.Source {
        final HttpServletRequest request;
        final HttpServletResponse response;
        final AsyncContext async;
        final List<Body> spare = new ArrayList<>();

        Run(HttpServletRequest request, HttpServletResponse response) {
            this.request = request;
            this.response = response;
            this.async = request.startAsync();
            async.setTimeout(0);
        }

        @Override
        public void commit() {
            response.setContentLengthLong(length);
        }

        @Override
        public Body next(Body failed, long position, IOException cause) throws IOException {
            if (spare.isEmpty()) {
                throw cause;
            }
            return spare.remove(0);
        }

        @Override
        public void refuse(IOException cause) {
            RuntimeException fault = refusal;
            if (fault != null) {
                throw fault;
            }
            try {
                Refused.send(request, response, cause, new AnswerLog(Ticker.systemTicker()));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            async.complete();
        }

        @Override
        public void sever(IOException cause) {
            Severance.request(async, cause);
        }

        @Override
        public void ended(Transfer transfer, Transfer.End how, long sent, @Nullable Throwable cause) {
            ends.add(how + " " + sent);
        }
    }

    private final class TestServlet extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (request.getDispatcherType() == DispatcherType.ASYNC) {
                throw Severance.requested(request, response);
            }
            Run run = new Run(request, response);
            Transfer transfer = new Transfer(
                    run.async,
                    response.getOutputStream(),
                    run,
                    script.apply(run),
                    0,
                    length,
                    new TransferWay(new Buffers(128 * 1024, 16), executor, false, () -> {}));
            last = transfer;
            if (ready) {
                transfer.startReady();
            } else {
                executor.execute(transfer::start);
            }
        }
    }

    /** Bytes up to a limit that grows; then an end, or a failure. */
    private class GrowingBody implements Body {
        final byte[] bytes;
        private long limit;
        private @Nullable IOException failure;
        private @Nullable Runnable waiter;
        private boolean closed;
        final CountDownLatch awaited = new CountDownLatch(1);

        GrowingBody(byte[] bytes, long limit, @Nullable IOException failure) {
            this.bytes = bytes;
            this.limit = limit;
            this.failure = failure;
            open.incrementAndGet();
        }

        void grow(long to, @Nullable IOException then) {
            Runnable wake;
            synchronized (this) {
                limit = to;
                failure = then;
                wake = waiter;
                waiter = null;
            }
            if (wake != null) {
                wake.run();
            }
        }

        @Override
        public synchronized int read(ByteBuffer target, long position) throws IOException {
            int n = (int) Math.min(target.remaining(), limit - position);
            if (n <= 0) {
                if (failure != null) {
                    throw failure;
                }
                return 0;
            }
            target.put(bytes, (int) position, n);
            return n;
        }

        @Override
        public synchronized boolean await(long position, Runnable wake) {
            if (position < limit || failure != null) {
                return false;
            }
            waiter = wake;
            awaited.countDown();
            return true;
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                open.decrementAndGet();
            }
        }
    }

    @BeforeEach
    void start() throws Exception {
        tomcat.setBaseDir(dir.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("socket.appWriteBufSize", "131072");
        tomcat.getConnector().setProperty("connectionTimeout", "600000");
        Context context = tomcat.addContext("", dir.toString());
        Wrapper wrapper = Tomcat.addServlet(context, "test", new TestServlet());
        wrapper.setAsyncSupported(true);
        wrapper.addMapping("/*");
        tomcat.start();
    }

    @AfterEach
    void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
        executor.shutdownNow();
        assertThat(open).as("bodies left open").hasValue(0);
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    private Socket request() throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), tomcat.getConnector().getLocalPort());
        socket.setSoTimeout(20_000);
        socket.getOutputStream()
                .write("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /** Reads a response whose connection is closed, or that has the promised length. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(String head, byte[] body, boolean closed) {}

    private static Answer read(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                return new Answer(head.toString(), new byte[0], true);
            }
            head.append((char) c);
        }
        long length = Long.parseLong(head.toString().replaceAll("(?is).*content-length: (\\d+).*", "$1"));
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] buffer = new byte[65536];
        while (body.size() < length) {
            int n;
            try {
                n = in.read(buffer, 0, (int) Math.min(buffer.length, length - body.size()));
            } catch (java.net.SocketException e) {
                n = -1;
            }
            if (n < 0) {
                return new Answer(head.toString(), body.toByteArray(), true);
            }
            body.write(buffer, 0, n);
        }
        return new Answer(head.toString(), body.toByteArray(), false);
    }

    private String end() throws InterruptedException {
        return ends.poll(20, TimeUnit.SECONDS);
    }

    @Test
    void a_ready_body_is_sent_whole_and_the_connection_lives() throws Exception {
        byte[] bytes = random(3_000_001);
        length = bytes.length;
        ready = true;
        script = run -> new GrowingBody(bytes, bytes.length, null);
        try (Socket socket = request()) {
            assertThat(read(socket).body()).isEqualTo(bytes);
            socket.getOutputStream()
                    .write("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(read(socket).body()).isEqualTo(bytes);
        }
        assertThat(end()).isEqualTo("COMPLETED 3000001");
    }

    @Test
    void a_body_that_grows_is_followed() throws Exception {
        byte[] bytes = random(1_000_000);
        length = bytes.length;
        BlockingQueue<GrowingBody> bodies = new LinkedBlockingQueue<>();
        script = run -> {
            GrowingBody body = new GrowingBody(bytes, 0, null);
            bodies.add(body);
            return body;
        };
        try (Socket socket = request()) {
            GrowingBody body = bodies.take();
            for (int i = 0; i <= 100; i++) {
                body.grow(i * 10_000L, null);
            }
            assertThat(read(socket).body()).isEqualTo(bytes);
        }
        assertThat(end()).isEqualTo("COMPLETED 1000000");
    }

    @Test
    void a_failure_before_the_first_byte_is_an_error_answer() throws Exception {
        length = 1000;
        script = run -> new GrowingBody(
                new byte[1000], 0, new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed."));
        try (Socket socket = request()) {
            Answer answer = read(socket);
            assertThat(answer.head()).startsWith("HTTP/1.1 502");
            assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("The archive failed.");
        }
        assertThat(end()).isEqualTo("FAILED 0");
    }

    @Test
    void a_failure_before_the_first_byte_of_a_ready_body_is_an_error_answer() throws Exception {
        length = 1000;
        ready = true;
        script = run -> new GrowingBody(
                new byte[1000], 0, new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed."));
        try (Socket socket = request()) {
            assertThat(read(socket).head()).startsWith("HTTP/1.1 502");
        }
        assertThat(end()).isEqualTo("FAILED 0");
    }

    @Test
    void a_failure_in_the_middle_breaks_the_transfer_at_once() throws Exception {
        byte[] bytes = random(500_000);
        length = 500_000;
        BlockingQueue<GrowingBody> bodies = new LinkedBlockingQueue<>();
        script = run -> {
            GrowingBody body = new GrowingBody(bytes, 200_000, null);
            bodies.add(body);
            return body;
        };
        try (Socket socket = request()) {
            GrowingBody body = bodies.take();
            InputStream in = socket.getInputStream();
            assertThat(in.read()).isPositive();
            long before = System.nanoTime();
            body.grow(200_000, new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed."));
            in.readAllBytes();
            assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(10));
        } catch (java.net.SocketException e) {
            // a reset is a broken transfer, too
        }
        assertThat(end()).isEqualTo("FAILED 200000");
    }

    @Test
    void a_failure_in_the_containers_callback_breaks_the_transfer_at_once() throws Exception {
        byte[] bytes = random(5_000_000);
        length = 5_000_000;
        ready = true;
        script = run -> new GrowingBody(
                bytes, 4_000_000, new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed."));
        try (Socket socket = request()) {
            Answer answer = read(socket);
            assertThat(answer.closed()).isTrue();
            assertThat(answer.body().length).isBetween(0, 4_000_000);
        }
        assertThat(end()).isEqualTo("FAILED 4000000");
    }

    @Test
    void a_lost_body_is_replaced_at_the_same_offset() throws Exception {
        byte[] bytes = random(2_000_000);
        length = bytes.length;
        script = run -> {
            run.spare.add(new GrowingBody(bytes, 1_500_000, new EOFException("lost, too")));
            run.spare.add(new GrowingBody(bytes, 2_000_000, null));
            return new GrowingBody(bytes, 700_000, new EOFException("lost"));
        };
        try (Socket socket = request()) {
            assertThat(read(socket).body()).isEqualTo(bytes);
        }
        assertThat(end()).isEqualTo("COMPLETED 2000000");
    }

    @Test
    void a_client_that_leaves_is_aborted() throws Exception {
        byte[] bytes = random(60_000_000);
        length = bytes.length;
        ready = true;
        script = run -> new GrowingBody(bytes, bytes.length, null);
        try (Socket socket = request()) {
            socket.getInputStream().read();
            socket.setSoLinger(true, 0);
        }
        assertThat(end()).startsWith("ABORTED");
    }

    @Test
    void a_client_that_stalls_is_dropped() throws Exception {
        byte[] bytes = random(60_000_000);
        length = bytes.length;
        ready = true;
        CountDownLatch begun = new CountDownLatch(1);
        script = run -> {
            begun.countDown();
            return new GrowingBody(bytes, bytes.length, null);
        };
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(8192);
            socket.connect(new java.net.InetSocketAddress(
                    InetAddress.getLoopbackAddress(), tomcat.getConnector().getLocalPort()));
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            begun.await();
            org.awaitility.Awaitility.await().until(() -> {
                Transfer transfer = last;
                return transfer != null && transfer.dropIfStalled(System.nanoTime());
            });
            assertThat(end()).startsWith("STALLED");
            long before = System.nanoTime();
            try {
                socket.getInputStream().readAllBytes();
            } catch (java.net.SocketException e) {
                // a reset is a broken transfer, too
            }
            assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(10));
        }
    }

    @Test
    void an_abort_before_the_first_byte_is_an_error_answer() throws Exception {
        length = 1000;
        BlockingQueue<GrowingBody> bodies = new LinkedBlockingQueue<>();
        script = run -> {
            GrowingBody body = new GrowingBody(new byte[1000], 0, null);
            bodies.add(body);
            return body;
        };
        try (Socket socket = request()) {
            bodies.take().awaited.await();
            Transfer waiting = java.util.Objects.requireNonNull(last);
            waiting.abort(new FailureException(FailureReason.NOT_READY, "The service is stopping."));
            Answer answer = read(socket);
            assertThat(answer.head()).startsWith("HTTP/1.1 503").contains("Retry-After: 5");
        }
        assertThat(end()).isEqualTo("FAILED 0");
    }

    @Test
    void an_abort_in_the_middle_breaks_the_transfer() throws Exception {
        byte[] bytes = random(500_000);
        length = bytes.length;
        BlockingQueue<GrowingBody> bodies = new LinkedBlockingQueue<>();
        script = run -> {
            GrowingBody body = new GrowingBody(bytes, 200_000, null);
            bodies.add(body);
            return body;
        };
        try (Socket socket = request()) {
            GrowingBody body = bodies.take();
            assertThat(socket.getInputStream().read()).isPositive();
            body.awaited.await();
            Transfer waiting = java.util.Objects.requireNonNull(last);
            waiting.abort(new FailureException(FailureReason.NOT_READY, "The service is stopping."));
            assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(300_000);
        } catch (java.net.SocketException e) {
            // a reset is a broken transfer, too
        }
        assertThat(end()).isEqualTo("FAILED 200000");
    }

    @Test
    void an_error_in_a_step_ends_the_transfer_and_closes_its_body() throws Exception {
        length = 1000;
        script = run -> new GrowingBody(new byte[1000], 0, null) {
            @Override
            public synchronized int read(ByteBuffer target, long position) {
                throw new OutOfMemoryError("as if");
            }
        };
        try (Socket socket = request()) {
            assertThat(read(socket).head()).startsWith("HTTP/1.1 5");
        }
        assertThat(end()).isEqualTo("FAILED 0");
    }

    @Test
    void an_end_that_fails_breaks_the_transfer_and_closes_its_body() throws Exception {
        length = 1000;
        refusal = new IllegalStateException("as if");
        script = run -> new GrowingBody(
                new byte[1000], 0, new FailureException(FailureReason.ARCHIVE_FAILED, "The archive failed."));
        try (Socket socket = request()) {
            assertThat(end()).isEqualTo("FAILED 0");
            socket.getInputStream().read();
        } catch (java.net.SocketException e) {
            // a reset is an end, too
        }
    }
}
