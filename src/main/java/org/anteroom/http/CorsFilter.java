package org.anteroom.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Lets scripts of other sites read files and listings (Fetch standard, section 3.2), without credentials.
 *
 * <p>Where everybody may, the answer is the same for all, so that it need not vary. Where some may, an origin is sent that
 * was configured, never one that a client chose. A preflight is answered here: it comes without a login.
 */
public final class CorsFilter implements Filter {
    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final String EXPOSE = "Access-Control-Expose-Headers";

    /** What is not exposed by itself, of all that an answer may have. */
    private static final String EXPOSED =
            "Accept-Ranges, Cache-Status, Content-Disposition, Content-Length, Content-Range,"
                    + " ETag, Last-Modified, Repr-Digest, Retry-After, X-Request-Id";

    private static final String REQUEST_HEADERS =
            "If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range, Want-Repr-Digest";

    /** A day, in seconds; browsers keep it for shorter. */
    private static final String MAX_AGE = "86400";

    private final CorsSettings settings;

    /** A filter for those origins. */
    public CorsFilter(CorsSettings settings) {
        this.settings = settings;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (settings.isOn()) {
            HttpServletRequest asked = (HttpServletRequest) request;
            HttpServletResponse answer = (HttpServletResponse) response;
            String allowed = allowed(asked);
            if (!settings.any()) {
                answer.addHeader("Vary", "Origin");
            }
            if (allowed != null) {
                answer.setHeader(ALLOW_ORIGIN, allowed);
                if (isPreflight(asked)) {
                    answerPreflight(answer);
                    return;
                }
                answer.setHeader(EXPOSE, EXPOSED);
            }
        }
        chain.doFilter(request, response);
    }

    private @Nullable String allowed(HttpServletRequest request) {
        if (settings.any()) {
            return "*";
        }
        String origin = request.getHeader("Origin");
        return origin != null && settings.origins().contains(origin) ? origin : null;
    }

    private static boolean isPreflight(HttpServletRequest request) {
        return request.getMethod().equals("OPTIONS")
                && request.getHeader("Origin") != null
                && request.getHeader("Access-Control-Request-Method") != null;
    }

    private static void answerPreflight(HttpServletResponse response) {
        response.setHeader("Access-Control-Allow-Methods", "GET, HEAD");
        response.setHeader("Access-Control-Allow-Headers", REQUEST_HEADERS);
        response.setHeader("Access-Control-Max-Age", MAX_AGE);
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }

    /** What a response has of it, to be put back after a reset. */
    static Kept keep(HttpServletResponse response) {
        return new Kept(
                response.getHeader(ALLOW_ORIGIN),
                response.getHeader(EXPOSE),
                response.getHeaders("Vary").contains("Origin"));
    }

    /**
     * The fields that say who may read an answer.
     *
     * @param varies whether the answer depends on who asks
     */
    record Kept(@Nullable String origin, @Nullable String exposed, boolean varies) {
        void putBack(HttpServletResponse response) {
            if (origin != null) {
                response.setHeader(ALLOW_ORIGIN, origin);
            }
            if (exposed != null) {
                response.setHeader(EXPOSE, exposed);
            }
            if (varies) {
                response.addHeader("Vary", "Origin");
            }
        }
    }
}
