package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of a wrong configuration, word for word. */
class ConfigurationErrorsTest {

    @TempDir
    Path temporary;

    private Path base;
    private Path file;
    private final Map<String, String> properties = new HashMap<>();

    @BeforeEach
    void base() throws IOException {
        base = temporary.toRealPath();
        file = Files.createDirectories(base.resolve("conf")).resolve("anteroom.properties");
        properties.put("catalina.base", base.toString());
        properties.put("host.name", "reading-room");
    }

    @Test
    void everyErrorIsNamedAtOnce() throws IOException {
        properties.put("anteroom.eviction.interval", "5min");
        assertErrors(
                """
                archive.locaton = /srv/archive
                archive.concurrency = many
                volumes = fast, bulk
                volume.fast.location = /cache/fast
                volume.fast.capacity = 500G
                volume.fast.status = on
                volume.bulk.location = /cache/bulk
                volume.bulk.shared = maybe
                volume.bulk.max-objectsize = 5GiB
                volume.slow.capacity = 1GiB
                archive.concurrency = 7
                """,
                "line 11: archive.concurrency = 7: the key stands in line 2 already; remove one of them",
                "line 1: archive.locaton = /srv/archive: there is no such key; did you mean archive.location?",
                "line 9: volume.bulk.max-objectsize = 5GiB: there is no such key; did you mean"
                        + " volume.bulk.max-object-size?",
                "line 10: volume.slow.capacity = 1GiB: the key volumes does not name a volume slow; add it there, or"
                        + " remove this key",
                "line 2: archive.concurrency = many: not a whole number from 1 to 10000",
                "line 5: volume.fast.capacity = 500G: not a size; write a whole number of bytes, or one with KB, MB, GB,"
                        + " TB, PB, KiB, MiB, GiB, TiB or PiB, such as 500GiB",
                "line 6: volume.fast.status = on: not a choice here; write active, read-only, draining or offline",
                "volume.bulk.capacity: missing; write a size, such as volume.bulk.capacity = 500GiB",
                "line 8: volume.bulk.shared = maybe: neither true nor false; write one of them",
                "system property anteroom.eviction.interval = 5min: not a time; write a whole number and one of the units"
                        + " ms, s, m, h, d, such as 30s");
    }

    @Test
    void aKeyOfALaterTimeIsUnknown() throws IOException {
        assertErrors(
                "usage.gate.events = 5",
                "line 1: usage.gate.events = 5: there is no such key; remove it, the documentation lists all keys");
    }

    @Test
    void theKeyThatWasMeant() throws IOException {
        assertErrors(
                """
                Archive.Location = /srv/archive
                volumes = fast
                volumes.fast.location = /cache/fast
                volume.fats.capacity = 5
                volume.capacity = 5
                volume.fast.location = /cache/fast
                volume.fast.capacity = 5
                volume.fast.capacity.max = 5
                """,
                "line 1: Archive.Location = /srv/archive: there is no such key; did you mean archive.location?",
                "line 3: volumes.fast.location = /cache/fast: there is no such key; did you mean volume.fast.location?",
                "line 4: volume.fats.capacity = 5: the key volumes does not name a volume fats; did you mean fast?",
                "line 5: volume.capacity = 5: there is no such key; remove it, the documentation lists all keys",
                "line 8: volume.fast.capacity.max = 5: there is no such key; did you mean volume.fast.capacity?");
    }

    @Test
    void aServerNeedsAnAddressAndTheEntriesOfItsLogin() throws IOException {
        assertErrors(
                "archive.kind = http\narchive.http.credentials = upstream",
                "archive.location: missing; write a URL, such as archive.location ="
                        + " https://archive.example.org/files",
                "line 2: archive.http.credentials = upstream: there is no text in java:comp/env/anteroom/upstream/user;"
                        + " add <Environment name=\"anteroom/upstream/user\" type=\"java.lang.String\" value=\"…\"/> to"
                        + " the context descriptor",
                "line 2: archive.http.credentials = upstream: there is no text in"
                        + " java:comp/env/anteroom/upstream/password; add <Environment"
                        + " name=\"anteroom/upstream/password\" type=\"java.lang.String\" value=\"…\"/> to the context"
                        + " descriptor");
    }

