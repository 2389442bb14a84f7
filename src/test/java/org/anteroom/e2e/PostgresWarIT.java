package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestPgBouncer;
import org.anteroom.testing.TestPostgres;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The WAR on a Tomcat of its own with the descriptor for PostgreSQL; the driver is in the WAR. */
class PostgresWarIT {
    private static final String TARGET = "/files/set/file.bin";
    private static final Path DESCRIPTOR = Path.of("tomcat-conf/anteroom-postgresql.xml");

    @TempDir
    Path folder;

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final byte[] file = new byte[100_000];

    @Test
    void tomcat11AndAKilledBootWhoseNameTheNextOneWaitsFor() throws Exception {
        try (TestPostgres server = TestPostgres.start(folder);
                TomcatProcess tomcat = on(TomcatProcess.tomcat11(folder.resolve("base")), server)
                        .start()) {
            Requests.awaitHit(tomcat.uri(), TARGET, file);
            tomcat.kill9();
            tomcat.restart();
            Requests.assertWhole(RawHttp.get(tomcat.uri(), TARGET), file);
            // copies are read at once, and made when the lease of the killed boot has run out
            Requests.awaitHit(tomcat.uri(), TARGET, file);
            tomcat.awaitConsole(line -> line.contains("The cache is open, with 1 volumes"), PATIENCE);

            tomcat.stop();
            assertThat(tomcat.console())
                    .as("threads of the driver or the pool that are left behind")
                    .noneMatch(line -> line.contains("failed to stop it") || line.contains("memory leak"));
            tomcat.restart();
            // a stop gives the name up
            Requests.awaitHit(tomcat.uri(), TARGET, file);
            assertThat(tomcat.console()).noneMatch(line -> line.contains("has not given up its name"));
            assertThat(tomcat.console()).noneMatch(line -> line.contains(" WARN ") || line.contains(" ERROR "));
        }
    }

    @Test
    void tomcat10() throws Exception {
        try (TestPostgres server = TestPostgres.start(folder);
                TomcatProcess tomcat = on(TomcatProcess.tomcat10(folder.resolve("base")), server)
                        .start()) {
            Requests.awaitHit(tomcat.uri(), TARGET, file);
        }
    }

    /** An old one that knows no prepared statements, as the descriptor's comments say; the schema is made through it too. */
    @Test
    void throughPgBouncer() throws Exception {
        TestPgBouncer.require();
        String descriptor =
                Files.readString(DESCRIPTOR).replace("?connectTimeout", "?prepareThreshold=0&amp;connectTimeout");
        assertThat(descriptor).contains("prepareThreshold=0&amp;");
        try (TestPostgres server = TestPostgres.start(folder);
                TestPgBouncer bouncer = TestPgBouncer.start(folder, server);
                TomcatProcess tomcat = on(TomcatProcess.tomcat11(folder.resolve("base")), server)
                        .conf("anteroom.xml", descriptor)
                        .property("anteroom.db.port", Integer.toString(bouncer.port()))
                        .start()) {
            Requests.awaitHit(tomcat.uri(), TARGET, file);
            tomcat.kill9();
            tomcat.restart();
            Requests.awaitHit(tomcat.uri(), TARGET, file);
            assertThat(tomcat.console()).noneMatch(line -> line.contains(" ERROR "));
        }
    }

    private TomcatProcess.Builder on(TomcatProcess.Builder tomcat, TestPostgres server) throws Exception {
        new Random(5).nextBytes(file);
        Path archive = folder.resolve("archive");
        Files.write(Files.createDirectories(archive.resolve("set")).resolve("file.bin"), file);
        return tomcat.conf("anteroom.xml", Files.readString(DESCRIPTOR))
                .property("anteroom.db.port", Integer.toString(server.port()))
                .property("anteroom.db.name", server.createDatabase())
                .property("anteroom.db.user", "postgres")
                .property("anteroom.instance.name", "war")
                .property("anteroom.archive.location", archive.toString())
                .property("anteroom.volume.cache.capacity", "1GiB")
                .property("anteroom.volume.cache.min-free", "1MiB");
    }
}
