package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The WAR on Debian's tomcat10, run as its service runs it. */
class DebianTomcatIT {
    @TempDir
    Path folder;

    private DebianTomcat debian;

    @BeforeEach
    void layOut() throws Exception {
        DebianTomcat.require();
        debian = DebianTomcat.layOut(folder);
    }

    @Test
    void servesAndCachesAsTheServiceOfThePackage() throws Exception {
        debian.makeDataFolder();
        try (TomcatProcess tomcat = debian.builder().start()) {
            assertThat(Files.getOwner(Path.of("/proc", Long.toString(tomcat.pid())))
                            .getName())
                    .isEqualTo("tomcat");

            String target = "/files/tides-2024/readme.txt";
            byte[] bytes = Files.readAllBytes(Path.of("src/main/resources/sample-archive/tides-readme.txt"));
            RawHttp.Response miss = Requests.assertWhole(RawHttp.get(tomcat.uri(), target), bytes);
            assertThat(Requests.cacheStatus(miss)).isEqualTo("anteroom; fwd=uri-miss; stored");
            Requests.awaitHit(tomcat.uri(), target, bytes);

            RawHttp.Response ready = RawHttp.get(tomcat.uri(), "/health/ready");
            assertThat(ready.status()).isEqualTo(200);
            assertThat(Requests.json(ready).path("state").asText()).isEqualTo("ready");
            assertThat(RawHttp.get(tomcat.uri(), "/api/v1/volumes").status()).isEqualTo(401);
            RawHttp.Response volumes =
                    RawHttp.get(tomcat.uri(), "/api/v1/volumes", Requests.login("operator", "of Debian"));
            assertThat(volumes.status()).isEqualTo(200);
            assertThat(Requests.json(volumes).path("items").get(0).path("name").asText())
                    .isEqualTo("cache");

            assertThat(tomcat.stop()).isLessThan(Duration.ofSeconds(30));
            assertThat(tomcat.console()).anyMatch(line -> line.contains("has stopped"));
        }
    }

    @Test
    void aDataFolderThatIsNotWritableStopsTheStartAndIsNamed() throws Exception {
        debian.makeDataFolder();
        Path data = debian.base().resolve("anteroom");
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("r-xr-x---"));

        try (TomcatProcess tomcat = debian.builder().launch()) {
            String refusal = tomcat.awaitConsole(line -> line.contains("does not start"), Duration.ofSeconds(90));

            assertThat(refusal).contains(data.toString()).contains("ReadWritePaths=" + data);
            tomcat.awaitConsole(line -> line.contains("Server startup in"), Duration.ofSeconds(30));
            assertThat(tomcat.console()).noneMatch(line -> line.contains("at org.anteroom"));
        }
    }
}
