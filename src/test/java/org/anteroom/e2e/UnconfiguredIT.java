package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The WAR dropped into the webapps of a Tomcat as it is downloaded. */
class UnconfiguredIT {
    @TempDir
    Path base;

    @ParameterizedTest
    @CsvSource({"11, ROOT.war, ''", "11, anteroom.war, /anteroom", "10, ROOT.war, ''", "10, anteroom.war, /anteroom"})
    void startsAndServesItsSamples(int generation, String war, String context) throws Exception {
        TomcatProcess.Builder builder = generation == 11 ? TomcatProcess.tomcat11(base) : TomcatProcess.tomcat10(base);
        try (TomcatProcess tomcat = builder.unconfigured()
                .deployedAs(war)
                .readyPath(context + "/health/ready")
                .start()) {
            URI uri = tomcat.uri();
            String target = context + "/files/tides-2024/hourly/January%202024.csv";
            byte[] bytes = Files.readAllBytes(Path.of("src/main/resources/sample-archive/tides-2024-01.csv"));

            RawHttp.Response miss = Requests.assertWhole(RawHttp.get(uri, target), bytes);
            assertThat(Requests.cacheStatus(miss)).isEqualTo("anteroom; fwd=uri-miss; stored");
            RawHttp.Response hit = Requests.awaitHit(uri, target, bytes);
            assertThat(hit.header("ETag")).isEqualTo(miss.header("ETag")).isPresent();

            Stored stored = Stored.read(base.resolve("anteroom/inventory.db"), base.resolve("anteroom/cache"));
            assertThat(stored.files().values()).containsExactly((long) bytes.length);
            assertThat(stored.files()).isEqualTo(stored.rows());
            // nobody can log in where no user was made, and nothing but the samples is there
            assertThat(RawHttp.get(uri, context + "/api/v1/volumes").status()).isEqualTo(401);
            assertThat(RawHttp.get(uri, context + "/files/tides-2024/none").status())
                    .isEqualTo(404);
            tomcat.stop();
            assertThat(tomcat.console())
                    .anyMatch(line -> line.contains("has stopped"))
                    .noneMatch(line -> line.contains("memory leak"));
        }
    }
}