    @Test
    void objectStoresThatCannotBe() throws IOException {
        assertErrors(
                """
                archive.kind = s3
                archive.location = /srv/archive
                volumes = one, two
                volume.one.kind = s3
                volume.one.location = s3://shelf/copies
                volume.one.capacity = 1TiB
                volume.one.s3.region = Nowhere!
                volume.one.s3.credentials = bulk
                volume.two.kind = s3
                volume.two.location = s3://shelf/copies/inside
                volume.two.capacity = 1TiB
                volume.two.s3.endpoint = 127.0.0.1:9000""",
                "line 2: archive.location = /srv/archive: not a place in an object store (not s3://BUCKET/PREFIX); write"
                        + " s3://BUCKET or s3://BUCKET/PREFIX, such as s3://copies/anteroom",
                "line 7: volume.one.s3.region = Nowhere!: not a region; write one such as us-east-1",
                "line 8: volume.one.s3.credentials = bulk: there is no text in java:comp/env/anteroom/bulk/access-key;"
                        + " add <Environment name=\"anteroom/bulk/access-key\" type=\"java.lang.String\" value=\"…\"/>"
                        + " to the context descriptor",
                "line 8: volume.one.s3.credentials = bulk: there is no text in java:comp/env/anteroom/bulk/secret-key;"
                        + " add <Environment name=\"anteroom/bulk/secret-key\" type=\"java.lang.String\" value=\"…\"/>"
                        + " to the context descriptor",
                "line 12: volume.two.s3.endpoint = 127.0.0.1:9000: not a URL; write one such as"
                        + " https://archive.example.org/files, with what is no letter, digit or -._~ in its path"
                        + " percent-encoded",
                "line 10: volume.two.location = s3://shelf/copies/inside: lies inside the place of volume one, or around"
                        + " it; give each its own");
    }

    @Test
    void volumeInsideTheArchiveOfAStoreIsRefused() throws IOException {
        assertErrors(
                """
                archive.kind = s3
                archive.location = s3://shelf
                volumes = one
                volume.one.kind = s3
                volume.one.location = s3://shelf/cache
                volume.one.capacity = 1TiB""",
                "line 5: volume.one.location = s3://shelf/cache: lies inside the archive, or around it; give each its own"
                        + " place");
    }

