package org.anteroom.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.anteroom.model.Sha256;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.Tools;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bags of the field, which are nobody's to pass on, behind the whole application: zip files of sequences with lookups, in the
 * folder {@code -Dlab.bags}. Each file of each version is what the lookup says; but what a manifest contradicts is 502.
 */
@Tag("lab")
class FieldBagsIT {
    private static final Pattern NAME = Pattern.compile("(.+?)(?:\\.([0-9_]+))?\\.mbag[0-9_]+-([0-9]+)\\.zip");

    @TempDir
    Path folder;

    private Path bags;
    private Site site;

    @BeforeEach
    void start() throws IOException {
        String given = System.getProperty("lab.bags");
        Tools.requireThat(given != null, "no folder of bags is given: -Dlab.bags");
        bags = Path.of(String.valueOf(given));
        site = Site.start(Site.Server.TOMCAT, folder, "archive.kind", "bagit", "archive.location", bags.toString());
    }

    @AfterEach
    void stop() throws IOException {
        if (site != null) {
            site.close();
        }
    }

    /** A head bag: the last one that has its version. */
    private record Head(String dataset, String version, int sequence, Path bag) {}

    private List<Head> heads() throws IOException {
        Map<String, Head> last = new TreeMap<>();
        try (Stream<Path> files = Files.list(bags)) {
            for (Path bag : files.toList()) {
                Matcher name = NAME.matcher(bag.getFileName().toString());
                if (name.matches()) {
                    String version = name.group(2) == null ? "1" : name.group(2).replace('_', '.');
                    Head head = new Head(name.group(1), version, Integer.parseInt(name.group(3)), bag);
                    last.merge(
                            name.group(1) + '@' + version,
                            head,
                            (one, other) -> one.sequence() > other.sequence() ? one : other);
                }
            }
        }
        return new ArrayList<>(last.values());
    }

    private static byte[] member(Path bag, String path) throws IOException {
        String top = bag.getFileName().toString().replace(".zip", "");
        try (FileSystem zip = FileSystems.newFileSystem(bag)) {
            return Files.readAllBytes(zip.getPath("/", top, path));
        }
    }

    private static String lookup(Path bag) throws IOException {
        String top = bag.getFileName().toString().replace(".zip", "");
        try (FileSystem zip = FileSystems.newFileSystem(bag)) {
            Path multibag = zip.getPath("/", top, "multibag");
            Path lookup = multibag.resolve("file-lookup.tsv");
            return Files.readString(Files.exists(lookup) ? lookup : multibag.resolve("group-directory.txt"));
        }
    }

    /** Whether the bag's own manifest says something else of a file than it is. */
    private static boolean isContradicted(Path bag, String path, byte[] bytes) throws IOException {
        return new String(member(bag, "manifest-sha256.txt"), UTF_8)
                .lines()
                .map(line -> line.split("\\s+", 2))
                .anyMatch(line ->
                        line[1].equals(path) && !line[0].equals(Sha256.of(bytes).hex()));
    }

    @Test
    void eachFileOfEachVersionIsServedUnlessItsManifestContradictsIt() throws IOException {
        List<String> contradicted = new ArrayList<>();
        int served = 0;
        for (Head head : heads()) {
            for (String line : lookup(head.bag()).lines().toList()) {
                String[] fields = line.strip().split("[\\t ]+", 2);
                if (!fields[0].startsWith("data/")) {
                    continue;
                }
                Path bag = bags.resolve(fields[1] + ".zip");
                byte[] bytes = member(bag, fields[0]);
                String path = fields[0].substring("data/".length());
                String target = head.dataset() + '/' + path + "?version=" + head.version();
                RawHttp.Response answer = RawHttp.get(site.uri(), "/files/" + target);
                if (isContradicted(bag, fields[0], bytes)) {
                    contradicted.add(target);
                    assertThat(answer.status()).as(target).isEqualTo(502);
                } else {
                    served++;
                    assertThat(answer.status()).as(target).isEqualTo(200);
                    assertThat(answer.body()).as(target).isEqualTo(bytes);
                }
            }
        }
        assertThat(served).isEqualTo(17);
        assertThat(contradicted)
                .as("the third bag has the manifest of the second one")
                .containsExactly("mds1491/trial2.json?version=1.2.0");
    }

    /** The newest version of a file that its manifest contradicts is refused, however it is asked for; the others are there. */
    @Test
    void fileThatItsManifestContradictsIsRefusedAndItsOlderVersionsAreNot() throws IOException {
        for (String newest : List.of("", "?version=1.2.0")) {
            for (String method : List.of("GET", "GET", "HEAD")) {
                assertThat(RawHttp.exchange(site.uri(), method, "/files/mds1491/trial2.json" + newest)
                                .status())
                        .isEqualTo(502);
            }
            assertThat(RawHttp.get(site.uri(), "/files/mds1491/trial2.json" + newest, "Range: bytes=0-9")
                            .status())
                    .isEqualTo(502);
        }
        byte[] right = member(bags.resolve("mds1491.mbag0_2-0.zip"), "data/trial2.json");
        for (String version : List.of("1", "1.1.0")) {
            assertThat(RawHttp.get(site.uri(), "/files/mds1491/trial2.json?version=" + version)
                            .body())
                    .isEqualTo(right);
        }
        assertThat(RawHttp.get(site.uri(), "/files/mds1491/README.txt").text())
                .as("new in the third bag, and in no manifest")
                .hasSize(15);
        assertThat(site.figure("anteroom_wrong_files")).isEqualTo(1);
    }
}
