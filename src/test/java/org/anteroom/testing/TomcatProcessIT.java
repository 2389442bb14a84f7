package org.anteroom.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The run script and the operators' files on a real Tomcat, with a WAR of one static page. */
class TomcatProcessIT {
    @TempDir
    Path folder;

    private Path war;

    @BeforeEach
    void makeWar() throws IOException {
        war = folder.resolve("page.war");
        try (OutputStream file = Files.newOutputStream(war);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            zip.putNextEntry(new ZipEntry("page.txt"));
            zip.write("a page".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void isStoppedKilledAndStartedAgain() throws Exception {
        try (TomcatProcess tomcat = tomcat11()
                .property("anteroom.test", "a 'quoted' value")
                .options("-Xmx128m")
                .start()) {
            long first = tomcat.pid();
            assertThat(RawHttp.get(tomcat.uri(), "/page.txt").text()).isEqualTo("a page");
            assertThat(commandLine(first)).contains("\0-Danteroom.test=a 'quoted' value\0", "\0-Xmx128m\0");

            tomcat.kill9();
            assertThat(tomcat.alive()).isFalse();
            tomcat.restart();

            assertThat(tomcat.pid()).isNotEqualTo(first);
            assertThat(RawHttp.get(tomcat.uri(), "/page.txt").status()).isEqualTo(200);
            assertThat(tomcat.operatorPassword()).hasSize(24);
            assertThat(tomcat.stop()).isLessThan(Duration.ofSeconds(10));
            assertThat(tomcat.console()).anyMatch(line -> line.contains("Stopping service [Catalina]"));
        }
    }

    @Test
    void closingEndsTheProcess() throws Exception {
        TomcatProcess tomcat = tomcat11().start();
        tomcat.close();
        assertThat(ProcessHandle.of(tomcat.pid())).isEmpty();
    }

    @Test
    void runsUnconfigured() throws Exception {
        try (TomcatProcess tomcat = tomcat11().unconfigured().start()) {
            assertThat(RawHttp.get(tomcat.uri(), "/page.txt").text()).isEqualTo("a page");
            assertThat(tomcat.base().resolve("conf/anteroom.properties")).doesNotExist();
        }
    }

    @Test
    void takesOtherConfigurationFiles() throws Exception {
        try (TomcatProcess tomcat =
                tomcat11().conf("anteroom.properties", "volumes = other\n").start()) {
            assertThat(tomcat.base().resolve("conf/anteroom.properties")).hasContent("volumes = other");
        }
    }

    @Test
    void aTomcatThatEndsIsAnErrorWithItsConsole() {
        assertThatThrownBy(() -> tomcat11().conf("server.xml", "no XML").start())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Content is not allowed in prolog");
    }

    @Test
    void linesOfTheConsoleAreWaitedFor() throws Exception {
        try (TomcatProcess tomcat = tomcat11().launch()) {
            assertThat(tomcat.awaitConsole(line -> line.contains("Server startup in"), Duration.ofSeconds(60)))
                    .contains("org.apache.catalina.startup.Catalina.start");
        }
    }

    @Test
    void encodedSlashesAndBackslashesReachTheApplicationOnBothGenerations() throws Exception {
        for (TomcatProcess.Builder builder :
                new TomcatProcess.Builder[] {tomcat11(), TomcatProcess.tomcat10(folder.resolve("ten"))}) {
            try (TomcatProcess tomcat = builder.war(war).readyPath("page.txt").start()) {
                assertThat(RawHttp.get(tomcat.uri(), "/a%2Fb").status()).isEqualTo(404);
                assertThat(RawHttp.get(tomcat.uri(), "/a%5Cb").status()).isEqualTo(404);
                assertThat(RawHttp.get(tomcat.uri(), "/a[b]{c}|^").status()).isEqualTo(404);
                RawHttp.Response refused = RawHttp.get(tomcat.uri(), "/a\\b");
                assertThat(refused.status()).isEqualTo(400);
                assertThat(refused.text()).doesNotContain("Tomcat", "Exception");
            }
        }
    }

    private TomcatProcess.Builder tomcat11() {
        return TomcatProcess.tomcat11(folder.resolve("base")).war(war).readyPath("page.txt");
    }

    private static String commandLine(long pid) throws IOException {
        return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
    }
}
