package org.anteroom.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.anteroom.http.CorsSettings;

/** All keys that there are. */
final class Keys {

    private static final ValueType<Duration> ANY_TIME = ValueTypes.duration(Duration.ZERO);
    private static final ValueType<Duration> SOME_TIME = ValueTypes.duration(Duration.ofMillis(1));

    static final Key<String> ARCHIVE_KIND = new Key<>(
            "archive.kind",
            ValueTypes.oneOf("directory", "bagit", "s3", "http"),
            "directory",
            "What the archive is: `directory` is a folder of files, `bagit` a folder of bags, `s3` a bucket, `http` another server.");

    static final Key<String> ARCHIVE_LOCATION = new Key<>(
            "archive.location",
            ValueTypes.PLACE,
            "${catalina.base}/anteroom/archive",
            "Where the archive is; it is only read. A folder, for which the default is meant: where it does not exist, a"
                    + " sample archive is put there. For `s3` `s3://BUCKET/PREFIX`, for `http` the URL below which all files lie.");

    static final Key<String> ARCHIVE_HTTP_CREDENTIALS = new Key<>(
            "archive.http.credentials",
            ValueTypes.NAME,
            "none",
            "Who asks the other server, by Basic authentication: the name of two entries of the context descriptor,"
                    + " `anteroom/NAME/user` and `anteroom/NAME/password`. `none`: nobody.");

    static final S3Keys ARCHIVE_S3 = S3Keys.of("archive");

    static final Key<Path> ARCHIVE_BAGIT_INDEX = new Key<>(
            "archive.bagit.index",
            ValueTypes.FOLDER,
            "${catalina.base}/anteroom/bag-index",
            "Where it is kept what lies where in the bags, some 200 bytes for each of their files; it can be deleted at any"
                    + " time.");

    static final Key<Long> ARCHIVE_BAGIT_INDEX_MAX = new Key<>(
            "archive.bagit.index-max",
            ValueTypes.size(1),
            "10GiB",
            "Most bytes of that; past them, what was not used for the longest time is removed.");

    static final Key<Integer> ARCHIVE_CONCURRENCY = new Key<>(
            "archive.concurrency",
            ValueTypes.number(1, 10_000, "32"),
            "32",
            "Most calls to the archive at once for files; what comes beyond them waits in a bounded queue. A quarter of them at most is for files that nobody waits for. Per call, 16 files"
                    + " may be read at once (256 at least) before readers who begin are answered 503. For listings, 4 more"
                    + " calls at most are made at once.");

    static final Key<Duration> ARCHIVE_CONNECT_TIMEOUT = new Key<>(
            "archive.connect-timeout",
            SOME_TIME,
            "5s",
            "Longest wait for a connection to the archive, where it is not a folder, and for its encryption after that.");

    static final Key<Duration> ARCHIVE_FIRST_BYTE_TIMEOUT = new Key<>(
            "archive.first-byte-timeout",
            SOME_TIME,
            "60s",
            "Longest wait for what the archive says of a file, and for the first of its bytes.");

    static final Key<Duration> ARCHIVE_STALL_TIMEOUT =
            new Key<>("archive.stall-timeout", SOME_TIME, "30s", "Longest wait for more bytes once some have come.");

    static final Key<Duration> ARCHIVE_HEAD_TTL = new Key<>(
            "archive.head-ttl",
            ANY_TIME,
            "1m",
            "How long the archive's word on which version of a file is the newest is trusted.");

    static final Key<Duration> ARCHIVE_MISSING_TTL = new Key<>(
            "archive.missing-ttl", ANY_TIME, "10s", "How long it is remembered that the archive lacks a file.");

    static final Key<Duration> ARCHIVE_REVALIDATE = new Key<>(
            "archive.revalidate",
            ANY_TIME,
            "0s",
            "Age at which a copy that is read is compared with what the archive says of the file, in the background and by"
                    + " each instance, and then as often again; up to `inventory.location-ttl` later. `0s`: never, since"
                    + " archives seldom change.");

