package org.anteroom.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;

/** The rule of pages that can only be read. */
final class Reading {
    private static final String ALLOW = "GET, HEAD";

    private Reading() {}

    /**
     * Lets GET and HEAD pass.
     *
     * @throws FailureException METHOD_NOT_ALLOWED for any other method
     */
    static void require(HttpServletRequest request, HttpServletResponse response) throws FailureException {
        String method = request.getMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            response.setHeader("Allow", ALLOW);
            throw new FailureException(
                    FailureReason.METHOD_NOT_ALLOWED, "This page is read with GET or HEAD; nothing else is done here.");
        }
    }
}
