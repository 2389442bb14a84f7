package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import org.anteroom.testing.RawHttp2;
import org.anteroom.testing.TestCertificate;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The connector for TLS as server.xml has it, switched on as it says, on both Tomcats. */
class TlsIT {
    private static final int SIZE = 8 << 20;
    private static final int WINDOW = 65_535;

    @TempDir
    Path folder;

    private TomcatProcess start(int generation) throws Exception {
        Path base = folder.resolve("base");
        TomcatProcess.Builder builder = generation == 11 ? TomcatProcess.tomcat11(base) : TomcatProcess.tomcat10(base);
        return builder.withTls()
                .property("anteroom.archive.location", folder.resolve("archive").toString())
                // so that the file is passed through
                .property("anteroom.volume.cache.max-object-size", "1MiB")
                .start();
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 11})
    void bothProtocolsAreSpoken(int generation) throws Exception {
        byte[] bytes = Archived.put(folder.resolve("archive"), "set", "f.bin", SIZE, 1);
        try (TomcatProcess tomcat = start(generation)) {
            HttpClient client = HttpClient.newBuilder()
                    .sslContext(TestCertificate.in(tomcat.base()).trusting())
                    .build();
            URI uri = tomcat.tls().resolve("files/set/f.bin");
            for (HttpClient.Version version : HttpClient.Version.values()) {
                HttpResponse<Void> head = client.send(
                        HttpRequest.newBuilder(uri)
                                .version(version)
                                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
                assertThat(head.version()).isEqualTo(version);
                assertThat(head.headers().firstValueAsLong("content-length")).hasValue(SIZE);
                HttpResponse<byte[]> whole = client.send(
                        HttpRequest.newBuilder(uri).version(version).build(), HttpResponse.BodyHandlers.ofByteArray());
                assertThat(whole.statusCode()).isEqualTo(200);
                assertThat(whole.body()).isEqualTo(bytes);
            }
            tomcat.stop();
            assertThat(tomcat.console()).noneMatch(line -> line.contains("SEVERE") || line.contains("WARNING"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 11})
    void anAnswerThatFailsIsReset(int generation) throws Exception {
        byte[] bytes = Archived.put(folder.resolve("archive"), "set", "f.bin", SIZE, 1);
        Archived.put(folder.resolve("archive"), "set", "other.bin", 1000, 2);
        try (TomcatProcess tomcat = start(generation)) {
            SSLContext trusting = TestCertificate.in(tomcat.base()).trusting();
            try (RawHttp2 http = RawHttp2.connect(tomcat.tls(), trusting, 0, WINDOW)) {
                RawHttp2.Stream failing = http.get("/files/set/f.bin");
                http.readUntil(failing, WINDOW);
                assertThat(failing.status()).isEqualTo(200);
                try (FileChannel file =
                        FileChannel.open(folder.resolve("archive/set/f.bin"), StandardOpenOption.WRITE)) {
                    file.truncate(SIZE / 2);
                }
                http.grant(failing, SIZE);
                http.readToEnd(failing);
                assertThat(failing.ended()).isFalse();
                assertThat(failing.broken()).isTrue();
                assertThat(failing.body()).isEqualTo(Arrays.copyOf(bytes, failing.received()));
                RawHttp2.Stream beside = http.get("/files/set/other.bin");
                assertThat(http.readToEnd(beside).received()).isEqualTo(1000);
            }
            tomcat.stop();
            assertThat(tomcat.console()).noneMatch(line -> line.contains("SEVERE"));
        }
    }
}
