package org.anteroom.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Lets everybody pass, or only who has logged in as a viewer or an operator, as the configuration says.
 *
 * <p>The login is the container's, asked for at run time, since a constraint in {@code web.xml} could not follow the
 * configuration.
 */
public final class AccessFilter implements Filter {
    private static final String VIEWER = "anteroom-viewer";
    private static final String OPERATOR = "anteroom-operator";

    private final AccessSettings.Access access;

    /** A filter for pages of that access. */
    public AccessFilter(AccessSettings.Access access) {
        this.access = access;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (access == AccessSettings.Access.OPEN
                || permitted((HttpServletRequest) request, (HttpServletResponse) response)) {
            chain.doFilter(request, response);
        }
    }

    /** If not, the response is a 401 with a challenge, or a 403. */
    private static boolean permitted(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        if (!request.authenticate(response)) {
            return false;
        }
        if (request.isUserInRole(VIEWER) || request.isUserInRole(OPERATOR)) {
            return true;
        }
        response.sendError(HttpServletResponse.SC_FORBIDDEN);
        return false;
    }
}
