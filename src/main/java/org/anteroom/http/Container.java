package org.anteroom.http;

import jakarta.servlet.ServletOutputStream;
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
