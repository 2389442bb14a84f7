package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What stops the start: errors that only an operator can mend, told in one message. */
class ConfigurationErrorsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String REFUSAL = "Anteroom does not start: ";

    @TempDir
    Path folder;

    @Test
    void fiveErrorsAreNamedInOneMessage() throws Exception {
        List<String> lines = refused("""
                archive.locaton = /srv/archive
                archive.concurrency = many
                volumes = cache
                volume.cache.location = ${catalina.base}/cache
                volume.cache.capacity = 10 parsecs
                volume.cache.low-watermark = 0.99
                eviction.grace = 1s
                """);
        assertThat(lines.get(0)).contains("5 errors").contains(folder.resolve("base/conf/anteroom.properties") + "");
        assertThat(lines).hasSizeGreaterThanOrEqualTo(6);
        assertThat(String.join("\n", lines.subList(1, 6)))
                .contains("archive.locaton", "did you mean archive.location?")
                .contains("archive.concurrency", "many")
                .contains("volume.cache.capacity", "10 parsecs")
                .contains("volume.cache.low-watermark", "0.95")
                .contains("eviction.grace", "inventory.location-ttl");
    }

    @Test
    void newVolumesThatCannotBeMadeAreNamedInOneMessage() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "no folder");
        Path used = Files.createDirectory(folder.resolve("used"));
        Files.writeString(used.resolve("thesis.txt"), "not a copy");
        List<String> lines = refused("""
                volumes = one, two, three
                volume.one.location = %s/one
                volume.one.capacity = 1GiB
                volume.two.location = %s
                volume.two.capacity = 1GiB
                volume.three.location = ${catalina.base}/three
                volume.three.capacity = 1GiB
                """.formatted(file, used));
        assertThat(lines.get(0))
                .contains("new volume one", file + "/one")
                .contains("new volume two", used.toString(), "not empty")
                .doesNotContain("three");
        assertThat(used.resolve("thesis.txt")).exists();
        assertThat(used.resolve(".anteroom-volume")).doesNotExist();
    }

    @Test
    void aSecondBootOnTheSameInventoryIsRefused() throws Exception {
        try (TomcatProcess first =
                TomcatProcess.tomcat11(folder.resolve("first")).start()) {
            String shared = Files.readString(Path.of("tomcat-conf/anteroom.xml"))
                    .replace(
                            "jdbc:sqlite:${catalina.base}/anteroom/inventory.db",
                            "jdbc:sqlite:" + folder.resolve("first/anteroom/inventory.db"));
            try (TomcatProcess second = TomcatProcess.tomcat11(folder.resolve("base"))
                    .conf("anteroom.xml", shared)
                    .launch()) {
                assertThat(awaitRefusal(second).get(0)).contains("is running on the same inventory", "instance.name");
            }
            byte[] bytes = Files.readAllBytes(Path.of("src/main/resources/sample-archive/tides-readme.txt"));
            Requests.awaitHit(first.uri(), "/files/tides-2024/readme.txt", bytes);

            first.kill9();
            try (TomcatProcess successor = TomcatProcess.tomcat11(folder.resolve("base"))
                    .conf("anteroom.xml", shared)
                    .start()) {
                assertThat(RawHttp.get(successor.uri(), "/health/ready").status())
                        .isEqualTo(200);
            }
        }
    }

    private List<String> refused(String properties) throws Exception {
        try (TomcatProcess tomcat = TomcatProcess.tomcat11(folder.resolve("base"))
                .conf("anteroom.properties", properties)
                .launch()) {
            return awaitRefusal(tomcat);
        }
    }

    /** The lines from the only refusal on, once the container has settled; nothing of the application is served then. */
    private static List<String> awaitRefusal(TomcatProcess tomcat) throws Exception {
        tomcat.awaitConsole(line -> line.contains("Server startup in"), PATIENCE);
        List<String> lines = tomcat.console();
        assertThat(lines).filteredOn(line -> line.contains(REFUSAL)).hasSize(1);
        assertThat(lines).noneMatch(line -> line.contains("\tat org.anteroom"));
        assertThat(RawHttp.get(tomcat.uri(), "/health/live").status()).isEqualTo(404);
        return lines.stream().dropWhile(line -> !line.contains(REFUSAL)).toList();
    }
}
