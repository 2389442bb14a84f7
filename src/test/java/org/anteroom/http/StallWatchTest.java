package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who stalls and who is slow, with times and queues of the test's. */
class StallWatchTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Map<Integer, Long> queues = new HashMap<>();
    private int looks;
    private final StallWatch watch = new StallWatch(TIMEOUT, this::look);

    private SendQueues look(Set<Integer> wanted) {
        looks++;
        StringBuilder table = new StringBuilder();
        queues.forEach((port, bytes) -> table.append("0: 0:0050 0:%X 01 %X:0 0%n".formatted(port, bytes)));
        try {
            return SendQueues.parse(new StringReader(table.toString()), wanted);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Client implements StallWatch.Client {
        private final @Nullable TcpConnection connection;
        private long since;

        Client(@Nullable TcpConnection connection, int since) {
            this.connection = connection;
            waitsSince(since);
        }

        void waitsSince(int seconds) {
            since = seconds == 0 ? 0 : TimeUnit.SECONDS.toNanos(seconds);
        }

        @Override
        public long waitingSince() {
            return since;
        }

        @Override
        public @Nullable TcpConnection connection() {
            return connection;
        }
    }

    private static Client at(int port, int since) {
        return new Client(new TcpConnection(0x50, port), since);
    }

    /** Looks every two seconds up to a time; when the client was said to stall first, 0 if never. */
    private int stallsAt(Client client, int from, int to, Runnable between) {
        for (int second = from; second <= to; second += 2) {
            between.run();
            if (!watch.stalled(List.of(client), TimeUnit.SECONDS.toNanos(second))
                    .isEmpty()) {
                return second;
            }
        }
        return 0;
    }

    @Test
    void whoseQueueStandsStillStalls() {
        queues.put(1, 1000L);
        assertThat(stallsAt(at(1, 10), 10, 1000, () -> {})).isBetween(130, 140);
    }

    @Test
    void whoseQueueMovesIsSlow() {
        queues.put(1, 1_000_000L);
        assertThat(stallsAt(at(1, 10), 10, 5000, () -> queues.merge(1, -1L, Long::sum)))
                .isZero();
    }

    @Test
    void whoTakesALittleAndThenNothingStallsOneTimeoutLater() {
        Client client = at(1, 10);
        queues.put(1, 1_000_000L);
        assertThat(stallsAt(client, 10, 500, () -> queues.merge(1, -1L, Long::sum)))
                .isZero();
        assertThat(stallsAt(client, 502, 5000, () -> {})).isBetween(615, 630);
    }

    @Test
    void whoseQueueIsSeenForTheFirstTimeIsLookedAtAgain() {
        Client client = at(1, 10);
        queues.put(1, 1000L);
        assertThat(stallsAt(client, 1000, 1000, () -> {})).isZero();
        assertThat(stallsAt(client, 1010, 1010, () -> {})).isEqualTo(1010);
    }

    @Test
    void whereNoQueueIsKnownOnlyTheContainersWordCounts() {
        assertThat(stallsAt(at(1, 10), 10, 1000, () -> {})).isBetween(130, 140);
        assertThat(stallsAt(new Client(null, 2000), 2000, 3000, () -> {})).isBetween(2120, 2130);
    }

    @Test
    void whoIsWaitedForAnewHasTheWholeTimeAgain() {
        Client client = at(1, 10);
        queues.put(1, 1000L);
        assertThat(stallsAt(client, 10, 100, () -> {})).isZero();
        client.waitsSince(101);
        assertThat(stallsAt(client, 102, 1000, () -> {})).isBetween(221, 231);
    }

    @Test
    void whoIsNotWaitedForNeverStalls() {
        assertThat(stallsAt(at(1, 0), 10, 1000, () -> {})).isZero();
        assertThat(looks).isZero();
    }

    @Test
    void oneStallsBesideAnotherThatIsSlow() {
        Client slow = at(1, 10);
        Client stalled = at(2, 10);
        queues.put(1, 1_000_000L);
        queues.put(2, 1000L);
        Set<Client> found = new HashSet<>();
        for (int second = 10; second <= 140; second += 2) {
            queues.merge(1, -1L, Long::sum);
            found.addAll(watch.stalled(List.of(slow, stalled), TimeUnit.SECONDS.toNanos(second)));
        }
        assertThat(found).containsExactly(stalled);
    }

    @Test
    void theMachinesTableIsReadRarelyAndOnlyForSuspects() {
        Client client = at(1, 10);
        queues.put(1, 1000L);
        stallsAt(client, 10, 38, () -> {});
        assertThat(looks).isZero();
        stallsAt(client, 40, 110, () -> {});
        assertThat(looks).isBetween(5, 13);
    }
}
