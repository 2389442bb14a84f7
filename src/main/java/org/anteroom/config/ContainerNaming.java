package org.anteroom.config;

import java.util.Optional;
import javax.naming.InitialContext;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;

/** The names of the container that runs this web application; none where it has no JNDI. */
final class ContainerNaming implements Naming {

    // The only place that looks up JNDI names; all of them are constants of this package, or
    // named by the operator, below java:comp/env, so
    // that nobody outside can say what is looked up.
    @SuppressWarnings("BanJNDI")
    @Override
    public Optional<Object> find(String name) throws NamingException {
        try {
            InitialContext context = new InitialContext();
            try {
                return Optional.ofNullable(context.lookup("java:comp/env/" + name));
            } finally {
                context.close();
            }
        } catch (NameNotFoundException | NoInitialContextException e) {
            return Optional.empty();
        }
    }
}
