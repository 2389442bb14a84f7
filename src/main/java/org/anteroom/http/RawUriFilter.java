package org.anteroom.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.anteroom.model.FailureException;
import org.jspecify.annotations.Nullable;

/**
 * The first filter: judges a request by its raw URI, before anything that the container made of it is believed.
 *
 * <p>Containers cut off path parameters, decode and normalise before they choose a servlet, so that
 * {@code /files/a/%2e%2e/%2e%2e/x} arrives at {@code /x}. Such an address is refused with 400, as is any whose first segment
 * is not the one that the container went by. What the URI names goes to the servlets as a {@link FileTarget}.
 */
public final class RawUriFilter implements Filter {
    private static final String TARGET = FileTarget.class.getName();
    private static final String API = "/api/";

    private final Refusals refusals;

    /** A filter that refuses in that way. */
    public RawUriFilter(Refusals refusals) {
        this.refusals = refusals;
    }

    /** What the URI of a request names, once it has passed the filter; null if it has not. */
    public static @Nullable FileTarget target(HttpServletRequest request) {
        return (FileTarget) request.getAttribute(TARGET);
    }

    /**
     * The undecoded path of a request, after the context path.
     *
     * @throws FailureException MALFORMED if the raw URI does not begin with the context path
     */
    public static String rawPath(HttpServletRequest request) throws FailureException {
        String uri = request.getRequestURI();
        String context = request.getServletContext().getContextPath();
        int length = context.length();
        if (!uri.startsWith(context) || (uri.length() > length && uri.charAt(length) != '/')) {
            throw RawPath.malformed("The address is written in a roundabout way.");
        }
        return uri.substring(length);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest http = (HttpServletRequest) request;
        try {
            request.setAttribute(TARGET, judge(http));
        } catch (FailureException e) {
            refusals.refuse(http, (HttpServletResponse) response, e);
            return;
        }
        chain.doFilter(request, response);
    }

    private static FileTarget judge(HttpServletRequest request) throws FailureException {
        String raw = rawPath(request);
        String container = request.getServletPath();
        requireAgreement(raw, container.isEmpty() ? request.getPathInfo() : container);
        FileTarget target = FileTarget.parse(raw, request.getQueryString());
        if (target instanceof FileTarget.Other) {
            RawPath.requireSegments(raw);
            // names of files are only found below these two; elsewhere a semicolon is a trick
            if (raw.indexOf(';') >= 0 && !raw.startsWith(API)) {
                throw RawPath.malformed("The address has a semicolon.");
            }
        }
        return target;
    }

    /** Compares the first segments; the root itself may have become a welcome file. */
    private static void requireAgreement(String raw, @Nullable String container) throws FailureException {
        if (raw.length() <= 1) {
            return;
        }
        int end = RawPath.segmentEnd(raw, 1);
        if (container == null
                || !container.regionMatches(0, raw, 0, end)
                || (container.length() > end && container.charAt(end) != '/')) {
            throw RawPath.malformed("The address is written in a roundabout way.");
        }
    }
}
