package org.anteroom.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.anteroom.archive.ArchiveSettings;
import org.anteroom.archive.bagit.BagitSettings;
import org.anteroom.archive.http.HttpArchiveSettings;
import org.anteroom.archive.http.HttpCredentials;
import org.anteroom.delivery.HeaderSettings;
import org.anteroom.eviction.EvictionSettings;
import org.anteroom.eviction.VolumeEviction;
import org.anteroom.fill.CachingSettings;
import org.anteroom.fill.FillSettings;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.CorsSettings;
import org.anteroom.http.DeliverySettings;
import org.anteroom.inventory.InventorySettings;
import org.anteroom.s3.S3Location;
import org.anteroom.s3.S3Settings;
import org.anteroom.volume.VolumeSettings;
import org.anteroom.volume.s3.SpoolSettings;
import org.jspecify.annotations.Nullable;

/** From values to the settings records, with the checks of values against each other. */
final class SettingsReader {

    /** In place of a location that is wrong, which is told and stops the start. */
    private static final URI NOWHERE = URI.create("http://localhost/");

    private static final S3Location NO_PLACE = new S3Location("nowhere", "");

    private static final String HTTP = "http";
    private static final String S3 = "s3";

    /** What only some may read is kept by no cache that others share. */
    private static final String PRIVATE = "private, no-cache, no-transform";

    private static final String DIRECTORY = "directory";
    private static final String BAGIT = "bagit";

    private final Values values;
    private final Path base;
    private final Path home;
    private final Folders folders;
    private final Secrets secrets;
    private final Stores stores;
    private final Map<String, StorePlace> storedVolumes = new LinkedHashMap<>();
    private final List<String> volumes;

    /** Where the archive is in a store; null if it is elsewhere, or nobody knows where. */
    private @Nullable StorePlace archivePlace;

    SettingsReader(Values values, Surroundings surroundings, List<String> volumes) {
        this.values = values;
        this.base = surroundings.base();
        this.home = surroundings.home();
        this.folders = new Folders(values);
        this.secrets = new Secrets(values, surroundings.naming());
        this.stores = new Stores(values, secrets);
        this.volumes = volumes;
    }

    /** The settings; only to be used if no error was found on the way. */
    Settings read() {
        ArchiveSettings archive = archive();
        StorePlace storedArchive = archive.kind().equals(S3)
                ? new StorePlace(S3Location.parse(archive.location()), stores.ofArchive(archive))
                : null;
        archivePlace = values.isWrong(Keys.ARCHIVE_LOCATION.name()) ? null : storedArchive;
        List<VolumeSettings> complete = new ArrayList<>();
        Map<String, VolumeEviction> evictions = new LinkedHashMap<>();
        for (String name : volumes) {
            volume(name).ifPresent(complete::add);
            volumeEviction(name).ifPresent(eviction -> evictions.put(name, eviction));
        }
        InventorySettings inventory = new InventorySettings(
                values.get(Keys.INVENTORY_LOCATION_TTL),
                values.get(Keys.INVENTORY_LOOKUP_TIMEOUT),
                values.get(Keys.INVENTORY_LOCATION_MAX));
        Settings settings = new Settings(
                home,
                archive.kind().equals(DIRECTORY)
                        && archive.location().equals(home.resolve("archive").toString()),
                new InstanceSettings(
                        values.get(Keys.INSTANCE_NAME),
                        values.isSet(Keys.INSTANCE_NAME.name()),
                        values.get(Keys.SHUTDOWN_GRACE)),
                archive,
                archive.kind().equals(HTTP) ? archiveServer(archive) : null,
                bagit(archive.kind()),
                new StoreSettings(storedArchive, storedVolumes, spool()),
                complete,
                new FillSettings(values.get(Keys.FILL_WORKERS), values.get(Keys.FILL_ATTEMPTS)),
                new CachingSettings(values.get(Keys.FILL_MIN_REQUESTS), values.get(Keys.ARCHIVE_REVALIDATE)),
                inventory,
                eviction(evictions, inventory.locationTtl()),
                new DeliverySettings(values.get(Keys.DELIVERY_STALL_TIMEOUT)),
                headers(),
                cors(),
                access());
        checkPlaces(complete);
        return settings;
    }

    private AccessSettings access() {
        return new AccessSettings(access(Keys.ACCESS_FILES), access(Keys.ACCESS_HEALTH), access(Keys.ACCESS_METRICS));
    }

    private boolean filesAreOpen() {
        return access(Keys.ACCESS_FILES) == AccessSettings.Access.OPEN;
    }

