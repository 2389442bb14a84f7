package org.anteroom.s3;

/**
 * Who asks an object store.
 *
 * @param accessKey the id of the key
 * @param secretKey shown nowhere
 */
public record S3Credentials(String accessKey, String secretKey) {

    /** Checks what the record promises. */
    public S3Credentials {
        if (accessKey.isBlank() || secretKey.isBlank()) {
            throw new IllegalArgumentException("the access key or the secret key is empty");
        }
    }

    @Override
    public String toString() {
        return "S3Credentials[" + accessKey + "]";
    }
}
