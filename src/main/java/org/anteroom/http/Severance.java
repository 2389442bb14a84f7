package org.anteroom.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Breaks off an answer that has begun, from a thread that is not in one of the container's callbacks.
 *
 * <p>The Servlet API has no call for it: completing early would end a short answer as if it were whole, and on HTTP/1.1
 * leave the connection open with a length that was never delivered. A container does close the connection (HTTP/2: the
 * stream) when a servlet fails after the answer has begun, so the request is dispatched to a servlet which throws.
 */
final class Severance {
    private static final String CAUSE = Severance.class.getName();

    /** Where the {@link FileServlet} is; not the request's own address, which may be one that no dispatcher takes. */
    private static final String SERVLET = "/files/";

    private Severance() {}

    /** Has the servlet called again, to throw. */
    static void request(AsyncContext async, IOException cause) {
        try {
            async.getRequest().setAttribute(CAUSE, cause);
            async.dispatch(SERVLET);
        } catch (IllegalStateException e) {
            // the container has ended the exchange already, after an error of its own
        }
    }

    /** What the servlet is to throw when it was called again for that; null if it was not. */
    static @Nullable IOException requested(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        IOException cause = (IOException) request.getAttribute(CAUSE);
        if (cause == null) {
            return null;
        }
        if (Container.multiplexes(request)) {
            Container.leaveOpen(response);
        }
        return Container.close(cause);
    }
}
