package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.stream.Stream;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Manifests as they are found: of several versions, tools and encodings. */
class ManifestTest {
    private static final Sha256 DIGEST = Sha256.of("text".getBytes(UTF_8));

    @TempDir
    Path folder;

    private Path root;
    private BagitArchive archive;

    @BeforeEach
    void makeArchive() throws IOException {
        root = Files.createDirectory(folder.resolve("archive"));
        archive = new BagitArchive(
                root,
                new BagitSettings(folder.resolve("index"), 1 << 30),
                InstantSource.system(),
                Ticker.systemTicker());
    }

    private @Nullable Sha256 digestOf(String path) throws IOException {
        return archive.head(FileKey.of("b", path)).sha256();
    }

    @ParameterizedTest
    @CsvSource({
        "'HEX  data/a.txt', a.txt",
        "'HEX data/a.txt', a.txt",
        "'HEX\tdata/a.txt', a.txt",
        "'HEX *data/a.txt', a.txt",
        "'HEX  ./data/a.txt', a.txt",
        "'UPPER  data/a.txt', a.txt",
        "'HEX  data/a b  c.txt', a b  c.txt",
        "'HEX  data/it''s.txt', it's.txt",
        "'HEX  data/100%25.txt', 100%.txt",
        "'HEX  data/100%.txt', 100%.txt",
        "'HEX  data/100%2525.txt', 100%25.txt",
        "'HEX  data/a%20b.txt', a%20b.txt",
        "'HEX  data/cafe\u0301.txt', caf\u00e9.txt",
        "'HEX  data/caf\u00e9.txt', cafe\u0301.txt",
        "'HEX  data/潮位.csv', 潮位.csv"
    })
    void waysOfWritingALine(String line, String path) throws IOException {
        String hex =
                line.replace("HEX", DIGEST.hex()).replace("UPPER", DIGEST.hex().toUpperCase(java.util.Locale.ROOT));
        for (String end : new String[] {"\n", "\r\n", "\r", ""}) {
            for (String mark : new String[] {"", "\uFEFF"}) {
                new TestBag("b")
                        .payload(path, "text")
                        .payload("other", "other")
                        .tag("manifest-sha256.txt", mark + hex + end)
                        .write(root, BagName.Form.ZIP);
                assertThat(digestOf(path)).isEqualTo(DIGEST);
                assertThat(digestOf("other")).isNull();
            }
        }
    }

    @Test
    void draftsDoNotEscapePercents() throws IOException {
        Sha256 other = Sha256.of("other".getBytes(UTF_8));
        TestBag bag = new TestBag("b").payload("a%25.txt", "text").payload("a%.txt", "other");
        bag.tag("manifest-sha256.txt", DIGEST.hex() + "  data/a%25.txt\n" + other.hex() + "  data/a%.txt\n")
                .tag("bagit.txt", "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n")
                .write(root, BagName.Form.ZIP);
        assertThat(digestOf("a%25.txt")).isEqualTo(DIGEST);
        assertThat(digestOf("a%.txt")).isEqualTo(other);
        bag.tag("manifest-sha256.txt", DIGEST.hex() + "  data/a%2525.txt\n" + other.hex() + "  data/a%25.txt\n")
                .tag("bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
                .write(root, BagName.Form.ZIP);
        assertThat(digestOf("a%25.txt")).isEqualTo(DIGEST);
        assertThat(digestOf("a%.txt")).isEqualTo(other);
    }

    static Stream<Charset> encodings() {
        return Stream.of(UTF_8, ISO_8859_1, UTF_16, UTF_16LE, Charset.forName("windows-1252"));
    }

    @ParameterizedTest
    @MethodSource("encodings")
    void encodingIsTheOneThatTheDeclarationTells(Charset encoding) throws IOException {
        TestBag bag = new TestBag("b")
                .payload("é.txt", "text")
                .tag("bagit.txt", "BagIt-Version: 0.97\nTag-File-Character-Encoding: " + encoding.name() + "\n");
        bag.files.put("manifest-sha256.txt", (DIGEST.hex() + "  data/é.txt\n").getBytes(encoding));
        bag.write(root, BagName.Form.ZIP);
        assertThat(digestOf("é.txt")).isEqualTo(DIGEST);
    }

    @ParameterizedTest
    @CsvSource({
        "HEX data/a.txt|OTHER data/a.txt, true",
        "HEX data/a.txt|HEX data/a.txt, false",
        "abc data/a.txt, true",
        "xyz data/a.txt, true",
        "xyz, false",
        "'', false",
        "HEX data/, false"
    })
    void contradictionsAndNonsense(String lines, boolean refused) throws IOException {
        new TestBag("b")
                .payload("a.txt", "text")
                .payload("other", "other")
                .tag(
                        "manifest-sha256.txt",
                        lines.replace('|', '\n')
                                        .replace("HEX", DIGEST.hex())
                                        .replace("OTHER", Sha256.of(new byte[0]).hex())
                                + '\n')
                .write(root, BagName.Form.ZIP);
        assertThat(digestOf("other")).isNull();
        if (refused) {
            assertThatThrownBy(() -> digestOf("a.txt"))
                    .isInstanceOfSatisfying(
                            FailureException.class,
                            failure -> assertThat(failure.reason()).isEqualTo(FailureReason.ARCHIVE_FAILED));
        } else {
            assertThat(digestOf("a.txt")).isEqualTo(lines.startsWith("HEX data/a") ? DIGEST : null);
        }
    }

    @Test
    void tagFilesThatCannotBeReadMakeNoBag() throws IOException {
        TestBag line = new TestBag("b").payload("a", "text").tag("manifest-md5.txt", "x".repeat(100_000));
        TestBag encoding =
                new TestBag("b").payload("a", "text").tag("bagit.txt", "Tag-File-Character-Encoding: Klingon");
        for (TestBag bag : new TestBag[] {line, encoding}) {
            bag.write(root, BagName.Form.ZIP);
            assertThatThrownBy(() -> digestOf("a"))
                    .isInstanceOfSatisfying(
                            FailureException.class,
                            failure -> assertThat(failure.reason()).isEqualTo(FailureReason.ARCHIVE_FAILED));
        }
    }
}
