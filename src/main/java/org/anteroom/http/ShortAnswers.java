package org.anteroom.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How answers of a few bytes are sent: from the thread that has them, but on HTTP/2 like a file.
 *
 * <p>For there a client that opens no window, or takes nothing, would hold the thread that writes, with the smallest of
 * bodies; and one connection carries a hundred such requests. The head needs no window.
 */
public final class ShortAnswers {
    private static final Logger log = LoggerFactory.getLogger(ShortAnswers.class);

    private final Transfers transfers;
    private final SharedConnections shared;

    /** Answers that are sent there on HTTP/2. */
    public ShortAnswers(Transfers transfers, SharedConnections shared) {
        this.transfers = transfers;
        this.shared = shared;
    }

    /**
     * Sends the body of an answer whose head is set, to a request that is not asynchronous, on the container's thread.
     *
     * @throws IOException if the client is gone
     */
    void send(HttpServletRequest request, HttpServletResponse response, byte[] body) throws IOException {
        if (body.length == 0) {
            return;
        }
        if (!Container.multiplexes(request)) {
            response.getOutputStream().write(body);
            return;
        }
        if (!request.isAsyncSupported()) {
            // a servlet of the container's: the head says enough
            response.setContentLength(0);
            return;
        }
        new Last(new EndOfExchange(request.startAsync(request, response)), body).begin(request, response);
    }

    /**
     * Sends the body of an answer whose head is set, and ends the exchange.
     *
     * <p>Where the answer is written in the container's callbacks already, HTTP/2 gets the head alone: whoever completed an
     * exchange with a body that the client does not take would wait for it.
     */
    void send(HttpServletRequest request, HttpServletResponse response, EndOfExchange end, byte[] body) {
        try {
            if (!Container.multiplexes(request)) {
                response.getOutputStream().write(body);
            } else if (end.listening()) {
                response.setContentLength(0);
            } else if (body.length > 0) {
                new Last(end, body).begin(request, response);
                return;
            }
            Container.commit(request, response);
        } catch (IOException e) {
            log.debug("the client of request {} is gone", Problem.requestId(request), e);
        }
        end.complete();
    }

    /** The last of an answer: its body, as what a transfer sends. */
    private final class Last implements Transfer.Source, Body {
        private final EndOfExchange end;
        private final byte[] bytes;

        Last(EndOfExchange end, byte[] bytes) {
            this.end = end;
            this.bytes = bytes;
        }

        void begin(HttpServletRequest request, HttpServletResponse response) throws IOException {
            var output = response.getOutputStream();
            TransferWay way = shared.enter(request.getServletConnection().getConnectionId());
            Transfer transfer = new Transfer(end.async(), output, this, this, 0, bytes.length, way);
            transfers.begun(transfer);
            end.begins(transfer);
            transfer.start();
        }

        @Override
        public void commit() {
            // the head is set
        }

        @Override
        public Body next(Body failed, long position, IOException cause) throws IOException {
            throw cause;
        }

        @Override
        public void refuse(IOException cause) {
            sever(cause);
        }

        @Override
        public void sever(IOException cause) {
            Severance.request(end.async(), cause);
        }

        @Override
        public void ended(Transfer transfer, Transfer.End how, long sent, @Nullable Throwable cause) {
            transfers.ended(transfer, Transfers.Kind.SHORT, how, sent);
        }

        @Override
        public int read(ByteBuffer target, long position) {
            int n = Math.min(target.remaining(), bytes.length - (int) position);
            target.put(bytes, (int) position, n);
            return n;
        }

        @Override
        public boolean await(long position, Runnable wake) {
            return false;
        }

        @Override
        public void close() {
            // nothing is held
        }
    }
}
