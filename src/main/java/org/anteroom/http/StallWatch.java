package org.anteroom.http;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tells clients that stall from those that are merely slow.
 *
 * <p>A container says that a client can take more only when a good part of the socket's buffer is free again, and that
 * may be megabytes: minutes for a client on a thin line. So who has been waited for a while is looked at more closely:
 * as long as the unacknowledged bytes of its connection change, it takes something. Where they are not known (not Linux,
 * or several streams over one connection) only the container's word counts.
 *
 * <p>Used by one thread.
 */
final class StallWatch {
    /** The part of the timeout after which a client is looked at. */
    private static final int SUSPECT_AFTER = 4;

    /** The part of the timeout between two looks at the machine's connections, whose table may be long. */
    private static final int LOOK_EVERY = 20;

    /** One who may be waited for. */
    interface Client {
        /** Since when it is waited for (System.nanoTime); 0 while it is not. */
        long waitingSince();

        /** Its connection, if its progress shows there. */
        @Nullable
        TcpConnection connection();
    }

    /**
     * @param since when the waiting began that was looked at
     * @param queue unacknowledged bytes at the last look; null if not known
     * @param progress when the client was last known to take something
     */
    private record Seen(long since, @Nullable Long queue, long progress) {}

    private final long timeout;
    private final Function<Set<Integer>, SendQueues> queues;
    private Map<Client, Seen> seen = new HashMap<>();
    private long lastLook;
    private boolean looked;

    /**
     * Nobody seen yet.
     *
     * @param timeout the longest that a client may take nothing
     * @param queues the send queues of the connections with these keys, read anew
     */
    StallWatch(Duration timeout, Function<Set<Integer>, SendQueues> queues) {
        this.timeout = timeout.toNanos();
        this.queues = queues;
    }

    /** Those of the clients that have taken nothing for longer than the timeout, at a time (System.nanoTime). */
    <C extends Client> List<C> stalled(Iterable<C> clients, long now) {
        Map<C, Long> suspects = new HashMap<>();
        for (C client : clients) {
            long since = client.waitingSince();
            if (since != 0 && now - since > timeout / SUSPECT_AFTER) {
                suspects.put(client, since);
            }
        }
        if (suspects.isEmpty() || (looked && now - lastLook < timeout / LOOK_EVERY)) {
            if (suspects.isEmpty()) {
                seen.clear();
            }
            return List.of();
        }
        looked = true;
        lastLook = now;
        Map<Client, TcpConnection> connections = connections(suspects.keySet());
        SendQueues found = connections.isEmpty() ? null : queues.apply(keys(connections));
        Map<Client, Seen> next = new HashMap<>();
        List<C> stalled = new ArrayList<>(0);
        suspects.forEach((client, since) -> {
            TcpConnection connection = connections.get(client);
            Long queue = found == null || connection == null ? null : found.get(connection);
            Seen before = seen.get(client);
            Seen after = look(before != null && before.since() == since ? before : null, since, queue, now);
            next.put(client, after);
            // one whose queue is seen for the first time may have been taking bytes all along
            boolean unsure = queue != null && (before == null || before.since() != since);
            if (!unsure && now - after.progress() > timeout) {
                stalled.add(client);
            }
        });
        seen = next;
        return stalled;
    }

    private static Seen look(@Nullable Seen before, long since, @Nullable Long queue, long now) {
        if (before == null) {
            return new Seen(since, queue, since);
        }
        boolean moved = queue != null && before.queue() != null && !queue.equals(before.queue());
        return new Seen(since, queue, moved ? now : before.progress());
    }

    private static Map<Client, TcpConnection> connections(Set<? extends Client> suspects) {
        Map<Client, TcpConnection> connections = new HashMap<>();
        for (Client client : suspects) {
            TcpConnection connection = client.connection();
            if (connection != null) {
                connections.put(client, connection);
            }
        }
        return connections;
    }

    private static Set<Integer> keys(Map<Client, TcpConnection> connections) {
        Set<Integer> keys = new HashSet<>();
        connections.values().forEach(connection -> keys.add(connection.key()));
        return keys;
    }
}
