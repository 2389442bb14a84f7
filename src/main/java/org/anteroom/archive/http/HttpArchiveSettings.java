package org.anteroom.archive.http;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where the other server is, and how long it is waited for.
 *
 * @param location an http or https URL without user, query and fragment, below which all files lie
 * @param credentials null where none are asked for
 * @param concurrency the most calls at once; there are {@link #connections()} connections
 * @param connectTimeout how long connecting may take, and a TLS handshake after that
 * @param firstByteTimeout how long an answer may take until its headers are there, redirects included
 * @param stallTimeout how long each further read may take
 */
public record HttpArchiveSettings(
        URI location,
        @Nullable HttpCredentials credentials,
        int concurrency,
        Duration connectTimeout,
        Duration firstByteTimeout,
        Duration stallTimeout) {

    private static final int SPARE = 8;

    /** Checks what the record promises. */
    public HttpArchiveSettings {
        String scheme = location.getScheme();
        if (!"http".equals(scheme) && !"https".equals(scheme)) {
            throw new IllegalArgumentException("the archive's location is no http or https URL");
        }
        if (location.getHost() == null
                || location.getRawUserInfo() != null
                || location.getRawQuery() != null
                || location.getRawFragment() != null) {
            throw new IllegalArgumentException("the archive's location has no host, or a user, a query or a fragment");
        }
        if (concurrency < 1) {
            throw new IllegalArgumentException("the archive's concurrency is at least 1");
        }
    }

    /**
     * The most connections: one for each call, as many for files whose readers are slow, and a few. Those of slow readers are
     * given up for others, and opened again at their offset.
     */
    int connections() {
        return 2 * concurrency + SPARE;
    }
}