    private HeaderSettings headers() {
        String cacheControl = values.get(Keys.DELIVERY_CACHE_CONTROL);
        return new HeaderSettings(
                filesAreOpen() || values.isSet(Keys.DELIVERY_CACHE_CONTROL.name()) ? cacheControl : PRIVATE,
                values.get(Keys.DELIVERY_CONTENT_TYPES));
    }

    private CorsSettings cors() {
        CorsSettings origins = values.get(Keys.DELIVERY_CORS_ORIGINS);
        return filesAreOpen() || values.isSet(Keys.DELIVERY_CORS_ORIGINS.name()) ? origins : CorsSettings.NONE;
    }

    /**
     * Adds what can be told of new volumes to the errors that are there anyway, so that one message has them all. Without
     * other errors the volumes are tried, once the inventory has told which of them are new.
     */
    private void checkPlaces(List<VolumeSettings> complete) {
        if (!values.hasErrors()) {
            return;
        }
        for (VolumeSettings volume : complete) {
            String key = Keys.VOLUME_LOCATION.nameFor(volume.name());
            if (values.isWrong(key) || volume.kind().equals(S3)) {
                continue;
            }
            Folders.obstacle(Path.of(volume.location()))
                    .ifPresent(
                            why -> values.reject(
                                    key,
                                    "if the volume is new, it cannot be made there: " + why
                                            + "; make the folder and give it to the user that runs the container, or name another one"));
        }
    }

    private ArchiveSettings archive() {
        String kind = values.get(Keys.ARCHIVE_KIND);
        return new ArchiveSettings(
                kind,
                archiveLocation(kind),
                values.get(Keys.ARCHIVE_CONCURRENCY),
                values.get(Keys.ARCHIVE_CONNECT_TIMEOUT),
                values.get(Keys.ARCHIVE_FIRST_BYTE_TIMEOUT),
                values.get(Keys.ARCHIVE_STALL_TIMEOUT),
                values.get(Keys.ARCHIVE_HEAD_TTL),
                values.get(Keys.ARCHIVE_MISSING_TTL));
    }

    private String archiveLocation(String kind) {
        String key = Keys.ARCHIVE_LOCATION.name();
        return switch (kind) {
            case HTTP ->
                values.require(Keys.ARCHIVE_LOCATION.as(ValueTypes.SERVER), key)
                        .orElse(NOWHERE)
                        .toString();
            case S3 ->
                values.require(Keys.ARCHIVE_LOCATION.as(ValueTypes.STORE_PLACE), key)
                        .orElse(NO_PLACE)
                        .toString();
            default -> archiveFolder().toString();
        };
    }

    private Path archiveFolder() {
        Path location = absolute(values.get(Keys.ARCHIVE_LOCATION.as(ValueTypes.FOLDER)));
        if (!values.isWrong(Keys.ARCHIVE_LOCATION.name())) {
            folders.add(Keys.ARCHIVE_LOCATION.name(), location);
        }
        return location;
    }

    private HttpArchiveSettings archiveServer(ArchiveSettings archive) {
        return new HttpArchiveSettings(
                URI.create(archive.location()),
                secrets.login(Keys.ARCHIVE_HTTP_CREDENTIALS)
                        .map(login -> new HttpCredentials(login.user(), login.password()))
                        .orElse(null),
                archive.concurrency(),
                archive.connectTimeout(),
                archive.firstByteTimeout(),
                archive.stallTimeout());
    }

    private BagitSettings bagit(String kind) {
        Path index = absolute(values.get(Keys.ARCHIVE_BAGIT_INDEX));
        if (kind.equals(BAGIT) && !values.isWrong(Keys.ARCHIVE_BAGIT_INDEX.name())) {
            folders.add(Keys.ARCHIVE_BAGIT_INDEX.name(), index);
        }
        return new BagitSettings(index, values.get(Keys.ARCHIVE_BAGIT_INDEX_MAX));
    }

    private SpoolSettings spool() {
        Path folder = absolute(values.get(Keys.FILL_SPOOL));
        if (!storedVolumes.isEmpty() && !values.isWrong(Keys.FILL_SPOOL.name())) {
            folders.add(Keys.FILL_SPOOL.name(), folder);
        }
        return new SpoolSettings(folder, values.get(Keys.FILL_SPOOL_MAX));
    }

