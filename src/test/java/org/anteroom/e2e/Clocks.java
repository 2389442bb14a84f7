package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.anteroom.testing.Tools;

/**
 * What the clocks of a fleet's instances tell: all the same, or the first ten minutes behind the second and the third ten
 * minutes ahead of it, by Debian's {@code faketime}.
 */
enum Clocks {
    RIGHT(0),
    APART(10);

    private static final Path FOLDER = Path.of("/usr/lib");
    private static final Duration TOLERATED = Duration.ofMinutes(1);

    private final int minutes;

    Clocks(int minutes) {
        this.minutes = minutes;
    }

    /** Lets the clock of an instance be what it is to be, before it is started. */
    void set(TomcatProcess.Builder tomcat, int node) throws Exception {
        int offset = offset(node);
        if (offset != 0) {
            tomcat.environment("LD_PRELOAD", library().toString())
                    .environment("FAKETIME", "%+dm".formatted(offset))
                    // only the time of day is wrong: what counts nanoseconds, and what waits, goes on as it does
                    .environment("DONT_FAKE_MONOTONIC", "1")
                    .environment("FAKETIME_DONT_FAKE_MONOTONIC", "1")
                    .environment("FAKETIME_FORCE_MONOTONIC_FIX", "0")
                    // the times of files are the file system's
                    .environment("NO_FAKE_STAT", "1");
        }
    }

    /** Asserts that the instances tell these times. */
    void assertTold(List<URI> nodes) throws Exception {
        for (int node = 1; node <= nodes.size(); node++) {
            String date = RawHttp.get(nodes.get(node - 1), "/health/live")
                    .header("Date")
                    .orElseThrow();
            Duration off =
                    Duration.between(Instant.now(), ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME));
            assertThat(off).isCloseTo(Duration.ofMinutes(offset(node)), TOLERATED);
        }
    }

    /** In minutes, of the first, second or third. */
    private int offset(int node) {
        return (node - 2) * minutes;
    }

    /** Where the package has it, which depends on the machine's kind. */
    private static Path library() throws Exception {
        try (var found =
                Files.find(FOLDER, 3, (file, attributes) -> file.endsWith(Path.of("faketime/libfaketimeMT.so.1")))) {
            Path library = found.findFirst().orElse(FOLDER.resolve("faketime/libfaketimeMT.so.1"));
            Tools.require("faketime", library);
            return library;
        }
    }
}
