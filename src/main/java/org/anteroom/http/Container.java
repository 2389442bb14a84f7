package org.anteroom.http;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.coyote.CloseNowException;

/** What is done in a container's own way. */
final class Container {
    /** Whether Tomcat's classes are there; what runs may be another container all the same. */
    private static final boolean TOMCAT = onTomcat();

    private static final String TOMCATS_STREAM = "org.apache.catalina.connector.CoyoteOutputStream";

    private Container() {}

    /**
     * Whether an array that was given to an asynchronous write may be used again once the write has returned. Tomcat has
     * then written or copied it; Jetty may write from it until it reports that it is ready again, and so may whatever
     * else is not known.
     */
    static boolean copiesWrites(ServletOutputStream output) {
        return isTomcats(output);
    }

    private static boolean isTomcats(ServletOutputStream output) {
        return output.getClass().getName().equals(TOMCATS_STREAM);
    }

    /** Whether the request's connection carries others at the same time (HTTP/2). */
    static boolean multiplexes(HttpServletRequest request) {
        return request.getProtocol().startsWith("HTTP/2");
    }

    /**
     * Sends what is there of an answer, before its asynchronous exchange is completed: when there is no body, Tomcat sends
     * no head either on HTTP/2.
     */
    static void commit(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (multiplexes(request)) {
            response.flushBuffer();
        }
    }

    /**
     * Has the end of an answer on HTTP/2 not told to the client, before the servlet fails. On Tomcat only: it ends the
     * answer of a servlet that has failed before it looks at the failure, and the client would be told that the body is
     * whole. So the answer is closed here, with trailers that cannot be had: Tomcat marks it as closed, sends what it has
     * and fails before it marks the end; and then resets the stream, since the servlet has failed.
     */
    static void leaveOpen(HttpServletResponse response) throws IOException {
        ServletOutputStream output = response.getOutputStream();
        if (!copiesWrites(output)) {
            return;
        }
        try {
            response.setTrailerFields(() -> {
                throw new IllegalStateException("the answer is broken off");
            });
            output.close();
        } catch (IllegalStateException e) {
            // as was meant; or a stream that waits for its client, where what is left cannot be sent
        }
    }

    /**
     * Whether an answer is broken off when its callback throws. Jetty ends it there as if it were whole, where no length
     * was promised.
     */
    static boolean breaksOffWhatThrows(ServletOutputStream output) {
        return isTomcats(output);
    }

    /**
     * What a servlet throws to have its connection closed. Tomcat's own exception for that leaves no error and no stack
     * trace in its log.
     */
    static IOException close(IOException cause) {
        return TOMCAT ? Tomcat.close(cause) : cause;
    }

    private static boolean onTomcat() {
        try {
            Class.forName("org.apache.coyote.CloseNowException", false, Container.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Apart, so that it is loaded only where Tomcat's class exists. */
    private static final class Tomcat {
        static IOException close(IOException cause) {
            return new CloseNowException("the answer is broken off", cause);
        }
    }
}
