package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Sequences of bags, of the shapes in which they are found in the field. */
class MultibagTest {
    private static final String OLD = "opt1491.mbag0_2-0";
    private static final String MIDDLE = "opt1491.1_1_0.mbag0_4-1";
    private static final String NEW = "opt1491.1_2_0.mbag0_4-2";

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

    /** The first one, of the profile before 0.3; its {@code fetch.txt} names what is in it. */
    private static TestBag oldBag() {
        TestBag bag = new TestBag(OLD)
                .payload("trial1.json", "{\"trial\": 1}")
                .payload("trial2.json", "{\"trial\": 2}")
                .payload("trial3/trial3a.json", "{\"trial\": 3}")
                .tag("multibag/group-members.txt", OLD + "\n")
                .tag(
                        "multibag/group-directory.txt",
                        "data/trial1.json " + OLD + "\ndata/trial2.json " + OLD + "\ndata/trial3/trial3a.json " + OLD
                                + "\nmetadata/pod.json " + OLD + "\n")
                .tag("fetch.txt", "http://127.0.0.1:1/trial1.json 12 data/trial1.json\n");
        return bag.tag("bagit.txt", "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n")
                .manifest(Algorithm.SHA256);
    }

    /** The second one: it has a second trial, too, but its lookup points to the first bag for that. */
    private static TestBag middleBag() {
        return new TestBag(MIDDLE)
                .payload("trial1.json", "{\"trial\": 1}")
                .payload(
                        "trial1.json.sha256",
                        Sha256.of("{\"trial\": 1}".getBytes(UTF_8)).hex() + "  trial1.json\n")
                .payload("trial2.json", "{\"trial\": 2}")
                .payload("trial3/trial3a.json", "{\"trial\": \"3a\"}")
                .payload("trial3/trial3a.json.sha256", "side file")
                .tag("multibag/member-bags.tsv", OLD + "\n" + MIDDLE + "\n")
                .tag(
                        "multibag/file-lookup.tsv",
                        "data/trial1.json\t" + MIDDLE + "\ndata/trial2.json\t" + OLD + "\ndata/trial1.json.sha256\t"
                                + MIDDLE + "\ndata/trial3/trial3a.json\t" + MIDDLE
                                + "\ndata/trial3/trial3a.json.sha256\t" + MIDDLE + "\nmetadata/pod.json\t" + MIDDLE
                                + "\n")
                .manifest(Algorithm.SHA256);
    }

    /** The third one: it has only what is new, and the manifest of the one before it. */
    private static TestBag newBag() {
        return new TestBag(NEW)
                .payload("README.txt", "new in this one")
                .payload("trial2.json", "{\"trial\": \"2b\"}")
                .tag("multibag/member-bags.tsv", OLD + "\n" + MIDDLE + "\n" + NEW + "\n\n")
                .tag(
                        "multibag/file-lookup.tsv",
                        "data/trial1.json\t" + MIDDLE + "\ndata/trial2.json\t" + NEW + "\ndata/trial1.json.sha256\t"
                                + MIDDLE + "\ndata/trial3/trial3a.json\t" + MIDDLE
                                + "\ndata/trial3/trial3a.json.sha256\t" + MIDDLE + "\ndata/README.txt\t" + NEW
                                + "\nmetadata/pod.json\t" + NEW + "\n\n")
                .tag("manifest-sha256.txt", new String(middleBag().files.get("manifest-sha256.txt"), UTF_8));
    }

    private void writeAll(BagName.Form form) throws IOException {
        for (TestBag bag : List.of(oldBag(), middleBag(), newBag())) {
            Path written = bag.write(root, form);
            Files.writeString(root.resolve(written.getFileName() + ".sha256"), "0".repeat(64));
        }
    }

    /** All files of a version, as they are listed. */
    private Map<String, FileFacts> files(String dataset, @Nullable String version) throws IOException {
        Map<String, FileFacts> all = new TreeMap<>();
        collect(dataset, "", version, all);
        return all;
    }

