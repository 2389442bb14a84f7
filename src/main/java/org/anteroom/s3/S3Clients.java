package org.anteroom.s3;

import com.github.benmanes.caffeine.cache.Ticker;
import io.prometheus.metrics.core.metrics.Counter;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.anteroom.metrics.Metrics;

/**
 * The clients of all object stores: one for each way to reach one ({@link S3Settings}), made when it is first asked for and
 * closed together. They share the windows that are read through.
 */
public final class S3Clients implements Closeable {
    /** Of the heap, at most this share is for windows. */
    private static final int SHARE_OF_HEAP = 4;

    private static final long MOST_IN_WINDOWS = 256L << 20;

    private final Map<S3Settings, S3Link> links = new LinkedHashMap<>();
    private final Windows windows;
    private final Counter requests;
    private final Counter failures;
    private final Counter refused;

    /** No clients yet; nothing of the SDK is loaded. */
    public S3Clients(Metrics metrics, Ticker ticker) {
        this.windows =
                new Windows(Math.min(MOST_IN_WINDOWS, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP), ticker);
        this.requests = metrics.counter("anteroom_s3_requests", "Requests to object stores", "store", "operation");
        this.failures = metrics.counter(
                "anteroom_s3_failures", "Requests to object stores that failed after all attempts", "store", "reason");
        this.refused = metrics.counter(
                "anteroom_s3_connections_refused", "Requests that found all connections taken for too long", "store");
        gauge(
                metrics,
                "anteroom_s3_connections_in_use",
                "Connections to an object store that are in use",
                Figure.IN_USE);
        gauge(
                metrics,
                "anteroom_s3_connections_waiting",
                "Requests that wait for a connection to an object store",
                Figure.WAITING);
        gauge(metrics, "anteroom_s3_connections_limit", "The most connections to an object store", Figure.LIMIT);
        metrics.gauge("anteroom_s3_windows_in_use", "Buffers that objects are read through", windows::inUse);
        metrics.gauge("anteroom_s3_windows_limit", "The most buffers that objects are read through", windows::limit);
    }

    private enum Figure {
        IN_USE,
        WAITING,
        LIMIT
    }

    private void gauge(Metrics metrics, String name, String help, Figure figure) {
        metrics.gauges(
                name,
                help,
                callback -> {
                    for (S3Link link : made()) {
                        Connections connections = link.connections();
                        int value = switch (figure) {
                            case IN_USE -> connections.inUse();
                            case WAITING -> connections.waiting();
                            case LIMIT -> connections.limit();
                        };
                        callback.call(value, link.name());
                    }
                },
                "store");
    }

    /** A place in a store. Nothing is asked yet. */
    public S3Bucket bucket(S3Location location, S3Settings settings) {
        return new S3Bucket(link(settings), location.bucket(), windows);
    }

    private synchronized S3Link link(S3Settings settings) {
        return links.computeIfAbsent(settings, this::make);
    }

    private S3Link make(S3Settings settings) {
        // several clients of one store are told apart
        String name = settings.shown();
        for (int n = 2; isTaken(name); n++) {
            name = settings.shown() + '#' + n;
        }
        return new S3Link(name, settings, requests, failures, refused);
    }

    private boolean isTaken(String name) {
        return links.values().stream().anyMatch(link -> link.name().equals(name));
    }

    private synchronized List<S3Link> made() {
        return new ArrayList<>(links.values());
    }

    /** Closes all connections; requests that run fail. */
    @Override
    public void close() {
        // not by a reference to the method, which would load the SDK though there is nothing to close
        for (S3Link link : made()) {
            link.close();
        }
    }
}