    /** Where a volume is; of one in an object store also how that is reached. */
    private Optional<String> location(String name, boolean stored, boolean unnamed) {
        String key = Keys.VOLUME_LOCATION.nameFor(name);
        if (stored) {
            Optional<S3Location> place = values.require(Keys.VOLUME_LOCATION.as(ValueTypes.STORE_PLACE), key);
            S3Settings store = stores.ofVolume(name);
            place.ifPresent(where -> {
                storedVolumes.forEach((other, taken) -> {
                    if (taken.overlaps(where, store)) {
                        values.reject(
                                key, "lies inside the place of volume " + other + ", or around it; give each its own");
                    }
                });
                StorePlace archive = archivePlace;
                if (archive != null && archive.overlaps(where, store)) {
                    values.reject(key, "lies inside the archive, or around it; give each its own place");
                }
                storedVolumes.put(name, new StorePlace(where, store));
            });
            return place.map(S3Location::toString);
        }
        Optional<Path> folder = unnamed && !values.isSet(key)
                ? Optional.of(home.resolve(name))
                : values.require(Keys.VOLUME_LOCATION.as(ValueTypes.FOLDER), key)
                        .map(this::absolute);
        folder.ifPresent(added -> folders.add(key, added));
        return folder.map(Path::toString);
    }

    private Optional<VolumeSettings> volume(String name) {
        // the volume that is there without configuration is the only one whose place and capacity have defaults
        boolean unnamed = !values.isSet(Keys.VOLUMES.name());
        String kind = values.get(Keys.VOLUME_KIND, Keys.VOLUME_KIND.nameFor(name));
        boolean stored = kind.equals(S3);
        Optional<String> location = location(name, stored, unnamed);
        String capacityKey = Keys.VOLUME_CAPACITY.nameFor(name);
        Optional<Long> capacity = unnamed && !stored && !values.isSet(capacityKey)
                ? location.map(folder -> Folders.tenthOfDisk(Path.of(folder)))
                : values.require(Keys.VOLUME_CAPACITY, capacityKey);
        boolean shared = values.get(Keys.VOLUME_SHARED, Keys.VOLUME_SHARED.nameFor(name));
        String status = values.get(Keys.VOLUME_STATUS, Keys.VOLUME_STATUS.nameFor(name));
        int priority = values.get(Keys.VOLUME_PRIORITY, Keys.VOLUME_PRIORITY.nameFor(name));
        long maxObjectSize = values.get(Keys.VOLUME_MAX_OBJECT_SIZE, Keys.VOLUME_MAX_OBJECT_SIZE.nameFor(name));
        // what an object store has left is not known
        long minFree = stored ? 0 : values.get(Keys.VOLUME_MIN_FREE, Keys.VOLUME_MIN_FREE.nameFor(name));
        if (location.isEmpty() || capacity.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new VolumeSettings(
                name, kind, location.get(), capacity.get(), shared, status, priority, maxObjectSize, minFree));
    }

    private Optional<VolumeEviction> volumeEviction(String name) {
        String strategy = values.get(Keys.VOLUME_STRATEGY, Keys.VOLUME_STRATEGY.nameFor(name));
        String highKey = Keys.VOLUME_HIGH_WATERMARK.nameFor(name);
        double high = values.get(Keys.VOLUME_HIGH_WATERMARK, highKey);
        String lowKey = Keys.VOLUME_LOW_WATERMARK.nameFor(name);
        double low = values.get(Keys.VOLUME_LOW_WATERMARK, lowKey);
        if (values.isWrong(highKey) || values.isWrong(lowKey)) {
            return Optional.empty();
        }
        if (low >= high) {
            values.reject(lowKey, "not less than " + highKey + ", which is " + high + "; write a smaller number");
            return Optional.empty();
        }
        return Optional.of(new VolumeEviction(strategy, high, low));
    }

    private EvictionSettings eviction(Map<String, VolumeEviction> volumes, Duration locationTtl) {
        Duration grace = values.get(Keys.EVICTION_GRACE);
        if (grace.compareTo(locationTtl) <= 0
                && !values.isWrong(Keys.EVICTION_GRACE.name())
                && !values.isWrong(Keys.INVENTORY_LOCATION_TTL.name())) {
            // an instance may go on handing out a location for this long after the copy was condemned
            values.reject(
                    Keys.EVICTION_GRACE.name(),
                    "not longer than " + Keys.INVENTORY_LOCATION_TTL.name() + ", which is " + locationTtl.toMillis()
                            + "ms; write a longer time");
        }
        return new EvictionSettings(
                values.get(Keys.EVICTION_INTERVAL),
                values.get(Keys.EVICTION_MIN_AGE),
                grace,
                values.get(Keys.PLAN_EXPIRY),
                volumes);
    }

    private AccessSettings.Access access(Key<String> key) {
        return AccessSettings.Access.valueOf(values.get(key).toUpperCase(Locale.ROOT));
    }

    private Path absolute(Path folder) {
        return base.resolve(folder).normalize();
    }
}