    @Test
    void aPasswordInAnAddressIsRefusedAndNotShown() throws IOException {
        assertErrors(
                "archive.kind = http\narchive.location = https://reader:secret@example.org/files",
                "line 2: archive.location = https://…@example.org/files: a user or password in a URL is seen by"
                        + " everybody; leave it out, and name its entries in the context descriptor by"
                        + " archive.http.credentials");
        assertErrors(
                "archive.location = https://reader:secret@example.org/files",
                "line 1: archive.location = https://…@example.org/files: not a folder but a URL; write a path such as"
                        + " /srv/anteroom");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/srv/archive",
                "ftp://example.org/files",
                "https:///files",
                "https://example.org/files?x=y",
                "https://example.org/files#x"
            })
    void whatIsNoServersFolderIsRefused(String address) throws IOException {
        assertErrors(
                "archive.kind = http\narchive.location = " + address,
                "line 2: archive.location = " + address
                        + ": not the URL of a folder on a server; write http:// or https://, a host and a path, such as"
                        + " https://archive.example.org/files");
    }

    @Test
    void aPlaceholderOfTheDocumentationIsNoVolume() throws IOException {
        assertErrors(
                "volume.NAME.capacity = 5",
                "line 1: volume.NAME.capacity = 5: the key volumes does not name a volume NAME; add it there, or remove"
                        + " this key");
    }

    @Test
    void listedVolumesNeedAPlaceAndACapacity() throws IOException {
        assertErrors(
                "volumes = cache",
                "volume.cache.location: missing; write a folder, such as volume.cache.location = /srv/anteroom",
                "volume.cache.capacity: missing; write a size, such as volume.cache.capacity = 500GiB");
    }

    @Test
    void aWrongListOfVolumesIsOneErrorAndTheirKeysAreStillChecked() throws IOException {
        assertErrors(
                "volumes = Fast\nvolume.fast.location = /cache/fast\nvolume.fast.capacity = 0",
                "line 1: volumes = Fast: 'Fast' is not a name; use lower-case letters, digits and hyphens, and commas"
                        + " between names",
                "line 3: volume.fast.capacity = 0: too small; the least is 1 byte");
    }

    @Test
    void aCommentBehindAValue() throws IOException {
        assertErrors(
                "archive.kind = directory            # directory | bagit",
                "line 1: archive.kind = directory            # directory | bagit: not a choice here; write directory, bagit, s3 or http; and"
                        + " a comment needs a line of its own");
    }

    @Test
    void theLowWatermarkIsLessThanTheHighOne() throws IOException {
        assertErrors(
                "volume.cache.low-watermark = 0.95",
                "line 1: volume.cache.low-watermark = 0.95: not less than volume.cache.high-watermark, which is 0.95;"
                        + " write a smaller number");
        assertErrors(
                "volume.cache.high-watermark = 0.5",
                "volume.cache.low-watermark = 0.90 (the default): not less than volume.cache.high-watermark, which is"
                        + " 0.5; write a smaller number");
        assertErrors(
                "volume.cache.high-watermark = 95\nvolume.cache.low-watermark = 1",
                "line 1: volume.cache.high-watermark = 95: not a ratio; write a number from 0 to 1, such as 0.95");
    }

    @Test
    void graceIsLongerThanALocationIsTrusted() throws IOException {
        assertErrors(
                "eviction.grace = 30s",
                "line 1: eviction.grace = 30s: not longer than inventory.location-ttl, which is 30000ms; write a longer"
                        + " time");
        assertErrors(
                "inventory.location-ttl = 3m",
                "eviction.grace = 2m (the default): not longer than inventory.location-ttl, which is 180000ms; write a"
                        + " longer time");
        assertErrors(
                "inventory.location-ttl = 3\neviction.grace = 1s",
                "line 1: inventory.location-ttl = 3: not a time; write a whole number and one of the units ms, s, m, h,"
                        + " d, such as 30s");
    }

    @Test
    void foldersLieApart() throws IOException {
        assertErrors(
                """
                archive.location = /srv/data
                volumes = a, b, c, d
                volume.a.location = /cache/./a/
                volume.a.capacity = 1
                volume.b.location = /cache/a
                volume.b.capacity = 1
                volume.c.location = /cache/a/c
                volume.c.capacity = 1
                volume.d.location = /srv
                volume.d.capacity = 1
                """,
                "line 5: volume.b.location = /cache/a: the same folder as volume.a.location; give each its own",
                "line 7: volume.c.location = /cache/a/c: lies inside the folder of volume.a.location; give it one outside"
                        + " of /cache/a",
                "line 7: volume.c.location = /cache/a/c: lies inside the folder of volume.b.location; give it one outside"
                        + " of /cache/a",
                "line 9: volume.d.location = /srv: the folder of archive.location, /srv/data, lies inside it; give it"
                        + " another one");
    }

    @Test
    void aNewVolumeThatCannotBeMadeIsNamedWithTheOtherErrors() throws IOException {
        Path full = Files.writeString(base.resolve("full"), "no folder");
        assertErrors(
                "archive.locaton = /srv/archive\nvolumes = a, b\nvolume.a.location = " + full
                        + "/a\nvolume.a.capacity = 1GiB\nvolume.b.location = /cache/b\nvolume.b.capacity = 1GiB",
                "line 1: archive.locaton = /srv/archive: there is no such key; did you mean archive.location?",
                "line 3: volume.a.location = " + full + "/a: if the volume is new, it cannot be made there: " + full
                        + " is not a folder; make the folder and give it to the user that runs the"
                        + " container, or name another one");
    }

    @Test
    void foldersAreComparedBehindTheirLinks() throws IOException {
        Path real = Files.createDirectories(base.resolve("disk"));
        Path link = Files.createSymbolicLink(base.resolve("link"), real);
        assertErrors(
                "archive.location = " + link + "/x/archive\nvolume.cache.location = " + real,
                "line 2: volume.cache.location = " + real + ": the folder of archive.location, " + real
                        + "/x/archive, lies inside it; give it another one");
    }

    @Test
    void foldersWhoseNamesBeginAlikeLieApart() throws Exception {
        Files.writeString(file, "archive.location = /srv/data\nvolume.cache.location = /srv/data-cache");
        assertThat(Configuration.load(surroundings()).volumes().get(0).location())
                .isEqualTo("/srv/data-cache");
    }

    @Test
    void headersThatCannotBeSent() throws IOException {
        assertErrors(
                """
                delivery.cache-control = öffentlich
                delivery.content-types = czi=image, nc=application/netcdf
                delivery.cors.origins = https://example.org/
                """,
                "line 1: delivery.cache-control = öffentlich: not a Cache-Control; write directives with commas between"
                        + " them, such as public, max-age=3600",
                "line 2: delivery.content-types = czi=image, nc=application/netcdf: 'czi=image' is not SUFFIX=TYPE; write"
                        + " a suffix without its dot and a media type, such as czi=image/x-zeiss, and commas between them",
                "line 3: delivery.cors.origins = https://example.org/: 'https://example.org/' is not an origin; write"
                        + " scheme and host, and a port where it is not the usual one, such as https://example.org, with"
                        + " commas between them; or * alone, or none");
    }

    /** Once the {@code ${...}} are replaced nothing is left: as if it were not written, whatever the key. */
    @Test
    void valuesThatBecomeEmpty() throws Exception {
        Files.writeString(file, "");
        Settings expected = Configuration.load(surroundings());
        StringBuilder text = new StringBuilder();
        Keys.ALL.stream()
                .filter(key -> !key.ofVolume())
                .forEach(key -> text.append(key.name()).append(" = ${nope:-} \n"));
        Files.writeString(file, text);
        assertThat(Configuration.load(surroundings())).isEqualTo(expected);
        assertErrors(
                "volumes = a\nvolume.a.location = /cache/a\nvolume.a.capacity = ${nope:-}${nope:- }",
                "volume.a.capacity: missing; write a size, such as volume.a.capacity = 500GiB");
    }

    @Test
    void aFileInAnotherEncoding() throws IOException {
        Files.write(file, new byte[] {'a', '=', '\n', (byte) 0xFC});
        assertThat(failure())
                .isEqualTo("The configuration has 1 error (file " + file
                        + "):\n  1. line 2: not UTF-8; save the file in that encoding");
    }

    /** In the texts, {@code /cache} stands for a folder that anyone who runs the tests can make. */
    private void assertErrors(String text, String... errors) throws IOException {
        Files.writeString(file, cacheMovedTo(base, text));
        StringBuilder expected = new StringBuilder("The configuration has ")
                .append(errors.length == 1 ? "1 error" : errors.length + " errors")
                .append(" (file ")
                .append(file)
                .append("):");
        for (int i = 0; i < errors.length; i++) {
            expected.append("\n  ").append(i + 1).append(". ").append(cacheMovedTo(base, errors[i]));
        }
        assertThat(failure()).isEqualTo(expected.toString());
    }

    private static String cacheMovedTo(Path folder, String text) {
        return text.replace("/cache/", folder + "/cache/");
    }

    private String failure() {
        return Objects.toString(
                catchThrowableOfType(ConfigurationException.class, () -> Configuration.load(surroundings()))
                        .getMessage());
    }

    private Surroundings surroundings() {
        return new Surroundings(name -> Optional.empty(), properties);
    }
}
