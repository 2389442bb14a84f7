package org.anteroom.config;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * The keys that say how an object store is reached, of the archive or of a volume.
 *
 * @param owner what the names begin with: {@code archive}, or {@code volume.NAME}
 */
record S3Keys(
        String owner,
        Key<Optional<URI>> endpoint,
        Key<String> region,
        Key<Boolean> pathStyle,
        Key<String> credentials,
        Key<String> checksums,
        Key<Integer> connections) {

    /** The keys below a name. */
    static S3Keys of(String owner) {
        String group = owner + ".s3.";
        return new S3Keys(
                owner,
                new Key<>(
                        group + "endpoint",
                        ValueTypes.ENDPOINT,
                        "none",
                        "For `s3`: the server's URL, such as `https://s3.example.org:9000`. `none`: AWS itself, in the region."),
                new Key<>(
                        group + "region",
                        ValueTypes.REGION,
                        "us-east-1",
                        "For `s3`: the region that requests are signed for; other servers than AWS mostly take any."),
                new Key<>(
                        group + "path-style",
                        ValueTypes.BOOLEAN,
                        "true",
                        "For `s3`: whether the bucket stands in the path of the URL; `false`: in the name of the host."),
                new Key<>(
                        group + "credentials",
                        ValueTypes.NAME,
                        "none",
                        "For `s3`: the name of two entries of the context descriptor, `anteroom/NAME/access-key` and"
                                + " `anteroom/NAME/secret-key`. `none`: the AWS SDK's usual chain (system properties,"
                                + " environment, profile, container, machine)."),
                new Key<>(
                        group + "checksums",
                        ValueTypes.oneOf("md5", "crc32", "none"),
                        "md5",
                        "For `s3`: what the server verifies uploads by: `md5` is the header Content-MD5; `crc32` a trailer,"
                                + " which AWS has and other servers may refuse; `none` nothing. An archive is asked for its checksums unless this is"
                                + " `none`."),
                new Key<>(
                        group + "connections",
                        ValueTypes.number(1, 10_000, "64"),
                        "64",
                        "For `s3`: most connections at once; equal settings share them. Uploads take half of them at most."));
    }

    /** All of them, in the order of the documentation. */
    List<Key<?>> all() {
        return List.of(endpoint, region, pathStyle, credentials, checksums, connections);
    }
}
