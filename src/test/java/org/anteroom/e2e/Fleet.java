package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.anteroom.testing.TomcatProcess;

/**
 * Three instances, each on a Tomcat of its own, with one PostgreSQL and one archive: each has a volume that all share and
 * one of its own, both so small that room must be made again and again.
 */
final class Fleet implements AutoCloseable {
    static final int NODES = 3;

    private static final Duration OPENING = Duration.ofMinutes(2);

    private final Path folder;
    private final DataSource database;
    private final List<Node> nodes = new ArrayList<>();

    private Fleet(Path folder, DataSource database) {
        this.folder = folder;
        this.database = database;
    }

    /**
     * Starts all three at once, on an empty database, and waits until they make copies.
     *
     * @param folder for all but the archive
     * @param database the database itself
     * @param port where the instances find it, which may be a pooler's
     * @param name of the database
     * @param clocks what the instances' own clocks tell
     * @param options what is added to the instances' URL of it, such as {@code prepareThreshold=0}
     */
    static Fleet start(
            Path folder, Path archive, DataSource database, int port, String name, Clocks clocks, String... options)
            throws Exception {
        Fleet fleet = new Fleet(folder, database);
        String descriptor = Files.readString(Path.of("tomcat-conf/anteroom-postgresql.xml"));
        for (String option : options) {
            descriptor = descriptor.replace("?connectTimeout", "?" + option + "&amp;connectTimeout");
        }
        List<Callable<Node>> starts = new ArrayList<>();
        for (int i = 1; i <= NODES; i++) {
            Path base = folder.resolve("node-" + i);
            TomcatProcess.Builder tomcat = TomcatProcess.tomcat11(base)
                    // what a few clients need, and as little work for the compiler as possible
                    .options("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                    .conf("anteroom.xml", descriptor)
                    .conf("anteroom.properties", properties(folder, archive))
                    .property("anteroom.db.port", Integer.toString(port))
                    .property("anteroom.db.name", name)
                    .property("anteroom.db.user", "postgres")
                    .property("anteroom.instance.name", "node-" + i);
            clocks.set(tomcat, i);
            starts.add(() -> new Node(tomcat.start()));
        }
        ExecutorService threads = Executors.newFixedThreadPool(NODES);
        try {
            for (Future<Node> started : threads.invokeAll(starts)) {
                fleet.nodes.add(started.get());
            }
            for (Node node : fleet.nodes) {
                node.awaitOpen();
            }
            return fleet;
        } catch (Exception | AssertionError e) {
            fleet.close();
            throw e;
        } finally {
            threads.shutdownNow();
        }
    }

    private static String properties(Path folder, Path archive) {
        return """
                archive.location = %s
                volumes = shared, own
                volume.shared.location = %s
                volume.shared.capacity = 16MiB
                volume.own.location = ${catalina.base}/own
                volume.own.shared = false
                volume.own.capacity = 6MiB
                volume.shared.min-free = 0
                volume.own.min-free = 0
                volume.shared.high-watermark = 0.7
                volume.shared.low-watermark = 0.3
                volume.own.high-watermark = 0.7
                volume.own.low-watermark = 0.3
                inventory.location-ttl = 500ms
                eviction.interval = 1s
                eviction.min-age = 0s
                eviction.grace = 1s
                """.formatted(archive, folder.resolve("shared"));
    }

    List<Node> nodes() {
        return nodes;
    }

    /** Asserts that nothing is under way or left over in any volume: counters, rows and disk agree. */
    void assertSettled() throws IOException, SQLException {
        try (Connection connection = database.getConnection()) {
            int volumes = 0;
            for (Located volume : volumes(connection)) {
                Stored.read(connection, volume.id(), volume.folder()).assertSettled(volume.name());
                volumes++;
            }
            assertThat(volumes).isEqualTo(NODES + 1);
        }
    }

    private record Located(long id, String name, Path folder) {}

    private List<Located> volumes(Connection connection) throws SQLException {
        List<Located> found = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id, name, owner FROM volumes ORDER BY id")) {
            while (row.next()) {
                String owner = row.getString("owner");
                String name = row.getString("name");
                found.add(new Located(
                        row.getLong("id"),
                        name + " of " + (owner.isEmpty() ? "all" : owner),
                        owner.isEmpty()
                                ? folder.resolve(name)
                                : folder.resolve(owner).resolve(name)));
            }
        }
        return found;
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }

    /** One instance, and what was done to it. */
    static final class Node implements AutoCloseable {
        private final TomcatProcess tomcat;
        private final String operator;
        private final AtomicInteger disturbances = new AtomicInteger();
        private volatile boolean up = true;

        private Node(TomcatProcess tomcat) throws IOException {
            this.tomcat = tomcat;
            this.operator = Requests.login("operator", tomcat.operatorPassword());
        }

        URI uri() {
            return tomcat.uri();
        }

        /** The header of an operator's login. */
        String operator() {
            return operator;
        }

        /** Whether it runs and is expected to answer. */
        boolean up() {
            return up;
        }

        /** How often it was killed or paused: as long as that stays the same, it owes an answer. */
        int disturbances() {
            return disturbances.get();
        }

        /** Kills it, and starts it again on what it left. */
        void killAndRestart() throws IOException, InterruptedException {
            goDown();
            tomcat.kill9();
            tomcat.restart();
            up = true;
        }

        /** Stops its process. */
        void pause() throws IOException, InterruptedException {
            goDown();
            signal("-STOP");
        }

        /** Lets it go on where it stopped. */
        void goOn() throws IOException, InterruptedException {
            signal("-CONT");
            up = true;
        }

        private void goDown() {
            up = false;
            disturbances.incrementAndGet();
        }

        private void signal(String signal) throws IOException, InterruptedException {
            new ProcessBuilder("kill", signal, Long.toString(tomcat.pid()))
                    .start()
                    .waitFor();
        }

        /** Waits until the present boot makes copies. */
        void awaitOpen() throws InterruptedException {
            tomcat.awaitConsole(line -> line.contains("The cache is open"), OPENING);
        }

        /** What the present boot had to say that wants a hand. */
        List<String> errors() {
            return tomcat.console().stream()
                    .filter(line -> line.contains(" ERROR ") || line.contains(" SEVERE "))
                    .toList();
        }

        /** All that the present boot had to say. */
        String console() {
            return String.join("\n", tomcat.console());
        }

        @Override
        public void close() {
            tomcat.close();
        }
    }
}
