package org.anteroom.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.delivery.ResponsePlan;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How requests are refused: with a {@link Problem} that is sent from the thread that has it, but on HTTP/2 like a file.
 *
 * <p>For there a client that opens no window, or takes nothing, would hold the thread that writes as long as it likes, with
 * the smallest of bodies; and one connection carries a hundred such requests.
 */
public final class Refusals {
    private static final Logger log = LoggerFactory.getLogger(Refusals.class);

    private final AnswerLog answers;
    private final Transfers transfers;
    private final SharedConnections shared;

    /** Refusals that are noted there, and are sent there on HTTP/2. */
    public Refusals(AnswerLog answers, Transfers transfers, SharedConnections shared) {
        this.answers = answers;
        this.transfers = transfers;
        this.shared = shared;
    }

    /**
     * Refuses a request that is not asynchronous, on the container's thread; does nothing if its answer has begun.
     *
     * @throws IOException if the client is gone
     */
    void refuse(HttpServletRequest request, HttpServletResponse response, Throwable failure) throws IOException {
        finish(request, response, Problem.begin(request, response, failure, answers));
    }

    /** The same with a plan of status 412 or 416. */
    void refuse(HttpServletRequest request, HttpServletResponse response, ResponsePlan plan) throws IOException {
        finish(request, response, Problem.begin(request, response, plan, answers));
    }

    private void finish(HttpServletRequest request, HttpServletResponse response, byte @Nullable [] body)
            throws IOException {
        if (body == null || body.length == 0) {
            return;
        }
        if (!Container.multiplexes(request)) {
            response.getOutputStream().write(body);
            return;
        }
        AsyncContext async = request.startAsync(request, response);
        async.setTimeout(0);
        Last last = new Last(request, async, body);
        async.addListener(new EndOfExchange(() -> {}, last::endedByContainer));
        last.begin(response);
    }

    /**
     * Sends the body of a refusal whose head is set, and ends the exchange.
     *
     * @param listening whether the answer is written in the container's callbacks, so that no write of it waits
     * @return what sends it, to be told how the exchange ends; null if that is done
     */
    @Nullable
    Transfer send(
            HttpServletRequest request,
            HttpServletResponse response,
            AsyncContext async,
            byte[] body,
            boolean listening) {
        try {
            if (body.length > 0 && !listening && Container.multiplexes(request)) {
                return new Last(request, async, body).begin(response);
            }
            response.getOutputStream().write(body);
            Container.commit(request, response);
        } catch (IOException e) {
            log.debug("the client of request {} is gone", Problem.requestId(request), e);
        }
        complete(async);
        return null;
    }

    private static void complete(AsyncContext async) {
        try {
            async.complete();
        } catch (IllegalStateException e) {
            // the container has ended the exchange already, after an error of its own
        }
    }

    /** The last of an answer: the body of a refusal, as what a transfer sends. */
    private final class Last implements Transfer.Source, Body {
        private final HttpServletRequest request;
        private final AsyncContext async;
        private final byte[] bytes;
        private volatile @Nullable Transfer transfer;

        Last(HttpServletRequest request, AsyncContext async, byte[] bytes) {
            this.request = request;
            this.async = async;
            this.bytes = bytes;
        }

        Transfer begin(HttpServletResponse response) throws IOException {
            var output = response.getOutputStream();
            TransferWay way = shared.enter(request.getServletConnection().getConnectionId());
            Transfer mine = new Transfer(async, output, this, this, 0, bytes.length, way);
            transfer = mine;
            transfers.begun(mine);
            mine.start();
            return mine;
        }

        void endedByContainer(Throwable cause) {
            Transfer mine = transfer;
            if (mine == null) {
                complete(async);
            } else {
                mine.onError(cause);
            }
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
            Severance.request(async, cause);
        }

        @Override
        public void ended(Transfer.End end, long sent, @Nullable Throwable cause) {
            Transfer mine = transfer;
            if (mine != null) {
                transfers.ended(mine, Transfers.Kind.ERROR, end, sent);
            }
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
