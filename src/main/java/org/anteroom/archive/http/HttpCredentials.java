package org.anteroom.archive.http;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Who asks the other server, by HTTP's Basic scheme (RFC 7617).
 *
 * @param user without a colon
 * @param password shown nowhere
 */
public record HttpCredentials(String user, String password) {

    /** Checks what the record promises. */
    public HttpCredentials {
        if (user.isEmpty() || user.indexOf(':') >= 0) {
            throw new IllegalArgumentException("the user of the archive's server is empty or has a colon");
        }
    }

    /** The value of the field Authorization. */
    String authorization() {
        byte[] text = (user + ':' + password).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(text);
    }

    @Override
    public String toString() {
        return "HttpCredentials[" + user + "]";
    }
}
