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
        Optional<Login> found = pair(key, key.name(), "user", "password");
        if (found.isPresent() && found.get().user().indexOf(':') >= 0) {
            values.reject(
                    key.name(),
                    "the user in anteroom/" + values.get(key) + "/user is empty or has a colon; write another");
            return Optional.empty();
        }
        return found;
    }

    /**
     * The two entries that a key names; empty where it names none, or wrong ones, which is an error.
     *
     * @param keyName the key's name, that of the volume in it
     * @param first the last part of the name of the entry that says who, which may not be empty
     * @param second that of the secret
     */
    Optional<Login> pair(Key<String> key, String keyName, String first, String second) {
        String name = values.get(key, keyName);
        if (name.equals(NONE) || values.isWrong(keyName)) {
            return Optional.empty();
        }
        Optional<String> who = entry(keyName, "anteroom/" + name + "/" + first);
        Optional<String> secret = entry(keyName, "anteroom/" + name + "/" + second);
        if (who.isPresent() && who.get().isEmpty()) {
            values.reject(keyName, "the " + first + " in anteroom/" + name + "/" + first + " is empty; write another");
            return Optional.empty();
        }
        return who.flatMap(user -> secret.map(password -> new Login(user, password)));
    }

    private Optional<String> entry(String keyName, String entry) {
        try {
            Optional<Object> found = naming.find(entry);
            if (found.isPresent() && found.get() instanceof String text) {
                return Optional.of(text);
            }
        } catch (NamingException e) {
            // the same as none: the container has said why
        }
        values.reject(
                keyName,
                "there is no text in java:comp/env/" + entry + "; add <Environment name=\"" + entry
                        + "\" type=\"java.lang.String\" value=\"…\"/> to the context descriptor");
        return Optional.empty();
    }
}
