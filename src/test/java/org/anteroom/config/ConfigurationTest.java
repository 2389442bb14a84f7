package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.naming.NamingException;
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
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.http.CorsSettings;
import org.anteroom.http.DeliverySettings;
import org.anteroom.inventory.InventorySettings;
import org.anteroom.s3.Checksums;
import org.anteroom.s3.S3Credentials;
import org.anteroom.s3.S3Location;
import org.anteroom.s3.S3Settings;
import org.anteroom.volume.VolumeSettings;
import org.anteroom.volume.s3.SpoolSettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read from where, and what goes before what. */
class ConfigurationTest {

    private static final long GIB = 1L << 30;

    @TempDir
    Path temporary;

    private Path base;
    private final Map<String, String> properties = new HashMap<>();
    private Naming naming = name -> Optional.empty();

    @BeforeEach
    void base() throws IOException {
        base = Files.createDirectories(temporary.toRealPath().resolve("base"));
        properties.put("catalina.base", base.toString());
        properties.put("host.name", "reading-room");
    }

    @Test
    void withNothingConfigured() throws Exception {
        Settings settings = load();
        Path home = base.resolve("anteroom");
        assertThat(settings.home()).isEqualTo(home).doesNotExist();
        assertThat(settings.sampleArchive()).isTrue();
        assertThat(settings.instance()).isEqualTo(new InstanceSettings("reading-room", false, Duration.ofSeconds(30)));
        assertThat(settings.archive())
                .isEqualTo(new ArchiveSettings(
                        "directory",
                        home.resolve("archive").toString(),
                        32,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(30),
                        Duration.ofMinutes(1),
                        Duration.ofSeconds(10)));
        long tenth = Math.max(GIB, Files.getFileStore(base).getTotalSpace() / 10);
        assertThat(settings.volumes())
                .containsExactly(new VolumeSettings(
                        "cache",
                        "filesystem",
                        home.resolve("cache").toString(),
                        tenth,
                        true,
                        "active",
                        10,
                        50 * GIB,
                        GIB));
        assertThat(settings.inventory())
                .isEqualTo(new InventorySettings(Duration.ofSeconds(30), Duration.ofSeconds(1), 100_000));
        assertThat(settings.eviction())
                .isEqualTo(new EvictionSettings(
                        Duration.ofMinutes(5),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(2),
                        Duration.ofDays(1),
                        Map.of("cache", new VolumeEviction("lru", 0.95, 0.90))));
        assertThat(settings.delivery()).isEqualTo(new DeliverySettings(Duration.ofMinutes(2)));
        assertThat(settings.headers()).isEqualTo(new HeaderSettings("public, no-cache, no-transform", Map.of()));
        assertThat(settings.cors()).isEqualTo(CorsSettings.ANY);
        assertThat(settings.access()).isEqualTo(new AccessSettings(Access.OPEN, Access.OPEN, Access.OPEN));
    }

    @Test
    void anArchiveOfBagsHasNoSamplesAndAnIndexOfItsOwn() throws Exception {
        file("archive.kind = bagit\narchive.bagit.index = index\narchive.bagit.index-max = 1GiB");
        assertThat(load().sampleArchive()).isFalse();
        assertThat(load().bagit()).isEqualTo(new BagitSettings(base.resolve("index"), GIB));
        file("archive.kind = bagit\narchive.location = /srv/bags\narchive.bagit.index = /srv/bags/index");
        assertThat(catchThrowableOfType(ConfigurationException.class, this::load))
                .hasMessageContaining("archive.bagit.index")
                .hasMessageContaining("lies inside the folder of archive.location");
    }

    @Test
    void whatOnlySomeMayReadIsSharedWithNobodyUnlessThatIsSaid() throws Exception {
        file("access.files = viewer");
        assertThat(load().headers().cacheControl()).isEqualTo("private, no-cache, no-transform");
        assertThat(load().cors()).isEqualTo(CorsSettings.NONE);
        file("access.files = viewer\ndelivery.cache-control = public, max-age=60\ndelivery.cors.origins = *");
        assertThat(load().headers().cacheControl()).isEqualTo("public, max-age=60");
        assertThat(load().cors()).isEqualTo(CorsSettings.ANY);
        file("delivery.cors.origins = none");
        assertThat(load().cors()).isEqualTo(CorsSettings.NONE);
    }

