package org.anteroom.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is sent arrives byte for byte, and what is answered is read as RFC 9112 frames it. */
class RawHttpTest {
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void sendsTheTargetAsItIs() throws Exception {
        CompletableFuture<String> received = answer("HTTP/1.1 204 No Content\r\n\r\n");

        RawHttp.Response response = RawHttp.get(base(), "/a/%2e%2e/\\\u00ff", "X-Test: 1");

        assertThat(response.status()).isEqualTo(204);
        assertThat(received.get())
                .isEqualTo(
                        "GET /a/%2e%2e/\\\u00ff HTTP/1.1\r\nHost: localhost\r\nX-Test: 1\r\nConnection: close\r\n\r\n");
    }

    @Test
    void readsOneResponseAfterTheOther() throws Exception {
        CompletableFuture<String> received =
                answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\nA: 1\r\na:2\r\n\r\nabc"
                        + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n2;x=y\r\nef\r\n0\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nHTTP/1.1 200 OK\r\n\r\nto the end");

        try (RawHttp http = RawHttp.connect(base())) {
            http.request("GET", "/");
            RawHttp.Response first = http.response("GET");
            assertThat(first.text()).isEqualTo("abc");
            assertThat(first.headers("A")).containsExactly("1", "2");
            assertThat(first.header("content-length")).hasValue("3");
            assertThat(http.response("GET").text()).isEqualTo("abcdef");
            assertThat(http.response("HEAD").body()).isEmpty();
            assertThat(http.response("GET").text()).isEqualTo("to the end");
        }
        assertThat(received.get()).startsWith("GET / HTTP/1.1\r\n");
    }

    @Test
    void aBodyThatEndsEarlyIsAnError() throws Exception {
        CompletableFuture<String> received = answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort");

        assertThatThrownBy(() -> RawHttp.get(base(), "/"))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining("5 of 10 bytes");
        assertThat(received.get()).isNotEmpty();
    }

    @Test
    void aResetIsSeenByTheServer() throws Exception {
        CompletableFuture<IOException> seen = new CompletableFuture<>();
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Thread peer = new Thread(() -> {
            try (Socket socket = server.accept()) {
                ready.complete(null);
                seen.completeExceptionally(
                        new AssertionError("read " + socket.getInputStream().read()));
            } catch (IOException e) {
                seen.complete(e);
            }
        });
        peer.start();
        RawHttp http = RawHttp.connect(base());
        ready.get();

        http.reset();

        assertThat(seen.get()).hasMessageContaining("reset");
        peer.join();
    }

    /** Accepts one connection, reads a request's head, answers, closes; completes with what was read. */
    private CompletableFuture<String> answer(String response) {
        return CompletableFuture.supplyAsync(() -> {
            try (Socket socket = server.accept()) {
                StringBuilder head = new StringBuilder();
                InputStream in = socket.getInputStream();
                while (head.indexOf("\r\n\r\n") < 0) {
                    head.append((char) in.read());
                }
                socket.getOutputStream().write(response.getBytes(StandardCharsets.ISO_8859_1));
                return head.toString();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private URI base() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
    }
}
