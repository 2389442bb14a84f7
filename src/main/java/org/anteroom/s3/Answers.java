package org.anteroom.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.anteroom.model.Sha256;
import org.anteroom.s3.S3Failure.Kind;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;

/** What the answers of a store say. */
final class Answers {
    private static final int SHA256_BYTES = 32;

    private Answers() {}

    static S3Object object(HeadObjectResponse response) throws S3Failure {
        Long size = response.contentLength();
        if (size == null) {
            throw new S3Failure(Kind.OTHER, "the object store tells no size", null);
        }
        return new S3Object(
                size,
                quoted(response.eTag()),
                toSeconds(response.lastModified()),
                response.contentType(),
                sha256(response.checksumSHA256(), response.checksumType()));
    }

    static S3Object object(GetObjectResponse response, long size) {
        return new S3Object(
                size, quoted(response.eTag()), toSeconds(response.lastModified()), response.contentType(), null);
    }

    /** Listings tell fractions of seconds that other answers do not. */
    private static @Nullable Instant toSeconds(@Nullable Instant time) {
        return time == null ? null : time.truncatedTo(ChronoUnit.SECONDS);
    }

    private static @Nullable String quoted(@Nullable String etag) {
        if (etag == null || etag.isEmpty() || etag.startsWith("W/")) {
            return null;
        }
        return etag.startsWith("\"") ? etag : '"' + etag + '"';
    }

    /** The checksum if it is one of the whole object: that of parts is a checksum of checksums. */
    private static @Nullable Sha256 sha256(@Nullable String base64, @Nullable ChecksumType type) {
        if (base64 == null || type == ChecksumType.COMPOSITE) {
            return null;
        }
        try {
            byte[] digest = Base64.getDecoder().decode(base64);
            return digest.length == SHA256_BYTES ? new Sha256(HexFormat.of().formatHex(digest)) : null;
        } catch (IllegalArgumentException e) {
            // with the number of parts behind it
            return null;
        }
    }

    /**
     * A page of a listing.
     *
     * @throws S3Failure OTHER if it is not a whole one, or out of order: nothing may look as if it were not there
     */
    static S3Page page(ListObjectsV2Response response, String prefix, String after) throws S3Failure {
        Boolean more = response.isTruncated();
        if (more == null || response.name() == null) {
            throw broken("the object store broke off a listing");
        }
        String next = response.nextContinuationToken();
        if (more && (next == null || next.isEmpty())) {
            throw broken("the object store does not tell how a listing goes on");
        }
        List<Keyed> found = new ArrayList<>();
        for (software.amazon.awssdk.services.s3.model.S3Object object : response.contents()) {
            found.add(new Keyed(object.key(), described(object)));
        }
        requireOrder(found);
        int objects = found.size();
        for (CommonPrefix common : response.commonPrefixes()) {
            found.add(new Keyed(common.prefix(), null));
        }
        requireOrder(found.subList(objects, found.size()));
        found.sort(Keyed.ORDER);
        byte[] before = after.getBytes(UTF_8);
        List<S3Page.Entry> entries = new ArrayList<>();
        for (Keyed keyed : found) {
            boolean isCommonPartOfAfter = keyed.object == null && after.startsWith(keyed.key);
            if (!keyed.key.startsWith(prefix)
                    || (Arrays.compareUnsigned(keyed.bytes, before) <= 0 && !isCommonPartOfAfter)) {
                throw broken("the object store lists what was not asked for");
            }
            entries.add(new S3Page.Entry(keyed.key, keyed.object));
        }
        return new S3Page(entries, more ? next : null);
    }

    private static S3Object described(software.amazon.awssdk.services.s3.model.S3Object object) throws S3Failure {
        if (object.key() == null || object.size() == null) {
            throw broken("the object store lists an object without its size");
        }
        return new S3Object(object.size(), quoted(object.eTag()), toSeconds(object.lastModified()), null, null);
    }

    private static void requireOrder(List<Keyed> keys) throws S3Failure {
        for (int i = 1; i < keys.size(); i++) {
            if (Keyed.ORDER.compare(keys.get(i - 1), keys.get(i)) >= 0) {
                throw broken("the object store lists keys out of order");
            }
        }
    }

    private static S3Failure broken(String what) {
        return new S3Failure(Kind.OTHER, what, null);
    }

    /** A key with its bytes, in whose order stores list. */
    private static final class Keyed {
        static final Comparator<Keyed> ORDER = (a, b) -> Arrays.compareUnsigned(a.bytes, b.bytes);

        private final String key;
        private final byte[] bytes;
        private final @Nullable S3Object object;

        Keyed(String key, @Nullable S3Object object) {
            this.key = key;
            this.bytes = key.getBytes(UTF_8);
            this.object = object;
        }
    }
}