    @Test
    void withEverythingConfigured() throws Exception {
        file("""
                archive.kind = directory
                archive.location = /srv/archive
                archive.concurrency = 8
                archive.first-byte-timeout = 61s
                archive.stall-timeout = 31s
                archive.head-ttl = 2m
                archive.missing-ttl = 11s
                volumes = fast, bulk
                volume.fast.kind = filesystem
                volume.fast.location = /cache/fast
                volume.fast.capacity = 500GiB
                volume.fast.shared = false
                volume.fast.status = read-only
                volume.fast.priority = 20
                volume.fast.max-object-size = 20MB
                volume.fast.min-free = 0
                volume.fast.strategy = lru
                volume.fast.high-watermark = 0.8
                volume.fast.low-watermark = 0.7
                volume.bulk.location = /cache/bulk
                volume.bulk.capacity = 7
                inventory.location-ttl = 10s
                inventory.lookup-timeout = 500ms
                inventory.location-max = 5
                eviction.interval = 1m
                eviction.min-age = 0s
                eviction.grace = 1h
                plan.expiry = 7d
                delivery.stall-timeout = 3m
                delivery.cache-control = private, max-age=60
                fill.workers = 2
                fill.attempts = 9
                fill.min-requests = 3
                archive.revalidate = 6h
                delivery.content-types = CZI=image/x-zeiss, txt = text/plain; charset=utf-8
                delivery.cors.origins = https://Example.org, http://localhost:3000, http://[::1]:8012, app://viewer
                access.files = viewer
                access.health = open
                access.metrics = viewer
                shutdown.grace = 1s
                instance.name = room-1
                """);
        Settings settings = load();
        assertThat(settings)
                .isEqualTo(new Settings(
                        base.resolve("anteroom"),
                        false,
                        new InstanceSettings("room-1", true, Duration.ofSeconds(1)),
                        new ArchiveSettings(
                                "directory",
                                "/srv/archive",
                                8,
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(61),
                                Duration.ofSeconds(31),
                                Duration.ofMinutes(2),
                                Duration.ofSeconds(11)),
                        null,
                        new BagitSettings(base.resolve("anteroom/bag-index"), 10 * GIB),
                        new StoreSettings(null, Map.of(), new SpoolSettings(base.resolve("anteroom/spool"), 10 * GIB)),
                        List.of(
                                new VolumeSettings(
                                        "fast",
                                        "filesystem",
                                        "/cache/fast",
                                        500 * GIB,
                                        false,
                                        "read-only",
                                        20,
                                        20_000_000,
                                        0),
                                new VolumeSettings(
                                        "bulk", "filesystem", "/cache/bulk", 7, true, "active", 10, 50 * GIB, GIB)),
                        new FillSettings(2, 9),
                        new CachingSettings(3, Duration.ofHours(6)),
                        new InventorySettings(Duration.ofSeconds(10), Duration.ofMillis(500), 5),
                        new EvictionSettings(
                                Duration.ofMinutes(1),
                                Duration.ZERO,
                                Duration.ofHours(1),
                                Duration.ofDays(7),
                                Map.of(
                                        "fast", new VolumeEviction("lru", 0.8, 0.7),
                                        "bulk", new VolumeEviction("lru", 0.95, 0.90))),
                        new DeliverySettings(Duration.ofMinutes(3)),
                        new HeaderSettings(
                                "private, max-age=60",
                                Map.of("czi", "image/x-zeiss", "txt", "text/plain; charset=utf-8")),
                        new CorsSettings(
                                false,
                                Set.of(
                                        "https://example.org",
                                        "http://localhost:3000",
                                        "http://[::1]:8012",
                                        "app://viewer")),
                        new AccessSettings(Access.VIEWER, Access.OPEN, Access.VIEWER)));
    }

