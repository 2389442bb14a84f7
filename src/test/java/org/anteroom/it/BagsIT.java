package org.anteroom.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.anteroom.model.Sha256;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An archive of bags behind the whole application. */
class BagsIT {
    @TempDir
    Path folder;

    private Site site;
    private final Map<String, byte[]> members = new TreeMap<>();

    @BeforeEach
    void start() throws IOException {
        // what is larger is passed through
        site = Site.start(Site.Server.TOMCAT, folder, "archive.kind", "bagit", "volume.cache.max-object-size", "4MiB");
        members.put("bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".getBytes(UTF_8));
    }

    @AfterEach
    void stop() throws IOException {
        site.close();
    }

    /** As a streaming writer does it, with sizes behind the data. */
    private void write(String bag) throws IOException {
        Path zip = folder.resolve("draft");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (Map.Entry<String, byte[]> member : members.entrySet()) {
                out.putNextEntry(new ZipEntry(bag + '/' + member.getKey()));
                out.write(member.getValue());
            }
        }
        Files.move(zip, site.archiveFolder().resolve(bag + ".zip"));
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private RawHttp.Response get(String path) throws IOException {
        return RawHttp.get(site.uri(), "/files/" + path);
    }

    private RawHttp.Response getHit(String path) {
        RawHttp.Response[] last = new RawHttp.Response[1];
        Site.await("a hit of " + path, () -> {
            last[0] = get(path);
            return Site.cacheStatus(last[0]).equals("anteroom; hit");
        });
        return last[0];
    }

