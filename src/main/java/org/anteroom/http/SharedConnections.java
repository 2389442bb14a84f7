package org.anteroom.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.anteroom.tasks.Lane;
import org.jspecify.annotations.Nullable;

/**
 * The ways of transfers whose connection carries others at the same time (HTTP/2): off the container's threads, and on one
 * thread at a time for each connection.
 *
 * <p>For Tomcat writes a frame of HTTP/2 at once, whatever is said of writes that do not block: the thread waits when the
 * kernel takes no more, which happens to each client whose line is slower than its windows are large. Such clients may
 * hold up themselves and, when there are more of them than the pool has threads, each other; never who speaks HTTP/1.1.
 * Connections have their turns one after the other: one that takes all it can get keeps no thread from the others.
 */
public final class SharedConnections {
    private static final int BUFFER = 16 * 1024;
    private static final int BUFFERS_KEPT = 256;

    private final Executor pool;
    private final int waiting;
    /** Tomcat says nothing of a stream before it has sent all that was written: so slow ones are seen to take something. */
    private final Buffers buffers = new Buffers(BUFFER, BUFFERS_KEPT);

    private final Map<String, Way> ways = new ConcurrentHashMap<>();

    /** The way of one connection, and how many transfers are on it. */
    private record Way(Lane lane, int transfers) {}

    /**
     * No connections yet.
     *
     * @param pool with a queue that has room for all of them
     * @param waiting the most work that waits in line for one connection
     */
    public SharedConnections(Executor pool, int waiting) {
        this.pool = pool;
        this.waiting = waiting;
    }

    /** The way of a connection, for a transfer that begins, which leaves it when it has ended. */
    TransferWay enter(String connection) {
        Way way = ways.merge(
                connection,
                new Way(Lane.inTurns(pool, waiting), 1),
                (known, unused) -> new Way(known.lane(), known.transfers() + 1));
        return new TransferWay(buffers, way.lane(), true, () -> leave(connection));
    }

    private void leave(String connection) {
        ways.computeIfPresent(connection, (id, way) -> left(way));
    }

    private static @Nullable Way left(Way way) {
        return way.transfers() == 1 ? null : new Way(way.lane(), way.transfers() - 1);
    }

    /** Connections with transfers under way. */
    int size() {
        return ways.size();
    }
}
