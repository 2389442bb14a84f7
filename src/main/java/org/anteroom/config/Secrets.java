package org.anteroom.config;

import java.util.Optional;
import javax.naming.NamingException;

/**
 * What nobody but the operator may see: entries of the context descriptor, which the properties file names. They stand in no
 * message.
 */
final class Secrets {
    /** The value of a key that names no entries. */
    private static final String NONE = "none";

    private final Values values;
    private final Naming naming;

    Secrets(Values values, Naming naming) {
        this.values = values;
        this.naming = naming;
    }

    /** A user with a password, which is shown nowhere. */
    record Login(String user, String password) {
        @Override
        public String toString() {
            return "Login[" + user + "]";
        }
    }

    /** The login that a key names; empty where it names none, or a wrong one, which is an error. */
    Optional<Login> login(Key<String> key) {
        String name = values.get(key);
        if (name.equals(NONE) || values.isWrong(key.name())) {
            return Optional.empty();
        }
        Optional<String> user = entry(key, "anteroom/" + name + "/user");
        Optional<String> password = entry(key, "anteroom/" + name + "/password");
        if (user.isPresent() && (user.get().isEmpty() || user.get().indexOf(':') >= 0)) {
            values.reject(key.name(), "the user in anteroom/" + name + "/user is empty or has a colon; write another");
            return Optional.empty();
        }
        return user.flatMap(who -> password.map(secret -> new Login(who, secret)));
    }

    private Optional<String> entry(Key<String> key, String entry) {
        try {
            Optional<Object> found = naming.find(entry);
            if (found.isPresent() && found.get() instanceof String text) {
                return Optional.of(text);
            }
        } catch (NamingException e) {
            // the same as none: the container has said why
        }
        values.reject(
                key.name(),
                "there is no text in java:comp/env/" + entry + "; add <Environment name=\"" + entry
                        + "\" type=\"java.lang.String\" value=\"…\"/> to the context descriptor");
        return Optional.empty();
    }
}