    static final Key<List<String>> VOLUMES = new Key<>(
            "volumes",
            ValueTypes.NAMES,
            "cache",
            "Names of the volumes, in lower-case letters, digits and hyphens. Where the key is not set, there is one "
                    + "named `cache`, whose location is `${catalina.base}/anteroom/cache` and whose capacity is a tenth "
                    + "of the disk under it, but at least 1 GiB, unless its own keys say otherwise.");

    static final Key<String> VOLUME_KIND = new Key<>(
            "volume.NAME.kind",
            ValueTypes.oneOf("filesystem", "s3"),
            "filesystem",
            "What the volume is: `filesystem` is a folder, `s3` a bucket, or a part of one.");

    static final Key<String> VOLUME_LOCATION = new Key<>(
            "volume.NAME.location",
            ValueTypes.VOLUME_PLACE,
            "",
            "The volume's folder, which holds nothing else; no other volume and not the archive may lie in it or above it."
                    + " For `s3` `s3://BUCKET/PREFIX`, of which the same holds: the bucket must exist, without versions.");

    static final S3Keys VOLUME_S3 = S3Keys.of("volume.NAME");

    static final Key<Long> VOLUME_CAPACITY =
            new Key<>("volume.NAME.capacity", ValueTypes.size(1), "", "Most bytes of copies in it.");

    static final Key<Boolean> VOLUME_SHARED = new Key<>(
            "volume.NAME.shared",
            ValueTypes.BOOLEAN,
            "true",
            "Whether every instance that has the volume sees the same folder; `false`: it is this instance's own.");

    static final Key<String> VOLUME_STATUS = new Key<>(
            "volume.NAME.status",
            ValueTypes.oneOf("active", "read-only", "draining", "offline"),
            "active",
            "`read-only` and `draining` take no new copies, and no plan frees them; `offline` is not touched.");

    static final Key<Integer> VOLUME_PRIORITY = new Key<>(
            "volume.NAME.priority",
            ValueTypes.number(-1000, 1000, "10"),
            "10",
            "New copies go to the volume of the highest priority that takes them; among equals, by free share.");

    static final Key<Long> VOLUME_MAX_OBJECT_SIZE =
            new Key<>("volume.NAME.max-object-size", ValueTypes.size(1), "50GiB", "Largest file that it takes.");

    static final Key<Long> VOLUME_MIN_FREE = new Key<>(
            "volume.NAME.min-free",
            ValueTypes.size(0),
            "1GiB",
            "What stays free on the disk itself, whatever the capacity says; of no meaning for `s3`.");

    static final Key<String> VOLUME_STRATEGY = new Key<>(
            "volume.NAME.strategy",
            ValueTypes.oneOf("lru"),
            "lru",
            "Which copies go first when room is made: `lru` removes the longest unused.");

    static final Key<Double> VOLUME_HIGH_WATERMARK = new Key<>(
            "volume.NAME.high-watermark", ValueTypes.RATIO, "0.95", "Share of the capacity above which room is made.");

    static final Key<Double> VOLUME_LOW_WATERMARK = new Key<>(
            "volume.NAME.low-watermark",
            ValueTypes.RATIO,
            "0.90",
            "Share of the capacity down to which room is made; less than the high one.");

    static final Key<Path> FILL_SPOOL = new Key<>(
            "fill.spool",
            ValueTypes.FOLDER,
            "${catalina.base}/anteroom/spool",
            "Where copies for volumes in `s3` grow until they are stored there; of no use without one.");

    static final Key<Long> FILL_SPOOL_MAX = new Key<>(
            "fill.spool.max",
            ValueTypes.size(1),
            "10GiB",
            "Most bytes there at once by this instance; what finds no room is passed through. A larger file is never put into"
                    + " `s3`.");

    static final Key<Integer> FILL_WORKERS = new Key<>(
            "fill.workers",
            ValueTypes.number(0, 1000, "4"),
            "4",
            "Fills from the queue (what the API was asked to cache, and what is tried again) that this instance makes at"
                    + " once; `0` leaves the queue to other instances and to readers.");

    static final Key<Integer> FILL_ATTEMPTS = new Key<>(
            "fill.attempts",
            ValueTypes.number(1, 100, "6"),
            "6",
            "As often such a fill is begun when the archive or a volume fails, 10 s after the first failure and twice as"
                    + " long after each further one; then it has failed. The same on all instances.");