    @Test
    void twentyFilesOfAStreamedZipBagAreCached() throws IOException {
        StringBuilder manifest = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            String name = i == 7 ? "data/it's no. 7" : "data/folder/no. " + i;
            members.put(name, bytes(i * 1000));
            manifest.append(Sha256.of(bytes(i * 1000)).hex() + "  " + name + '\n');
        }
        members.put("manifest-sha256.txt", manifest.toString().getBytes(UTF_8));
        write("b");
        for (int i = 0; i < 20; i++) {
            String target = i == 7 ? "b/it's%20no.%207" : "b/folder/no.%20" + i;
            RawHttp.Response cold = get(target);
            RawHttp.Response hit = getHit(target);
            for (RawHttp.Response answer : new RawHttp.Response[] {cold, hit}) {
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo(bytes(i * 1000));
                assertThat(answer.header("ETag"))
                        .contains("\"sha256-" + Sha256.of(bytes(i * 1000)).hex() + '"');
                assertThat(answer.header("Repr-Digest")).isPresent();
                assertThat(answer.header("Last-Modified")).isEqualTo(cold.header("Last-Modified"));
            }
        }
        assertThat(site.row("SELECT COUNT(*) FROM copies WHERE state = 'cached'")[0])
                .isEqualTo(20);
        assertThat(RawHttp.get(site.uri(), "/files/b/?format=json").text()).contains("it's no. 7", "folder");
    }

    @ParameterizedTest
    @CsvSource({
        "md5, MD5, 1000",
        "md5, MD5, 3000000",
        "sha512, SHA-512, 3000000",
        "sha256, SHA-256, 1000",
        "sha256, SHA-256, 3000000"
    })
    void bytesThatDoNotMatchTheManifestAreNeverGivenAway(String label, String algorithm, int size) throws Exception {
        members.put("data/wrong", bytes(size));
        members.put("data/right", bytes(size));
        members.put(
                "manifest-" + label + ".txt",
                (hex(algorithm, new byte[0]) + "  data/wrong\n" + hex(algorithm, bytes(size)) + "  data/right\n")
                        .getBytes(UTF_8));
        write("b");
        assertThat(get("b/right").body()).isEqualTo(bytes(size));
        for (int i = 0; i < 3; i++) {
            assertThat(isGiven("b/wrong")).isFalse();
        }
        Site.await("it is remembered", () -> site.figure("anteroom_wrong_files") == 1);
        int opens = site.archive().opens("wrong");
        assertThat(get("b/wrong").status()).isEqualTo(502);
        assertThat(site.archive().opens("wrong")).isEqualTo(opens);
        assertThat(site.row("SELECT COUNT(*) FROM copies WHERE objid = 'b/wrong'")[0])
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"sha256, 1000", "sha256, 3000000", "sha256, 5000000", "none, 3000000"})
    void byteThatIsDamagedInItsZipFileIsRemembered(String label, int size) throws Exception {
        members.put("data/wrong", bytes(size));
        if (label.equals("sha256")) {
            members.put("manifest-sha256.txt", (hex("SHA-256", bytes(size)) + "  data/wrong\n").getBytes(UTF_8));
        }
        writeStored("b", bytes(size));
        for (int i = 0; i < 3; i++) {
            assertThat(isGiven("b/wrong")).isFalse();
        }
        Site.await("it is remembered", () -> site.figure("anteroom_wrong_files") == 1);
        int opens = site.archive().opens("wrong");
        assertThat(get("b/wrong").status()).isEqualTo(502);
        assertThat(RawHttp.exchange(site.uri(), "HEAD", "/files/b/wrong").status())
                .isEqualTo(502);
        assertThat(RawHttp.get(site.uri(), "/files/b/wrong", "Range: bytes=0-9").status())
                .isEqualTo(502);
        assertThat(site.archive().opens("wrong")).isEqualTo(opens);
    }

    /** With one bit of the stored bytes the other way. */
    private void writeStored(String bag, byte[] flipped) throws IOException {
        Path zip = folder.resolve("draft");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (Map.Entry<String, byte[]> member : members.entrySet()) {
                ZipEntry entry = new ZipEntry(bag + '/' + member.getKey());
                CRC32 crc = new CRC32();
                crc.update(member.getValue());
                entry.setMethod(ZipEntry.STORED);
                entry.setSize(member.getValue().length);
                entry.setCrc(crc.getValue());
                out.putNextEntry(entry);
                out.write(member.getValue());
            }
        }
        byte[] bytes = Files.readAllBytes(zip);
        int at = 0;
        while (!Arrays.equals(bytes, at, at + flipped.length, flipped, 0, flipped.length)) {
            at++;
        }
        bytes[at + flipped.length / 2] ^= 1;
        Files.write(zip, bytes);
        Files.move(zip, site.archiveFolder().resolve(bag + ".zip"));
    }

    /** Whether a whole file comes; else it is refused, before its first byte or by a transfer that breaks off. */
    private boolean isGiven(String path) {
        try {
            RawHttp.Response answer = get(path);
            assertThat(answer.status()).isIn(200, 502);
            return answer.status() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({"md5, MD5", "sha512, SHA-512", "sha256, SHA-256"})
    void bytesThatDoNotMatchAreNotGivenAwayWhenTheirFillIsLost(String label, String algorithm) throws Exception {
        int size = 3_000_000;
        members.put("data/wrong", bytes(size));
        members.put("manifest-" + label + ".txt", (hex(algorithm, new byte[0]) + "  data/wrong\n").getBytes(UTF_8));
        write("b");
        SteeredArchive.Hold half = site.archive().hold("wrong", size / 2);
        FutureTask<RawHttp.Response> answer = new FutureTask<>(() -> get("b/wrong"));
        new Thread(answer).start();
        half.awaitReached();
        SteeredVolume.Hang hang = site.volume().hangWrites();
        half.release();
        try {
            assertThatThrownBy(answer::get).hasCauseInstanceOf(IOException.class);
            assertThat(site.archive().opens("wrong")).isEqualTo(2);
        } finally {
            hang.release();
        }
    }

    private static String hex(String algorithm, byte[] bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
    }

    @Test
    void damagedBagsAre502AndOthersAreServed() throws IOException {
        Files.write(site.archiveFolder().resolve("damaged.zip"), bytes(100_000));
        members.put("data/a", bytes(10));
        write("b");
        assertThat(get("damaged/a").status()).isEqualTo(502);
        assertThat(get("b/a").body()).isEqualTo(bytes(10));
        assertThat(get("b/none").status()).isEqualTo(404);
        assertThat(get("none/a").status()).isEqualTo(404);
    }
}
