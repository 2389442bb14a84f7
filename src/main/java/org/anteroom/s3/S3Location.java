package org.anteroom.s3;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in an object store.
 *
 * @param bucket the bucket's name
 * @param prefix what all keys there begin with: empty, or ending with a slash
 */
public record S3Location(String bucket, String prefix) {
    private static final Pattern BUCKET = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{1,254}");
    private static final Pattern TEXT = Pattern.compile("s3://([^/]+)(?:/(.*))?");
    private static final int LONGEST_PREFIX = 512;

    /** Checks what the record promises. */
    public S3Location {
        if (!BUCKET.matcher(bucket).matches()) {
            throw new IllegalArgumentException("not the name of a bucket: " + bucket);
        }
        if (!prefix.isEmpty() && (!prefix.endsWith("/") || prefix.startsWith("/") || prefix.contains("//"))) {
            throw new IllegalArgumentException("not a prefix: " + prefix);
        }
        if (prefix.length() > LONGEST_PREFIX || prefix.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("the prefix is too long or has control characters");
        }
    }

    /**
     * Reads {@code s3://BUCKET} or {@code s3://BUCKET/PREFIX}, with or without a slash at the end.
     *
     * @throws IllegalArgumentException if it is nothing like that
     */
    public static S3Location parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not s3://BUCKET/PREFIX");
        }
        String prefix = matcher.group(2) == null ? "" : matcher.group(2);
        return new S3Location(matcher.group(1), prefix.isEmpty() || prefix.endsWith("/") ? prefix : prefix + '/');
    }

    @Override
    public String toString() {
        return "s3://" + bucket + '/' + prefix;
    }
}
