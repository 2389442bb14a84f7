package org.anteroom.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filter that turns what servlets throw into answers.
 *
 * <p>Once an answer has begun, or another thread has it, the failure goes on to the container, which breaks the transfer; so
 * does an IOException of the container's own, since that is a client who hung up.
 */
public final class ErrorFilter implements Filter {
    private static final Logger log = LoggerFactory.getLogger(ErrorFilter.class);

    private final Refusals refusals;

    /** A filter that refuses in that way. */
    public ErrorFilter(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException | Error e) {
            if (response.isCommitted() || request.isAsyncStarted()) {
                throw e;
            }
            Throwable failure = e instanceof ServletException && e.getCause() != null ? e.getCause() : e;
            answer((HttpServletRequest) request, (HttpServletResponse) response, failure);
        }
    }

    private void answer(HttpServletRequest request, HttpServletResponse response, Throwable failure) {
        try {
            refusals.refuse(request, response, failure);
        } catch (IOException e) {
            log.debug("the client of request {} is gone", Problem.requestId(request), e);
        }
    }
}