    static final Key<Integer> FILL_MIN_REQUESTS = new Key<>(
            "fill.min-requests",
            ValueTypes.number(1, 1_000_000, "2"),
            "1",
            "The request of a file from which on it is cached; those before it are passed through. Counted by each"
                    + " instance, for 100,000 files, each until nobody has asked for it for a day.");

    static final Key<Duration> INVENTORY_LOCATION_TTL = new Key<>(
            "inventory.location-ttl",
            SOME_TIME,
            "30s",
            "Age at which a location in memory is looked up anew, in the background.");

    static final Key<Duration> INVENTORY_LOOKUP_TIMEOUT = new Key<>(
            "inventory.lookup-timeout",
            SOME_TIME,
            "1s",
            "Longest that a request waits for the database before the archive serves it.");

    static final Key<Integer> INVENTORY_LOCATION_MAX = new Key<>(
            "inventory.location-max",
            ValueTypes.number(1, 100_000_000, "100000"),
            "100000",
            "Most files whose location is kept in memory. Each takes up to 1,600 bytes of heap where paths have 66 characters"
                    + " and a file has one copy, so that 100,000 take up to 160 MB.");

    static final Key<Duration> EVICTION_INTERVAL =
            new Key<>("eviction.interval", SOME_TIME, "5m", "Time between two looks at each volume.");

    static final Key<Duration> EVICTION_MIN_AGE =
            new Key<>("eviction.min-age", ANY_TIME, "1m", "Younger copies are never removed to make room.");

    static final Key<Duration> EVICTION_GRACE = new Key<>(
            "eviction.grace",
            SOME_TIME,
            "2m",
            "Time between condemning a copy and deleting it, in which a use rescues it. Longer than "
                    + "`inventory.location-ttl`; the use of the last 20 s may not be known yet.");

    static final Key<Duration> PLAN_EXPIRY =
            new Key<>("plan.expiry", SOME_TIME, "1d", "Age at which a deletion plan that nobody ran is dropped.");

    static final Key<Duration> DELIVERY_STALL_TIMEOUT = new Key<>(
            "delivery.stall-timeout",
            SOME_TIME,
            "2m",
            "A client that takes no byte for so long is dropped; one that is slow never is.");

    static final Key<String> DELIVERY_CACHE_CONTROL = new Key<>(
            "delivery.cache-control",
            ValueTypes.CACHE_CONTROL,
            "public, no-cache, no-transform",
            "The `Cache-Control` of files. Where `access.files` is `viewer`, the default has `private` instead of `public`.");

    static final Key<Map<String, String>> DELIVERY_CONTENT_TYPES = new Key<>(
            "delivery.content-types",
            ValueTypes.MEDIA_TYPES,
            "none",
            "Media types of files by the suffix of their names, as `SUFFIX=TYPE`, besides those that are built in and"
                    + " before them; what the archive tells comes first. `none`: no others.");

    static final Key<CorsSettings> DELIVERY_CORS_ORIGINS = new Key<>(
            "delivery.cors.origins",
            ValueTypes.ORIGINS,
            "*",
            "Sites whose scripts may read files and listings in a browser (CORS), without credentials: `*` all, `none`"
                    + " none, or their origins. Where `access.files` is `viewer`, the default is `none`.");

    static final Key<String> ACCESS_FILES = access("files", "Who may read `/files`");
    static final Key<String> ACCESS_HEALTH = access("health", "Who may read `/health`");
    static final Key<String> ACCESS_METRICS = access("metrics", "Who may read `/metrics`");

    static final Key<Duration> SHUTDOWN_GRACE =
            new Key<>("shutdown.grace", ANY_TIME, "30s", "Longest that a stop waits for running transfers.");

    static final Key<String> INSTANCE_NAME = new Key<>(
            "instance.name",
            ValueTypes.NAME,
            "${host.name}",
            "What tells this instance from others; stays the same over restarts. Required with PostgreSQL. `${host.name}` is the machine's name.");

