package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncEvent;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Whenever the container ends an exchange, its transfer is told. */
class EndOfExchangeTest {
    private static final TransferWay WAY = new TransferWay(new Buffers(1024, 1), Runnable::run, false, () -> {});

    private final FakeExchange exchange = new FakeExchange();
    private final EndOfExchange end = new EndOfExchange(exchange);

    @Test
    void anExchangeWithoutATransferIsCompleted() {
        ends();
        assertThat(end.isOver()).isTrue();
        assertThat(exchange.events).containsExactly("complete");
    }

    @Test
    void aTransferUnderWayIsAborted() {
        Transfer transfer = exchange.transfer(10, WAY);
        end.begins(transfer);
        transfer.start();
        ends();
        assertThat(exchange.events).containsExactly("head", "listening", "ABORTED", "complete", "closed");
    }

    @Test
    void aTransferThatBeginsTooLateIsAborted() {
        ends();
        exchange.events.clear();
        Transfer transfer = exchange.transfer(10, WAY);
        end.begins(transfer);
        transfer.startReady();
        assertThat(exchange.events).containsExactly("ABORTED", "complete", "closed");
    }

    @Test
    void theTransferOfAnErrorThatFollowsIsAborted() {
        Transfer failed = exchange.transfer(10, WAY);
        end.begins(failed);
        failed.abort(new IOException("the archive failed"));
        assertThat(exchange.events).containsExactly("FAILED", "refused", "closed");
        exchange.events.clear();
        end.begins(exchange.transfer(10, WAY));
        ends();
        assertThat(exchange.events).containsExactly("ABORTED", "complete", "closed");
    }

    private void ends() {
        end.onError(new AsyncEvent(exchange, null, null, new IOException("gone")));
    }
}
