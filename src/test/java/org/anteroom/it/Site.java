package org.anteroom.it;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import javax.sql.DataSource;
import org.anteroom.app.Decorations;
import org.anteroom.model.FileKey;
import org.anteroom.testing.EmbeddedJetty;
import org.anteroom.testing.EmbeddedTomcat;
import org.anteroom.testing.LiveTree;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TestCertificate;
import org.anteroom.testing.TestPostgres;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * One running instance with an archive of one dataset, {@value #DATASET}, and one volume, {@code cache}, all below one
 * folder; and what a test can do to it and learn of it from outside.
 */
final class Site implements AutoCloseable {
    static final String DATASET = "d";

    private static final int SEND_BUFFER = 16 * 1024;

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String OPERATOR = "Authorization: Basic "
            + Base64.getEncoder().encodeToString("operator:operator".getBytes(StandardCharsets.US_ASCII));

    private final Path folder;
    private final AutoCloseable server;
    private final URI uri;
    private final SteeredArchive archive;
    private final SteeredVolume volume;
    private final DataSource inventory;

    /** The containers that run the application. */
    enum Server {
        TOMCAT,
        JETTY
    }

    private Site(
            Path folder,
            AutoCloseable server,
            URI uri,
            SteeredArchive archive,
            SteeredVolume volume,
            DataSource inventory) {
        this.folder = folder;
        this.server = server;
        this.uri = uri;
        this.archive = archive;
        this.volume = volume;
        this.inventory = inventory;
    }

    private static DataSource sqlite(Path folder) {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout((int) PATIENCE.toMillis());
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + folder.resolve("base/anteroom/inventory.db"));
        return source;
    }

    /**
     * Starts one of several instances on Tomcat, on one PostgreSQL, with one archive and one volume below one folder.
     *
     * @param name the instance's; null for none
     * @param settings keys and values, before those that all tests here have in common
     */
    static Site startOnPostgres(
            Path folder, TestPostgres server, String database, @Nullable String name, String... settings)
            throws IOException {
        Map<String, String> properties = properties(folder, settings);
        properties.put(
                "anteroom.volume.cache.location",
                folder.resolve("base/anteroom/cache").toString());
        properties.put("anteroom.db.port", Integer.toString(server.port()));
        properties.put("anteroom.db.name", database);
        properties.putIfAbsent("anteroom.db.user", "postgres");
        if (name != null) {
            properties.put("anteroom.instance.name", name);
        }
        SteeredArchive archive = new SteeredArchive();
        SteeredVolume volume = new SteeredVolume();
        EmbeddedTomcat tomcat = EmbeddedTomcat.startOnPostgres(
                folder.resolve("base-" + name),
                properties,
                Map.of(Decorations.ATTRIBUTE, new Decorations(archive::around, volume::around)));
        return new Site(folder, tomcat, tomcat.uri(), archive, volume, server.dataSource(database));
    }

    private static Map<String, String> properties(Path folder, String... settings) throws IOException {
        Map<String, String> properties = new HashMap<>();
        properties.put("anteroom.archive.location", folder.resolve("archive").toString());
        properties.put("anteroom.archive.stall-timeout", "10m");
        properties.put("anteroom.archive.missing-ttl", "1s");
        properties.put("anteroom.volume.cache.capacity", "1GiB");
        properties.put("anteroom.volume.cache.min-free", "1MiB");
        properties.put("anteroom.shutdown.grace", "2s");
        for (int i = 0; i < settings.length; i += 2) {
            properties.put("anteroom." + settings[i], settings[i + 1]);
        }
        Files.createDirectories(folder.resolve("archive").resolve(DATASET));
        return properties;
    }

    /**
     * Starts on what lies in the folder, which may be nothing.
     *
     * @param settings keys and values, before those that all tests here have in common
     */
    static Site start(Server kind, Path folder, String... settings) throws IOException {
        return start(kind, false, folder, settings);
    }

    /** The same on Tomcat with its connector for TLS and HTTP/2 as well. */
    static Site startWithTls(Path folder, String... settings) throws IOException {
        return start(Server.TOMCAT, true, folder, settings);
    }

    private static Site start(Server kind, boolean tls, Path folder, String... settings) throws IOException {
        Map<String, String> properties = properties(folder, settings);
        Path base = folder.resolve("base");
        SteeredArchive archive = new SteeredArchive();
        SteeredVolume volume = new SteeredVolume();
        Map<String, Object> attributes =
                Map.of(Decorations.ATTRIBUTE, new Decorations(archive::around, volume::around));
        if (kind == Server.TOMCAT) {
            EmbeddedTomcat tomcat = tls
                    ? EmbeddedTomcat.startWithTls(base, properties, attributes)
                    : EmbeddedTomcat.start(base, properties, attributes);
            return new Site(folder, tomcat, tomcat.uri(), archive, volume, sqlite(folder));
        }
        EmbeddedJetty jetty = EmbeddedJetty.start(base, properties, attributes);
        return new Site(folder, jetty, jetty.uri(), archive, volume, sqlite(folder));
    }

    URI uri() {
        return uri;
    }

    /** Where it answers with TLS and HTTP/2. */
    URI tls() {
        return ((EmbeddedTomcat) server).tls();
    }

    /** What trusts its certificate. */
    SSLContext trusting() throws IOException {
        return TestCertificate.in(folder.resolve("base")).trusting();
    }

    SteeredArchive archive() {
        return archive;
    }

    SteeredVolume volume() {
        return volume;
    }

    /** The archive's folder. */
    Path archiveFolder() {
        return folder.resolve("archive");
    }

    /** The volume's folder. */
    Path volumeFolder() {
        return folder.resolve("base/anteroom/cache");
    }

    // ---- files

    /** Puts a file of random bytes into the archive. */
    byte[] put(String path, int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(31L * path.hashCode() + size).nextBytes(bytes);
        Files.write(archiveFolder().resolve(DATASET).resolve(path), bytes);
        return bytes;
    }

    /** The raw request target of a file. */
    static String target(String path) {
        return "/files/" + DATASET + "/"
                + URLEncoder.encode(path, StandardCharsets.UTF_8).replace("+", "%20");
    }

    RawHttp.Response get(String path, String... headers) throws IOException {
        return RawHttp.get(uri, target(path), headers);
    }

    /** Gets a file until the answer comes from a copy. */
    RawHttp.Response getHit(String path) {
        return await(
                "a hit of " + path,
                () -> get(path),
                answer -> cacheStatus(answer).equals("anteroom; hit"));
    }

    /** How long Tomcat waits for what is under way before it breaks it off and stops the application. */
    void tomcatWaits(Duration delay) {
        ((EmbeddedTomcat) server).context().setUnloadDelay(delay.toMillis());
    }

    /** How long a thread of Tomcat may wait for a client of HTTP/2 to open a window. */
    void streamWriteTimeout(Duration time) {
        ((EmbeddedTomcat) server).streamWriteTimeout(time);
    }

    /** Threads of the connector with TLS that are at work. */
    int tlsThreadsBusy() {
        return ((EmbeddedTomcat) server).tlsThreadsBusy();
    }

    /** Has connections to come buffer little in the system, so that many slow readers cost little memory there. */
    void bufferLittle() {
        if (server instanceof EmbeddedTomcat tomcat) {
            tomcat.sendBuffer(SEND_BUFFER);
        } else if (server instanceof EmbeddedJetty jetty) {
            jetty.sendBuffer(SEND_BUFFER);
        }
    }

    /** Whether a new connection is not served. */
    boolean refuses() {
        try (RawHttp http = RawHttp.connect(uri)) {
            http.patience(Duration.ofMillis(200));
            http.request("GET", "/health/live");
            return http.head().status() == 503;
        } catch (IOException e) {
            return true;
        }
    }

    static String cacheStatus(RawHttp.Response answer) {
        return answer.header("Cache-Status").orElse("none");
    }

    // ---- administration

    /** Has every copy of a file condemned; whether there was any. */
    boolean delete(String path) throws IOException {
        int status = api("DELETE", "objects/" + DATASET + "/" + target(path).substring(9), "")
                .status();
        if (status != 204 && status != 404) {
            throw new AssertionError("DELETE answered " + status);
        }
        return status == 204;
    }

    RawHttp.Response api(String method, String call, String json) throws IOException {
        try (RawHttp http = RawHttp.connect(uri)) {
            http.send(method + " /api/v1/" + call + " HTTP/1.1\r\nHost: localhost\r\n" + OPERATOR
                    + "\r\nX-Anteroom-Request: 1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
                    + json.length() + "\r\n\r\n" + json);
            return http.response(method);
        }
    }

    /** The sum of a metric over all series that have these labels, each written as {@code name="value"}. */
    double figure(String name, String... labels) throws IOException {
        return figures(name).entrySet().stream()
                .filter(series -> Arrays.stream(labels).allMatch(series.getKey()::contains))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    /** All series of a metric. */
    Map<String, Double> figures(String name) throws IOException {
        Map<String, Double> series = new HashMap<>();
        RawHttp.get(uri, "/metrics").text().lines().forEach(line -> {
            int end = line.lastIndexOf(' ');
            if (line.startsWith(name + "{") || line.startsWith(name + " ")) {
                series.put(line.substring(0, end), Double.valueOf(line.substring(end + 1)));
            }
        });
        return series;
    }

    // ---- the inventory and the volume, from behind

    /** A connection to the inventory, beside those of the instance. */
    Connection inventory() throws SQLException {
        return inventory.getConnection();
    }

    /** The numbers in the first row of a query. */
    long[] row(String sql, Object... values) {
        try (Connection connection = inventory();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new AssertionError("no row: " + sql);
                }
                long[] row = new long[rows.getMetaData().getColumnCount()];
                for (int i = 0; i < row.length; i++) {
                    row[i] = rows.getLong(i + 1);
                }
                return row;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** How many rows of a file are in a state. */
    long rows(String path, String state) {
        return row(
                "SELECT COUNT(*) FROM copies WHERE objid = ? AND state = ?",
                FileKey.of(DATASET, path).objid(),
                state)[0];
    }

    /** The files of all copies in the volume. */
    List<Path> copyFiles() throws IOException {
        return List.copyOf(LiveTree.files(volumeFolder().resolve("copies")).keySet());
    }

    // ---- waiting for what goes on in the background

    /** Waits until something holds. */
    static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .until(condition);
    }

    private static <T> T await(String what, Callable<T> value, java.util.function.Predicate<T> wanted) {
        return Awaitility.await(what)
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .until(value, wanted);
    }

    @Override
    public void close() throws IOException {
        try {
            server.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