    @Test
    void aSystemPropertyGoesBeforeTheFileAndTheFileBeforeTheDefault() throws Exception {
        file("archive.concurrency = 5\narchive.head-ttl = 5s");
        assertThat(load().archive().concurrency()).isEqualTo(5);
        properties.put("anteroom.archive.concurrency", "6");
        assertThat(load().archive().concurrency()).isEqualTo(6);
        assertThat(load().archive().headTtl()).isEqualTo(Duration.ofSeconds(5));
        assertThat(load().archive().missingTtl()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void anEmptyValueStandsForTheDefault() throws Exception {
        file("archive.concurrency = 5\ninstance.name =\narchive.location =");
        properties.put("anteroom.archive.concurrency", " ");
        Settings settings = load();
        assertThat(settings.archive().concurrency()).isEqualTo(32);
        assertThat(settings.instance().name()).isEqualTo("reading-room");
        assertThat(settings.sampleArchive()).isTrue();
    }

    @Test
    void objectStores() throws Exception {
        naming = name -> switch (name) {
            case "anteroom/bulk/access-key" -> Optional.of("who");
            case "anteroom/bulk/secret-key" -> Optional.of("secret");
            default -> Optional.empty();
        };
        file("""
                archive.kind = s3
                archive.location = s3://deep
                archive.s3.region = eu-central-1
                archive.s3.path-style = false
                archive.connect-timeout = 1s
                archive.first-byte-timeout = 20s
                archive.stall-timeout = 3s
                volumes = bulk
                volume.bulk.kind = s3
                volume.bulk.location = s3://copies/anteroom
                volume.bulk.capacity = 1TiB
                volume.bulk.s3.endpoint = http://127.0.0.1:9000
                volume.bulk.s3.credentials = bulk
                volume.bulk.s3.checksums = crc32
                volume.bulk.s3.connections = 7
                fill.spool = /spool
                fill.spool.max = 5GiB
                """);
        Settings settings = load();
        assertThat(settings.archive().location()).isEqualTo("s3://deep/");
        assertThat(settings.volumes())
                .containsExactly(new VolumeSettings(
                        "bulk", "s3", "s3://copies/anteroom/", 1L << 40, true, "active", 10, 50 * GIB, 0));
        assertThat(settings.stores())
                .isEqualTo(new StoreSettings(
                        new StorePlace(
                                new S3Location("deep", ""),
                                new S3Settings(
                                        null,
                                        "eu-central-1",
                                        false,
                                        null,
                                        Checksums.MD5,
                                        64,
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(3),
                                        Duration.ofSeconds(20),
                                        3)),
                        Map.of(
                                "bulk",
                                new StorePlace(
                                        new S3Location("copies", "anteroom/"),
                                        new S3Settings(
                                                URI.create("http://127.0.0.1:9000"),
                                                "us-east-1",
                                                true,
                                                new S3Credentials("who", "secret"),
                                                Checksums.CRC32,
                                                7,
                                                Duration.ofSeconds(2),
                                                Duration.ofSeconds(3),
                                                Duration.ofSeconds(10),
                                                3))),
                        new SpoolSettings(Path.of("/spool"), 5 * GIB)));
        assertThat(settings.toString()).contains("who").doesNotContain("secret");
    }

    @Test
    void anArchiveThatIsAServerHasAnAddressAndALogin() throws Exception {
        naming = name -> switch (name) {
            case "anteroom/upstream/user" -> Optional.of("reader");
            case "anteroom/upstream/password" -> Optional.of("secret:s");
            default -> Optional.empty();
        };
        file("""
                archive.kind = http
                archive.location = https://Archive.example.org:8443/a/../files%20here
                archive.http.credentials = upstream
                archive.connect-timeout = 1s
                """);
        Settings settings = load();
        assertThat(settings.archive().location()).isEqualTo("https://Archive.example.org:8443/files%20here");
        assertThat(settings.archiveServer())
                .isEqualTo(new HttpArchiveSettings(
                        URI.create("https://Archive.example.org:8443/files%20here"),
                        new HttpCredentials("reader", "secret:s"),
                        32,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(30)));
        assertThat(settings.toString()).contains("reader").doesNotContain("secret");
        assertThat(settings.sampleArchive()).isFalse();
    }

    @Test
    void theDefaultArchiveMayBeNamed() throws Exception {
        file("archive.location = ${catalina.base}/anteroom/archive");
        assertThat(load().sampleArchive()).isTrue();
    }

    @Test
    void theVolumeWithoutConfigurationCanBeChangedByItsKeys() throws Exception {
        properties.put("anteroom.volume.cache.capacity", "5MB");
        properties.put("anteroom.volume.cache.location", "elsewhere");
        VolumeSettings volume = load().volumes().get(0);
        assertThat(volume.capacity()).isEqualTo(5_000_000);
        assertThat(volume.location()).isEqualTo(base.resolve("elsewhere").toString());
    }

    @Test
    void propertiesInValuesAreReplaced() throws Exception {
        properties.put("anteroom.data", "/data");
        file("""
                archive.location = ${anteroom.data:-${catalina.base}/anteroom}/a
                volume.cache.location = ${anteroom.cache:-${catalina.base}/anteroom}/c
                instance.name = ${host.name}-2
                """);
        Settings settings = load();
        assertThat(settings.archive().location()).isEqualTo("/data/a");
        assertThat(settings.volumes().get(0).location()).isEqualTo(base + "/anteroom/c");
        assertThat(settings.instance().name()).isEqualTo("reading-room-2");
    }

    @Test
    void systemPropertiesOfTheContainersFilesAreNoKeys() throws Exception {
        properties.put("anteroom.port", "8080");
        properties.put("anteroom.data", "/data");
        properties.put("anteroom.archive", "/data/archive");
        properties.put("anteroom.server.port", "-1");
        assertThat(load()).isNotNull();
    }

    @Test
    void systemPropertiesInTheGroupsOfKeysAreKeys() {
        properties.put("anteroom.archive.concurency", "5");
        properties.put("anteroom.volume.fast.capacity", "5");
        assertThat(failure())
                .isEqualTo("The configuration has 2 errors (no file " + base
                        + "/conf/anteroom.properties, system properties only):\n"
                        + "  1. system property anteroom.archive.concurency = 5: there is no such key; did you mean"
                        + " archive.concurrency?\n"
                        + "  2. system property anteroom.volume.fast.capacity = 5: the key volumes does not name a volume"
                        + " fast; add it there, or remove this key");
    }

    @Test
    void theBaseFolderIsTomcatsElseJettysElseTheWorkingDirectory() {
        Map<String, String> known = new HashMap<>(Map.of("catalina.base", "/t", "jetty.base", "/j", "user.dir", "/u"));
        assertThat(new Surroundings(naming, known).home()).isEqualTo(Path.of("/t/anteroom"));
        known.remove("catalina.base");
        assertThat(new Surroundings(naming, known).home()).isEqualTo(Path.of("/j/anteroom"));
        known.remove("jetty.base");
        assertThat(new Surroundings(naming, known).home()).isEqualTo(Path.of("/u/anteroom"));
    }

    @Test
    void theHostsNameIsTheInstancesNameAndFitsOne() throws Exception {
        properties.remove("host.name");
        assertThat(load().instance().name()).matches("[A-Za-z0-9._-]+");
    }

    @Test
    void theContainersSurroundingsAreThoseOfThisProcess() throws Exception {
        Surroundings surroundings = Surroundings.ofContainer();
        assertThat(surroundings.properties()).containsEntry("java.version", System.getProperty("java.version"));
        assertThat(surroundings.naming().find("anteroom/config")).isEmpty();
    }

    @Test
    void theNamedFileGoesBeforeTheUsualOne() throws Exception {
        file("archive.concurrency = 5");
        Path named = Files.writeString(base.resolve("named.properties"), "archive.concurrency = 7");
        for (String entry : new String[] {named.toString(), "${catalina.base}/named.properties", "named.properties"}) {
            naming = name -> name.equals("anteroom/config") ? Optional.of(entry) : Optional.empty();
            assertThat(load().archive().concurrency()).as(entry).isEqualTo(7);
        }
        naming = name -> Optional.of(" ");
        assertThat(load().archive().concurrency()).as("an empty entry").isEqualTo(5);
    }

    @Test
    void aNamedFileThatIsMissing() {
        naming = name -> Optional.of("/nowhere/anteroom.properties");
        assertThat(failure())
                .isEqualTo("The configuration has 1 error (file /nowhere/anteroom.properties):\n"
                        + "  1. java:comp/env/anteroom/config names a file that does not exist; create it, or correct the"
                        + " entry in the context descriptor");
    }

    @Test
    void aFileThatCannotBeRead() throws IOException {
        Path file = Files.createDirectories(base.resolve("conf/anteroom.properties"));
        assertThat(failure())
                .isEqualTo("The configuration has 1 error (file " + file + "):\n"
                        + "  1. the file cannot be read (IOException: Is a directory); let the user that runs the"
                        + " container read it");
    }

    @Test
    void anEntryThatIsNoText() {
        naming = name -> Optional.of(42);
        assertThat(failure())
                .isEqualTo("The configuration has 1 error (entry java:comp/env/anteroom/config):\n"
                        + "  1. java:comp/env/anteroom/config: not a java.lang.String; correct its type in the context"
                        + " descriptor");
    }

    @Test
    void anEntryThatCannotBeLookedUp() {
        naming = name -> {
            throw new NamingException("broken\nin two lines");
        };
        assertThat(failure())
                .isEqualTo("The configuration has 1 error (entry java:comp/env/anteroom/config):\n"
                        + "  1. java:comp/env/anteroom/config: cannot be looked up (NamingException: broken in two lines);"
                        + " correct it in the context descriptor");
    }

    @Test
    void anEntryThatRefersToNothing() {
        naming = name -> Optional.of("${nothing}/anteroom.properties");
        assertThatThrownBy(this::load)
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("The configuration has 1 error (entry java:comp/env/anteroom/config):\n"
                        + "  1. java:comp/env/anteroom/config: the system property nothing is not set; set it, or write"
                        + " ${nothing:-VALUE} with the value to use without it");
    }

    private void file(String text) throws IOException {
        Files.createDirectories(base.resolve("conf"));
        Files.writeString(base.resolve("conf/anteroom.properties"), text);
    }

    private Settings load() throws ConfigurationException {
        return Configuration.load(new Surroundings(naming, properties));
    }

    private String failure() {
        return Objects.toString(
                catchThrowableOfType(ConfigurationException.class, this::load).getMessage());
    }
}
