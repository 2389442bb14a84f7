package org.anteroom.integrity;

/** Another living boot has the name of this instance. The message is for the operator. */
public final class SecondBootException extends Exception {
    private static final long serialVersionUID = 1L;

    SecondBootException(String instance) {
        super("another instance named '" + instance
                + "' is running on the same inventory: stop it first, or give this one" + " another instance.name");
    }
}
