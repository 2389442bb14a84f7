package org.anteroom.s3;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an object store is reached. Equal settings share a client.
 *
 * @param endpoint the server's URL; null for AWS itself
 * @param region the region that requests are signed for
 * @param pathStyle whether the bucket stands in the path, rather than in the name of the host
 * @param credentials null for the SDK's usual chain: system properties, environment, profile, container, machine
 * @param checksums what uploads are verified by
 * @param connections the most connections at once, at least 1
 * @param connectTimeout the longest wait for a connection, and for a free place among the connections
 * @param stallTimeout the longest wait for the next bytes
 * @param answerTimeout the longest time of one attempt at a request, its bytes included; uploads get more by their size
 * @param attempts how often a request is made that fails in a way that may pass, at least 1
 */
public record S3Settings(
        @Nullable URI endpoint,
        String region,
        boolean pathStyle,
        @Nullable S3Credentials credentials,
        Checksums checksums,
        int connections,
        Duration connectTimeout,
        Duration stallTimeout,
        Duration answerTimeout,
        int attempts) {

    /** Checks what the record promises. */
    public S3Settings {
        if (endpoint != null && (endpoint.getScheme() == null || endpoint.getHost() == null)) {
            throw new IllegalArgumentException("the endpoint is no URL of a server");
        }
        if (region.isBlank()) {
            throw new IllegalArgumentException("the region is empty");
        }
        if (connections < 1 || attempts < 1) {
            throw new IllegalArgumentException("at least one connection and one attempt");
        }
        requirePositive(connectTimeout);
        requirePositive(stallTimeout);
        requirePositive(answerTimeout);
    }

    private static void requirePositive(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("timeouts are more than 0");
        }
    }

    /** What it is called in metrics. */
    String shown() {
        return endpoint == null ? "aws:" + region : endpoint.getRawAuthority();
    }
}
