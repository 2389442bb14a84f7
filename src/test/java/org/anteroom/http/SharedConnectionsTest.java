package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Connections that carry several transfers share their threads. */
class SharedConnectionsTest {
    private final Deque<Runnable> pool = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private final SharedConnections connections = new SharedConnections(pool::add, 100);

    @Test
    void connectionsThatAlwaysHaveWorkTakeTurns() {
        goOn("a", connections.enter("a").executor(), 3);
        goOn("b", connections.enter("b").executor(), 3);

        // a pool of one thread
        for (Runnable next = pool.poll(); next != null; next = pool.poll()) {
            next.run();
        }

        assertThat(done).containsExactly("a", "b", "a", "b", "a", "b");
    }

    @Test
    void transfersOfOneConnectionNeverRunAtTheSameTime() {
        Executor first = connections.enter("a").executor();
        Executor second = connections.enter("a").executor();
        first.execute(() -> {
            second.execute(() -> done.add("second"));
            // nobody else may begin it
            assertThat(pool).isEmpty();
            done.add("first");
        });
        for (Runnable next = pool.poll(); next != null; next = pool.poll()) {
            next.run();
        }
        assertThat(done).containsExactly("first", "second");
    }

    @Test
    void aConnectionIsForgottenWithItsLastTransfer() {
        TransferWay first = connections.enter("a");
        TransferWay second = connections.enter("a");
        first.left().run();
        assertThat(connections.size()).isEqualTo(1);
        second.left().run();
        assertThat(connections.size()).isZero();
    }

    /** The container learns that a client has left while a write waits for it, and gives up on the writer after a while. */
    @Test
    void aTransferThatIsAbortedKeepsItsConnectionWhileItWrites() throws Exception {
        FakeExchange exchange = new FakeExchange();
        Transfer transfer = exchange.transfer(1000, connections.enter("a"));
        List<TransferWay> others = new ArrayList<>();
        exchange.whenWritten(() -> {
            onAnotherThread(() -> transfer.onError(new IOException("reset")));
            others.add(connections.enter("a"));
            others.get(0).executor().execute(() -> done.add("other"));
            done.add("pool " + pool.size());
        });
        transfer.start();
        transfer.onWritePossible();
        for (Runnable next = pool.poll(); next != null; next = pool.poll()) {
            next.run();
        }
        assertThat(exchange.events).contains("ABORTED", "closed");
        assertThat(done).containsExactly("pool 0", "other");
        assertThat(connections.size()).isEqualTo(1);
        others.get(0).left().run();
        assertThat(connections.size()).isZero();
    }

    private static void onAnotherThread(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Work that has more work when it is done, as a transfer has whose client takes all that it gets. */
    private void goOn(String name, Executor executor, int times) {
        if (times > 0) {
            executor.execute(() -> {
                done.add(name);
                goOn(name, executor, times - 1);
            });
        }
    }
}
