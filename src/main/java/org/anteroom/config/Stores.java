package org.anteroom.config;

import java.time.Duration;
import java.util.Locale;
import org.anteroom.archive.ArchiveSettings;
import org.anteroom.s3.Checksums;
import org.anteroom.s3.S3Credentials;
import org.anteroom.s3.S3Settings;

/** Reads how object stores are reached. */
final class Stores {
    private static final int ATTEMPTS = 3;

    /** A volume is a cache: what takes longer than this is served from the archive. */
    private static final Duration VOLUME_CONNECT = Duration.ofSeconds(2);

    private static final Duration VOLUME_STALL = Duration.ofSeconds(3);
    private static final Duration VOLUME_ANSWER = Duration.ofSeconds(10);

    private final Values values;
    private final Secrets secrets;

    Stores(Values values, Secrets secrets) {
        this.values = values;
        this.secrets = secrets;
    }

    /** That of the archive, with its timeouts. */
    S3Settings ofArchive(ArchiveSettings archive) {
        return read(Keys.ARCHIVE_S3, "", archive.connectTimeout(), archive.stallTimeout(), archive.firstByteTimeout());
    }

    /** That of a volume. */
    S3Settings ofVolume(String volume) {
        return read(Keys.VOLUME_S3, volume, VOLUME_CONNECT, VOLUME_STALL, VOLUME_ANSWER);
    }

    private S3Settings read(S3Keys keys, String volume, Duration connect, Duration stall, Duration answer) {
        return new S3Settings(
                get(keys.endpoint(), volume).orElse(null),
                get(keys.region(), volume),
                get(keys.pathStyle(), volume),
                secrets.pair(keys.credentials(), keys.credentials().nameFor(volume), "access-key", "secret-key")
                        .map(pair -> new S3Credentials(pair.user(), pair.password()))
                        .orElse(null),
                Checksums.valueOf(get(keys.checksums(), volume).toUpperCase(Locale.ROOT)),
                get(keys.connections(), volume),
                connect,
                stall,
                answer,
                ATTEMPTS);
    }

    private <T> T get(Key<T> key, String volume) {
        return values.get(key, key.nameFor(volume));
    }
}
