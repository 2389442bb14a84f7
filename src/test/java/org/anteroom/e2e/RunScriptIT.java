package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of what {@code tomcat-conf/run.sh} started, by the signals of service managers and terminals. */
class RunScriptIT {
    private static final Duration LONGEST = Duration.ofSeconds(3);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void endsSoonAndInOrder(String signal) throws Exception {
        Path base = Files.createDirectory(folder.resolve("base"));
        // the data may lie on another disk
        Files.createSymbolicLink(base.resolve("anteroom"), Files.createDirectory(folder.resolve("disk")));
        // a build that runs in the background of a shell has SIGINT ignored, and so would the server
        try (TomcatProcess tomcat = TomcatProcess.tomcat11(base)
                .through("env", "--default-signal=INT")
                .start()) {
            assertThat(RawHttp.get(tomcat.uri(), "/files/tides-2024/readme.txt").status())
                    .isEqualTo(200);
            ProcessHandle server = ProcessHandle.of(tomcat.pid()).orElseThrow();

            long begun = System.nanoTime();
            assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(server.pid()))
                            .start()
                            .waitFor())
                    .isZero();
            server.onExit().get(60, TimeUnit.SECONDS);

            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONGEST);
            tomcat.kill9();
            List<String> lines = tomcat.console();
            // and no word of the container about threads that were left behind
            assertThat(lines.get(lines.size() - 1)).contains(" org.anteroom.").endsWith("has stopped");
        }
    }
}
