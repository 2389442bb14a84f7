package org.anteroom.http;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection of this machine by its ports. No addresses: a valve may have rewritten them by what a proxy says, and
 * two connections that share both ports only make a stalled client look alive.
 *
 * @param localPort 1 to 65535
 * @param remotePort 1 to 65535
 */
record TcpConnection(int localPort, int remotePort) {

    /** A request's own; null where others share it (HTTP/2), since what they take would count for this one. */
    static @Nullable TcpConnection of(HttpServletRequest request) {
        return Container.multiplexes(request)
                ? null
                : new TcpConnection(request.getLocalPort(), request.getRemotePort());
    }

    /** Both ports as one number. */
    int key() {
        return (localPort << 16) | remotePort;
    }
}
