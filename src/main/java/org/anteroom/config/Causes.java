package org.anteroom.config;

/** What lies at the bottom of an exception, for one line of a log. */
final class Causes {

    private Causes() {}

    static String shortly(Throwable thrown) {
        Throwable cause = thrown;
        // bounded, since chains of causes may be rings
        for (int depth = 0; depth < 20; depth++) {
            Throwable next = cause.getCause();
            if (next == null || next.equals(cause)) {
                break;
            }
            cause = next;
        }
        String message = cause.getMessage();
        String name = cause.getClass().getSimpleName();
        return message == null
                ? name
                : name + ": " + message.replaceAll("\\s+", " ").strip();
    }
}
