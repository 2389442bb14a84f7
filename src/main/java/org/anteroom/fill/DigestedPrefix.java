package org.anteroom.fill;

import java.security.MessageDigest;
import org.anteroom.model.Sha256;

/**
 * The SHA-256 of a file's first bytes, to be gone on with by whoever has it; nobody else changes it.
 *
 * @param length how many bytes
 * @param digester has been given these
 */
public record DigestedPrefix(long length, MessageDigest digester) {

    /** That of no bytes at all. */
    public static DigestedPrefix none() {
        return new DigestedPrefix(0, Sha256.digester());
    }
}
