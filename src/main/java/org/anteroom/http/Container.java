package org.anteroom.http;

import java.io.IOException;
import org.apache.coyote.CloseNowException;

/** What is done in a container's own way, decided by whether its classes are there. */
final class Container {
    private static final boolean TOMCAT = onTomcat();

    private Container() {}

    /**
     * Whether an array that was given to an asynchronous write may be used again once the write has returned. Tomcat has
     * then written or copied it; Jetty may write from it until it reports that it is ready again.
     */
    static boolean copiesWrites() {
        return TOMCAT;
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