    /** Every key, in the order of the documentation. */
    static final List<Key<?>> ALL = Stream.<List<Key<?>>>of(
                    List.of(ARCHIVE_KIND, ARCHIVE_LOCATION, ARCHIVE_HTTP_CREDENTIALS),
                    ARCHIVE_S3.all(),
                    List.of(
                            ARCHIVE_BAGIT_INDEX,
                            ARCHIVE_BAGIT_INDEX_MAX,
                            ARCHIVE_CONCURRENCY,
                            ARCHIVE_CONNECT_TIMEOUT,
                            ARCHIVE_FIRST_BYTE_TIMEOUT,
                            ARCHIVE_STALL_TIMEOUT,
                            ARCHIVE_HEAD_TTL,
                            ARCHIVE_MISSING_TTL,
                            ARCHIVE_REVALIDATE,
                            VOLUMES,
                            VOLUME_KIND,
                            VOLUME_LOCATION),
                    VOLUME_S3.all(),
                    List.of(
                            VOLUME_CAPACITY,
                            VOLUME_SHARED,
                            VOLUME_STATUS,
                            VOLUME_PRIORITY,
                            VOLUME_MAX_OBJECT_SIZE,
                            VOLUME_MIN_FREE,
                            VOLUME_STRATEGY,
                            VOLUME_HIGH_WATERMARK,
                            VOLUME_LOW_WATERMARK,
                            FILL_WORKERS,
                            FILL_ATTEMPTS,
                            FILL_MIN_REQUESTS,
                            FILL_SPOOL,
                            FILL_SPOOL_MAX,
                            INVENTORY_LOCATION_TTL,
                            INVENTORY_LOOKUP_TIMEOUT,
                            INVENTORY_LOCATION_MAX,
                            EVICTION_INTERVAL,
                            EVICTION_MIN_AGE,
                            EVICTION_GRACE,
                            PLAN_EXPIRY,
                            DELIVERY_STALL_TIMEOUT,
                            DELIVERY_CACHE_CONTROL,
                            DELIVERY_CONTENT_TYPES,
                            DELIVERY_CORS_ORIGINS,
                            ACCESS_FILES,
                            ACCESS_HEALTH,
                            ACCESS_METRICS,
                            SHUTDOWN_GRACE,
                            INSTANCE_NAME))
            .flatMap(List::stream)
            .toList();

    private Keys() {}

    private static Key<String> access(String what, String meaning) {
        return new Key<>(
                "access." + what,
                ValueTypes.oneOf("open", "viewer"),
                "open",
                meaning + ": everybody, or who has the role `anteroom-viewer` or `anteroom-operator`.");
    }

    /** The volume that a key's name speaks of, if it is one of {@code volume.NAME.something} or {@code volume.NAME.s3.something}. */
    static Optional<String> volumeIn(String name) {
        String[] parts = name.split("\\.", -1);
        boolean ofStore = parts.length == 4 && parts[2].equals("s3");
        return (parts.length == 3 || ofStore) && parts[0].equals("volume") ? Optional.of(parts[1]) : Optional.empty();
    }

    /** Whether there is such a key, whatever the volume is called. */
    static boolean known(String name) {
        Optional<String> volume = volumeIn(name);
        return ALL.stream()
                .anyMatch(key -> volume.map(key::nameFor).orElse(key.name()).equals(name)
                        && key.ofVolume() == volume.isPresent());
    }

    /** Whether a name begins with the first word of dotted keys. */
    static boolean inGroup(String name) {
        int dot = name.indexOf('.');
        return dot > 0 && ALL.stream().anyMatch(key -> key.name().startsWith(name.substring(0, dot + 1)));
    }

    /** The key that was probably meant, if one is close. */
    static Optional<String> suggest(String name, List<String> volumes) {
        Set<String> candidates = new TreeSet<>();
        for (Key<?> key : ALL) {
            if (key.ofVolume()) {
                volumeIn(name).ifPresent(volume -> candidates.add(key.nameFor(volume)));
                volumes.forEach(volume -> candidates.add(key.nameFor(volume)));
            } else {
                candidates.add(key.name());
            }
        }
        return Spelling.closest(name, candidates);
    }
}