    private void collect(String dataset, String path, @Nullable String version, Map<String, FileFacts> all)
            throws IOException {
        for (ArchiveEntry entry :
                archive.list(new FolderKey(dataset, path, version), "", 1000).entries()) {
            String inside = path.isEmpty() ? entry.name() : path + '/' + entry.name();
            FileFacts facts = entry.facts();
            if (facts == null) {
                collect(dataset, inside, version, all);
            } else {
                all.put(inside, facts);
            }
        }
    }

    private String text(String dataset, String path, @Nullable String version) throws IOException {
        FileKey key = new FileKey(dataset, path, version);
        FileFacts facts = archive.head(key);
        byte[] bytes = new byte[(int) facts.size()];
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        try (ArchiveStream stream = archive.open(key, facts, 0)) {
            while (buffer.hasRemaining()) {
                assertThat(stream.read(buffer)).isPositive();
            }
            assertThat(stream.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
        Sha256 told = facts.sha256();
        if (told != null) {
            assertThat(Sha256.of(bytes)).isEqualTo(told);
        }
        return new String(bytes, UTF_8);
    }

    private static void assertFails(FailureReason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    @ParameterizedTest
    @EnumSource(BagName.Form.class)
    void everyVersionHasItsFiles(BagName.Form form) throws IOException {
        writeAll(form);
        assertThat(archive.newest("opt1491")).contains("1.2");

        assertThat(files("opt1491", "1").keySet()).containsExactly("trial1.json", "trial2.json", "trial3/trial3a.json");
        for (String path : files("opt1491", "1").keySet()) {
            assertThat(text("opt1491", path, "1"))
                    .isEqualTo(new String(oldBag().files.get("data/" + path), UTF_8));
        }

        assertThat(files("opt1491", "1.1.0").keySet())
                .containsExactly(
                        "trial1.json",
                        "trial1.json.sha256",
                        "trial2.json",
                        "trial3/trial3a.json",
                        "trial3/trial3a.json.sha256");
        for (String path : files("opt1491", "1.1.0").keySet()) {
            assertThat(text("opt1491", path, "1.1.0"))
                    .isEqualTo(new String(middleBag().files.get("data/" + path), UTF_8));
        }

        for (String version : new String[] {null, "1.2.0", "1.2"}) {
            Map<String, FileFacts> files = files("opt1491", version);
            assertThat(files).hasSize(6);
            files.forEach((path, facts) -> assertThat(path)
                    .satisfies(name -> assertThat(archive.head(new FileKey("opt1491", name, version)))
                            .isEqualTo(facts)));
            assertThat(text("opt1491", "trial3/trial3a.json", version)).isEqualTo("{\"trial\": \"3a\"}");
            assertThat(text("opt1491", "README.txt", version)).isEqualTo("new in this one");
            assertThat(archive.head(new FileKey("opt1491", "README.txt", version))
                            .sha256())
                    .isNull();
            // its manifest speaks of the version before: what it says of this one is not so
            assertThat(archive.head(new FileKey("opt1491", "trial2.json", version))
                            .sha256())
                    .isEqualTo(Sha256.of("{\"trial\": 2}".getBytes(UTF_8)));
        }
        assertFails(FailureReason.NOT_FOUND, () -> archive.head(new FileKey("opt1491", "README.txt", "1.1.0")));
        assertFails(FailureReason.NOT_FOUND, () -> archive.head(new FileKey("opt1491", "trial1.json", "1.3.0")));
        assertFails(FailureReason.NOT_FOUND, () -> archive.list(new FolderKey("opt1491", "", "1.3.0"), "", 10));
    }

    @Test
    void sequenceWithoutVersions() throws IOException {
        String first = "67C7.mbag0_3-0";
        String second = "67C7.mbag0_3-1";
        new TestBag(first)
                .payload("vocabulary.rdf", "terms")
                .payload("vocabulary.xlsx", "old table")
                .tag("multibag/member-bags.tsv", first + "\n")
                .tag("multibag/file-lookup.tsv", "data/vocabulary.rdf\t" + first + "\ndata/vocabulary.xlsx\t" + first)
                .manifest(Algorithm.SHA256)
                .write(root, BagName.Form.ZIP);
        assertThat(text("67C7", "vocabulary.xlsx", null)).isEqualTo("old table");
        new TestBag(second)
                .payload("vocabulary.xlsx", "new table")
                .tag("multibag/member-bags.tsv", first + "\n" + second + "\n\n")
                .tag("multibag/file-lookup.tsv", "data/vocabulary.rdf\t" + first + "\ndata/vocabulary.xlsx\t" + second)
                .manifest(Algorithm.SHA256)
                .write(root, BagName.Form.ZIP);
        assertThat(archive.newest("67C7")).contains("1");
        for (String version : new String[] {null, "1"}) {
            assertThat(text("67C7", "vocabulary.xlsx", version)).isEqualTo("new table");
            assertThat(text("67C7", "vocabulary.rdf", version)).isEqualTo("terms");
        }
    }

    @Test
    void bagsOfASequenceMayHaveAnyForm() throws IOException {
        oldBag().write(root, BagName.Form.TAR);
        middleBag().write(root, BagName.Form.ZIP);
        newBag().write(root, BagName.Form.FOLDER);
        assertThat(files("opt1491", null)).hasSize(6);
        assertThat(text("opt1491", "trial2.json", "1.1")).isEqualTo("{\"trial\": 2}");
        assertThat(text("opt1491", "trial1.json", "1.2")).isEqualTo("{\"trial\": 1}");
        assertThat(text("opt1491", "README.txt", "1.2")).isEqualTo("new in this one");
    }

    @Test
    void highestVersionIsTheNewestByNumberAndNotByText() throws IOException {
        for (String version : List.of("1_9_0", "1_10_0", "2", "0_1", "1_10")) {
            new TestBag("d." + version + ".mbag0_4-" + version.length())
                    .payload("which", version)
                    .write(root, BagName.Form.ZIP);
        }
        assertThat(archive.newest("d")).contains("2");
        assertThat(text("d", "which", null)).isEqualTo("2");
        // 1.10 and 1.10.0 are the same version; its head is the bag with the higher number
        assertThat(text("d", "which", "1.10")).isEqualTo("1_10_0");
        assertThat(text("d", "which", "1.9")).isEqualTo("1_9_0");
    }

    @Test
    void newVersionIsSeenAsSoonAsItsBagIsThere() throws IOException {
        oldBag().write(root, BagName.Form.ZIP);
        assertThat(text("opt1491", "trial3/trial3a.json", null)).isEqualTo("{\"trial\": 3}");
        middleBag().write(root, BagName.Form.ZIP);
        assertThat(archive.newest("opt1491")).contains("1.1");
        assertThat(text("opt1491", "trial3/trial3a.json", null)).isEqualTo("{\"trial\": \"3a\"}");
    }

    @Test
    void singleBagIsOlderThanASequence() throws IOException {
        new TestBag("opt1491").payload("trial1.json", "single").write(root, BagName.Form.ZIP);
        assertThat(text("opt1491", "trial1.json", null)).isEqualTo("single");
        oldBag().write(root, BagName.Form.ZIP);
        assertThat(text("opt1491", "trial1.json", null)).isEqualTo("{\"trial\": 1}");
    }

    @Test
    void bagThatIsMissingIsAFailureAndNotA404() throws IOException {
        middleBag().write(root, BagName.Form.ZIP);
        assertThat(text("opt1491", "trial1.json", null)).isEqualTo("{\"trial\": 1}");
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(FileKey.of("opt1491", "trial2.json")));
        // a listing without it would look whole
        assertFails(FailureReason.ARCHIVE_FAILED, () -> files("opt1491", null));
        TestBag incomplete = oldBag();
        incomplete.files.remove("data/trial2.json");
        incomplete.write(root, BagName.Form.ZIP);
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(FileKey.of("opt1491", "trial2.json")));
        oldBag().write(root, BagName.Form.ZIP);
        assertThat(text("opt1491", "trial2.json", null)).isEqualTo("{\"trial\": 2}");
    }

    @ParameterizedTest
    @CsvSource({
        "'data/a b.txt\tn.mbag0_4-0', a b.txt",
        "'data/a b.txt n.mbag0_4-0', a b.txt",
        "'data/a  b.txt   n.mbag0_4-0  ', a  b.txt",
        "'./data/a.txt\tn.mbag0_4-0', a.txt",
        "'data/it''s.txt\tn.mbag0_4-0.zip', it's.txt",
        "'data/100%25.txt\tn.mbag0_4-0', 100%.txt",
        "'data/100%.txt\tn.mbag0_4-0', 100%.txt",
        "'data/cafe\u0301.txt\tn.mbag0_4-0', caf\u00e9.txt"
    })
    void linesOfLookups(String line, String path) throws IOException {
        new TestBag("n.mbag0_4-0")
                .payload(path, "found")
                .tag("multibag/file-lookup.tsv", "\uFEFF# comment\r\n" + line + "\r\nmetadata/x\tn.mbag0_4-0\r\n")
                .manifest(Algorithm.MD5)
                .write(root, BagName.Form.ZIP);
        Map<String, FileFacts> listed = files("n", null);
        assertThat(listed).hasSize(1);
        String name = listed.keySet().iterator().next();
        assertThat(text("n", name, null)).isEqualTo("found");
        if (!path.equals("caf\u00e9.txt")) {
            assertThat(text("n", path, null)).isEqualTo("found");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "opt1491, opt1491, , -1, FOLDER",
        "opt1491.zip, opt1491, , -1, ZIP",
        "opt1491.tar, opt1491, , -1, TAR",
        "opt1491.mbag0_2-0.zip, opt1491, , 0, ZIP",
        "opt1491.1_1_0.mbag0_4-1.tar, opt1491, 1.1.0, 1, TAR",
        "opt1491.1_1_0.mbag0_4-17, opt1491, 1.1.0, 17, FOLDER",
        "a.b.2.mbag1_0-3, a.b, 2, 3, FOLDER",
        "a.b.mbag1_0-3, a.b, , 3, FOLDER",
        "1_0.mbag0_4-1, 1_0, , 1, FOLDER",
        "ark:%2F88434%2Fmds2-1.1_0.mbag0_4-1.zip, ark:%2F88434%2Fmds2-1, 1.0, 1, ZIP",
        "a.mbag0-1.zip, a.mbag0-1, , -1, ZIP",
        "opt.zip.sha256, opt.zip.sha256, , -1, FOLDER"
    })
    void namesOfBags(String name, String dataset, @Nullable String version, long sequence, BagName.Form form) {
        BagName parsed = BagName.parse(name).orElseThrow();
        assertThat(parsed.dataset()).isEqualTo(dataset);
        assertThat(parsed.version())
                .isEqualTo(version == null ? null : Version.parse(version).orElseThrow());
        assertThat(parsed.sequence()).isEqualTo(sequence);
        assertThat(parsed.form()).isEqualTo(form);
        assertThat(parsed.fileName()).isEqualTo(name);
    }

    @Test
    void namesThatAreNoBags() {
        for (String name : List.of(".zip", ".hidden", ".tar")) {
            assertThat(BagName.parse(name)).isEmpty();
        }
        assertThat(Version.parse("1.")).isEmpty();
        assertThat(Version.parse("1_0")).isEmpty();
        assertThat(Version.parse("9".repeat(19))).isEmpty();
        assertThat(Version.parse("1.0")).isEqualTo(Version.parse("1"));
        assertThat(Version.parse("01.002.0.0").orElseThrow().text()).isEqualTo("1.2");
        assertThat(Version.parse("0.0").orElseThrow().text()).isEqualTo("0");
        assertThat(Version.parse("0")).isNotEqualTo(Version.parse("1"));
    }
}
