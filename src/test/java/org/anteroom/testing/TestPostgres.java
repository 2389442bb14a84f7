package org.anteroom.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL on 127.0.0.1: its binaries come as a test dependency. {@link #shared} is one for the whole JVM, in
 * which each test makes itself a database; {@link #start} makes one that can be killed, held and started again.
 */
public final class TestPostgres implements AutoCloseable {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private static final class Shared {
        static final TestPostgres SERVER = inTemporaryFolder();

        private static TestPostgres inTemporaryFolder() {
            try {
                Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target/postgres")), "shared");
                TestPostgres server = new TestPostgres(folder, start(builder(folder, 0)));
                Runtime.getRuntime().addShutdownHook(new Thread(server::throwAway, "postgres-end"));
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final Path data;
    private final int port;
    private EmbeddedPostgres server;

    private TestPostgres(Path data, EmbeddedPostgres server) {
        this.data = data;
        this.server = server;
        this.port = server.getPort();
    }

    /** The server that lives as long as the JVM; leave it running. */
    public static TestPostgres shared() {
        return Shared.SERVER;
    }

    /** A server of its own, to be closed. */
    public static TestPostgres start(Path folder) throws IOException {
        Path data = Files.createDirectories(folder.resolve("postgres"));
        return new TestPostgres(data, start(builder(data, 0)));
    }

    private static EmbeddedPostgres start(EmbeddedPostgres.Builder builder) throws IOException {
        try {
            // it asks the JVM's list of drivers, see below
            DriverManager.registerDriver(new Driver());
        } catch (SQLException e) {
            throw new IOException(e);
        }
        return builder.start();
    }

    private static EmbeddedPostgres.Builder builder(Path data, int port) {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPGStartupWait(Duration.ofMinutes(1))
                .setServerConfig("listen_addresses", "127.0.0.1")
                // the machine does not die in tests, only the server
                .setServerConfig("fsync", "off")
                .setServerConfig("synchronous_commit", "on")
                // counts statements, in databases that ask for it by CREATE EXTENSION
                .setServerConfig("shared_preload_libraries", "pg_stat_statements");
        return port == 0 ? builder : builder.setPort(port);
    }

    /** Makes an empty database; its name. */
    public String createDatabase() throws SQLException {
        return createDatabase("template0");
    }

    /** Makes a database that is a copy of another, to which nobody is connected; its name. */
    public String createDatabase(String template) throws SQLException {
        String name = "test_" + DATABASES.incrementAndGet();
        execute("CREATE DATABASE " + name + " TEMPLATE " + template + " ENCODING 'UTF8'");
        return name;
    }

    /** Drops a database, whoever is connected to it. */
    public void dropDatabase(String name) throws SQLException {
        execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }

    /** Runs a statement in the database {@code postgres}. */
    public void execute(String sql) throws SQLException {
        try (Connection connection = dataSource("postgres").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Makes a role whose password the server asks for, unlike that of the others. */
    public void createRole(String name, String password) throws IOException, SQLException {
        execute("CREATE ROLE " + name + " LOGIN SUPERUSER PASSWORD '" + password + "'");
        Path rules = data.resolve("pg_hba.conf");
        String others = Files.readString(rules);
        Files.writeString(rules, "host all " + name + " 127.0.0.1/32 scram-sha-256\n" + others);
        execute("SELECT pg_reload_conf()");
    }

    /** Where a database is, for a driver; the user {@code postgres} needs no password. */
    public String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres&socketTimeout=10";
    }

    /** New connections to a database. */
    public DataSource dataSource(String database) {
        return new Direct(url(database));
    }

    /** New connections to whatever speaks for a database elsewhere, such as a pooler. */
    public static DataSource dataSourceAt(String url) {
        return new Direct(url);
    }

    /** Connections without the JVM's list of drivers, from which an application that stops in the same JVM takes its own. */
    private static final class Direct extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;

        private final String address;

        Direct(String address) {
            this.address = address;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return new Driver().connect(address, new Properties());
        }
    }

    /** The port on 127.0.0.1; stays the same when it is started again. */
    public int port() {
        return port;
    }

    /** Ends the server and all that belongs to it at once. */
    public void kill() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        ProcessHandle postmaster = postmaster();
        List<ProcessHandle> all = postmaster.descendants().toList();
        postmaster.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
        postmaster.onExit().get(30, TimeUnit.SECONDS);
        for (ProcessHandle process : all) {
            process.onExit().get(30, TimeUnit.SECONDS);
        }
    }

    /** Ends the server without any care for its data, since nobody wants them any more. */
    private void throwAway() {
        try {
            kill();
            try (Stream<Path> files = Files.walk(data)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Stops it as an operator does who does not wait for the clients: their sessions are ended. */
    public void stopFast() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        stop("-INT");
    }

    /** Stops it at once: its processes give up what they are at, and the next start recovers as from a crash. */
    public void stopImmediately() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        stop("-QUIT");
    }

    private void stop(String signal) throws IOException, InterruptedException, ExecutionException, TimeoutException {
        ProcessHandle postmaster = postmaster();
        signal(signal, postmaster);
        postmaster.onExit().get(30, TimeUnit.SECONDS);
    }

    /** Starts it again after it was stopped or killed, with its data and on its port. */
    public void startAgain() throws IOException {
        server.close();
        Files.deleteIfExists(data.resolve("postmaster.pid"));
        server = start(builder(data, port));
    }

    /** Stops every process of the server: it is there and says nothing. */
    public void hold() throws IOException, InterruptedException {
        signal("-STOP");
    }

    /** Lets it go on after {@link #hold}. */
    public void goOn() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        ProcessHandle postmaster = postmaster();
        signal(signal, postmaster);
        for (ProcessHandle process : postmaster.descendants().toList()) {
            signal(signal, process);
        }
    }

    private static void signal(String signal, ProcessHandle process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
    }

    private ProcessHandle postmaster() throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).get(0).trim());
        return ProcessHandle.of(pid).orElseThrow();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
