package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestCertificate;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs with which people download, from Debian's packages: whole trees with hard names, broken off and resumed. */
class DownloadersIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BIG = 24_000_001;

    /** What a file can be called; a slash is a folder. */
    private static final List<String> NAMES = List.of(
            "plain.txt",
            "with space.txt",
            "100% sure.txt",
            "%41 is not A.txt",
            "%2f is no slash.txt",
            "semi;colon=1.txt",
            "hash#tag.txt",
            "what?.txt",
            "\"double\" quotes.txt",
            "it's.txt",
            "潮汐 データ.csv",
            "Ünïcödé-é.txt",
            "e\u0301 decomposed.txt",
            "🌊 wave.txt",
            "a+b.txt",
            "a&b=c.txt",
            "<b>bold</b>.html",
            "[1]{2}(3).txt",
            "~tilde,comma@at!$.txt",
            // in a folder: of one whose path begins so rclone (1.60) asks for "./", which is refused
            "folder one/colon:2.txt",
            "pipe|caret^backtick`.txt",
            "back\\slash.txt",
            ".hidden",
            "trailing dot.",
            "folder one/deep;er/潮 #1/file?.txt",
            "folder one/index.html",
            "%zz/x.txt",
            "empty.bin");

    @TempDir
    static Path folder;

    private static TomcatProcess tomcat;
    private static Path archive;
    private static byte[] big;

    @BeforeAll
    static void start() throws Exception {
        archive = folder.resolve("archive");
        for (int i = 0; i < NAMES.size(); i++) {
            String name = NAMES.get(i);
            Archived.put(archive, "tree", name, name.equals("empty.bin") ? 0 : 1000 + 977 * i, i);
        }
        big = Archived.put(archive, "big", "big.bin", BIG, 99);
        tomcat = TomcatProcess.tomcat11(folder.resolve("base"))
                .withTls()
                .property("anteroom.archive.location", archive.toString())
                .start();
        Requests.awaitHit(tomcat.uri(), "/files/big/big.bin", big);
    }

    @AfterAll
    static void stop() throws Exception {
        try {
            assertThat(tomcat.console()).noneMatch(line -> line.contains("ERROR") || line.contains("SEVERE"));
        } finally {
            tomcat.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--http1.1", "--http2"})
    void curlGoesOnWhereItWasBrokenOff(String protocol, @TempDir Path own) throws Exception {
        ClientProgram curl = ClientProgram.of("curl", "curl", own);
        Path got = own.resolve("big.bin");
        String url = tomcat.tls() + "files/big/big.bin";
        String[] trust = {"--cacert", TestCertificate.in(tomcat.base()).pem().toString()};
        interrupted(curl, got, protocol, "-sS", trust[0], trust[1], "--limit-rate", "4M", "-o", "big.bin", url);

        curl.run(protocol, "-sS", "-f", trust[0], trust[1], "-C", "-", "-o", "big.bin", url)
                .succeeded();

        assertThat(got).hasBinaryContent(big);
        assertThat(curl.run(protocol, "-sS", trust[0], trust[1], "-o", "again.bin", "-w", "%{http_version}", url)
                        .succeeded()
                        .output())
                .isEqualTo(protocol.equals("--http2") ? "2" : "1.1");
        assertThat(own.resolve("again.bin")).hasBinaryContent(big);
    }

    @Test
    void wgetGoesOnWhereItWasBrokenOff(@TempDir Path own) throws Exception {
        ClientProgram wget = ClientProgram.of("wget", "wget", own);
        Path got = own.resolve("big.bin");
        String url = tomcat.uri() + "files/big/big.bin";
        interrupted(wget, got, "-q", "--limit-rate=4m", "-O", "big.bin", url);
        wget.run("-nv", "-c", url).succeeded();
        assertThat(got).hasBinaryContent(big);
    }

    /** Kills it in the middle of the file. */
    private static void interrupted(ClientProgram program, Path got, String... arguments) throws Exception {
        Path output = program.folder().resolve("interrupted.out");
        Process process = program.start(output, arguments);
        await().atMost(PATIENCE).until(() -> Files.exists(got) && Files.size(got) > 1_000_000);
        process.destroyForcibly();
        process.waitFor();
        assertThat(Files.size(got)).as(Files.readString(output)).isLessThan(BIG);
        Files.delete(output);
    }

    @Test
    void aria2FetchesOneFileOverSixteenConnections(@TempDir Path own) throws Exception {
        ClientProgram aria2 = ClientProgram.of("aria2", "aria2c", own);
        String sum = sha256(archive.resolve("big/big.bin"));
        for (URI base : List.of(tomcat.uri(), tomcat.tls())) {
            aria2.run(
                            "-q",
                            "--no-conf",
                            "-x16",
                            "-s16",
                            "-k1M",
                            "--allow-overwrite=true",
                            "--ca-certificate="
                                    + TestCertificate.in(tomcat.base()).pem(),
                            "--checksum=sha-256=" + sum,
                            "-o",
                            "big.bin",
                            base + "files/big/big.bin")
                    .succeeded();
            assertThat(own.resolve("big.bin")).hasBinaryContent(big);
        }
    }

    @Test
    void aria2FetchesAFileThatIsNotCachedYet(@TempDir Path own) throws Exception {
        ClientProgram aria2 = ClientProgram.of("aria2", "aria2c", own);
        byte[] cold = Archived.put(archive, "big", "cold.bin", BIG, 100);
        aria2.run("-q", "--no-conf", "-x16", "-s16", "-k1M", "-o", "cold.bin", tomcat.uri() + "files/big/cold.bin")
                .succeeded();
        assertThat(own.resolve("cold.bin")).hasBinaryContent(cold);
    }

    @Test
    void wgetMirrorsATree(@TempDir Path own) throws Exception {
        ClientProgram wget = ClientProgram.of("wget", "wget", own);
        wget.run(
                        "-r",
                        "-np",
                        "-nH",
                        "--cut-dirs=2",
                        "-nv",
                        "--restrict-file-names=nocontrol",
                        "--reject-regex",
                        "[?]",
                        "-P",
                        "tree",
                        tomcat.uri() + "files/tree/")
                .succeeded();
        // wget decodes what it saves twice
        Map<String, String> wanted = sums(archive.resolve("tree"));
        Map<String, String> got = withoutListings(sums(own.resolve("tree")), wanted);
        assertThat(got.values()).containsExactlyInAnyOrderElementsOf(wanted.values());
        wanted.keySet().removeIf(name -> name.matches(".*%[0-9a-f]{2}.*"));
        assertThat(got).containsAllEntriesOf(wanted);
    }

    @Test
    void rcloneCopiesATreeAndChecksIt(@TempDir Path own) throws Exception {
        ClientProgram rclone = ClientProgram.of("rclone", "rclone", own);
        String remote = ":http,url='" + tomcat.uri() + "files/tree/':";
        // names as they are: rclone would write some characters as others that look like them
        String copy = ":local,encoding=Slash:" + own.resolve("tree");
        rclone.run("copy", "--retries", "1", remote, copy).succeeded();
        rclone.run("check", "--download", remote, copy).succeeded();
        assertThat(sums(own.resolve("tree"))).isEqualTo(sums(archive.resolve("tree")));
    }

    /** wget keeps the listings that it has walked. */
    private static Map<String, String> withoutListings(Map<String, String> got, Map<String, String> wanted) {
        Map<String, String> files = new TreeMap<>(got);
        files.keySet().removeIf(name -> name.endsWith("index.html") && !wanted.containsKey(name));
        return files;
    }

    private static Map<String, String> sums(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.filter(Files::isRegularFile)
                    .collect(Collectors.toMap(
                            file -> tree.relativize(file).toString(),
                            DownloadersIT::sha256,
                            (a, b) -> a,
                            TreeMap::new));
        }
    }

    private static String sha256(Path file) {
        try {
            return Digests.sha256(Files.newInputStream(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyNameIsServedAtItsEncodedAddress() throws Exception {
        for (String name : NAMES) {
            String target = "/files/tree/"
                    + Stream.of(name.split("/"))
                            .map(part -> java.net.URLEncoder.encode(part, StandardCharsets.UTF_8)
                                    .replace("+", "%20"))
                            .collect(Collectors.joining("/"));
            RawHttp.Response answer = RawHttp.get(tomcat.uri(), target);
            assertThat(answer.status()).as(name).isEqualTo(200);
            assertThat(answer.body())
                    .as(name)
                    .isEqualTo(Files.readAllBytes(archive.resolve("tree").resolve(name)));
        }
    }
}
