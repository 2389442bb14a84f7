package org.anteroom.archive.bagit;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/** The algorithms of manifests, those first that are the better to go by. */
enum Algorithm {
    SHA256(1, "SHA-256", 32),
    SHA512(2, "SHA-512", 64),
    SHA1(3, "SHA-1", 20),
    MD5(4, "MD5", 16);

    private final byte code;
    private final String javaName;
    private final int length;

    Algorithm(int code, String javaName, int length) {
        this.code = (byte) code;
        this.javaName = javaName;
        this.length = length;
    }

    /** What stands for it in an index. */
    byte code() {
        return code;
    }

    static Algorithm of(byte code) {
        for (Algorithm algorithm : values()) {
            if (algorithm.code == code) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException("no algorithm " + code);
    }

    /** The tag file that has the digests of files, relative to the bag. */
    String manifest() {
        return "manifest-" + label() + ".txt";
    }

    /** As it is written in names: {@code sha256}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** How many bytes a digest has. */
    int length() {
        return length;
    }

    MessageDigest digester() {
        try {
            return MessageDigest.getInstance(javaName);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java platform lacks " + javaName, e);
        }
    }
}
