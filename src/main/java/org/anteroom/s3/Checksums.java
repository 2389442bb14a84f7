package org.anteroom.s3;

/** What the server is given to verify the bytes by that it is sent. */
public enum Checksums {
    /** The header Content-MD5, which nearly every server knows. */
    MD5,
    /** CRC-32 after the bytes, in chunks with trailers, as AWS has it; other servers may refuse the form. */
    CRC32,
    /** Nothing but what signs the request: over http that covers the bytes, over https TLS does. */
    NONE
}
