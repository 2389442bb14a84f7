package org.anteroom.config;

import java.util.Optional;
import javax.naming.NamingException;

/** What the container has bound for the web application under {@code java:comp/env}. */
@FunctionalInterface
public interface Naming {

    /**
     * The object that is bound to a name, if one is.
     *
     * @param name below {@code java:comp/env}
     * @throws NamingException if there is one and it cannot be made
     */
    Optional<Object> find(String name) throws NamingException;
}
