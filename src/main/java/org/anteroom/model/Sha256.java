package org.anteroom.model;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;

/**
 * A SHA-256 digest.
 *
 * @param hex 64 lower-case hexadecimal digits
 */
public record Sha256(String hex) {

    /** Checks the form, and lowers the case. */
    public Sha256 {
        hex = hex.toLowerCase(Locale.ROOT);
        if (!hex.matches("[0-9a-f]{64}")) {
            throw new IllegalArgumentException("a SHA-256 has 64 hexadecimal digits");
        }
    }

    /** A new calculation. */
    public static MessageDigest digester() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The digest that a calculation arrives at; resets it. */
    public static Sha256 of(MessageDigest digester) {
        return new Sha256(HexFormat.of().formatHex(digester.digest()));
    }

    /** The digest of some bytes. */
    public static Sha256 of(byte[] bytes) {
        MessageDigest digester = digester();
        digester.update(bytes);
        return of(digester);
    }

    /** The digest in base 64, as the byte sequences of structured fields hold it (RFC 8941, section 3.3.5). */
    public String base64() {
        return Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex));
    }
}
