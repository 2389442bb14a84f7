package org.anteroom.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/**
 * Debian's PgBouncer before a PostgreSQL, in transaction mode, with so few connections to the server that transactions of
 * different clients share them.
 */
public final class TestPgBouncer implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");
    private static final int SERVER_CONNECTIONS = 3;

    private final Process process;
    private final int port;

    private TestPgBouncer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Skips the test, or fails it, where the package is missing. */
    public static void require() {
        Tools.require("pgbouncer", PROGRAM);
    }

    /** Starts one. */
    public static TestPgBouncer start(Path folder, TestPostgres server) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path settings = Files.writeString(
                folder.resolve("pgbouncer.ini"), """
                [databases]
                * = host=127.0.0.1 port=%d user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = %d
                max_client_conn = 500
                ignore_startup_parameters = extra_float_digits
                """.formatted(server.port(), port, SERVER_CONNECTIONS));
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString(), "-q"));
        if (ProcessHandle.current().info().user().filter("root"::equals).isPresent()) {
            // it refuses to run as root
            Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r--r--"));
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(settings.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("pgbouncer.log").toFile())
                .start();
        TestPgBouncer made = new TestPgBouncer(process, port);
        try {
            Awaitility.await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
                made.dataSource("postgres").getConnection().close();
                return true;
            });
        } catch (RuntimeException e) {
            made.close();
            throw new IOException("PgBouncer does not start: " + Files.readString(folder.resolve("pgbouncer.log")), e);
        }
        return made;
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** New connections to a database of the server, through the pooler. */
    public DataSource dataSource(String database) {
        return TestPostgres.dataSourceAt("jdbc:postgresql://127.0.0.1:" + port + "/" + database
                + "?user=postgres&socketTimeout=10&prepareThreshold=0");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
