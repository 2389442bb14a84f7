package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a real Tomcat hands out as a DataSource.
 *
 * <p>Tomcat runs on a class path of its own, without the SQLite driver and the classes of Anteroom: these lie only in
 * the web application, as they do in production.
 */
class ContainerPoolTest {

    private static final List<String> CONTAINER = List.of("tomcat-", "jakarta.servlet-api-", "jakarta.annotation-api-");
    private static final List<String> APPLICATION = List.of("sqlite-jdbc-", "HikariCP-", "slf4j-api-");

    @TempDir
    Path temporary;

    private Path root;

    @BeforeEach
    void layOutTheApplication() throws IOException {
        root = temporary.toRealPath().resolve("app");
        Path classes = Files.createDirectories(root.resolve("WEB-INF/classes/org/anteroom/config"));
        Path lib = Files.createDirectories(root.resolve("WEB-INF/lib"));
        for (Path jar : jars(APPLICATION)) {
            Files.copy(jar, lib.resolve(jar.getFileName().toString()));
        }
        try (var compiled = Files.newDirectoryStream(Path.of("target/classes/org/anteroom/config"), "*.class")) {
            for (Path file : compiled) {
                Files.copy(file, classes.resolve(file.getFileName().toString()));
            }
        }
        copyClass("LookupServlet.class", classes);
    }

    @AfterEach
    void forgetTomcatsNaming() {
        // set for the whole JVM by Tomcat; they would break other containers' naming
        System.clearProperty("java.naming.factory.initial");
        System.clearProperty("java.naming.factory.url.pkgs");
        System.clearProperty("catalina.base");
        System.clearProperty("catalina.home");
    }

    @Test
    void theContainersPoolFindsTheDriverOfTheApplication() throws Exception {
        assertThat(answer("org.sqlite.JDBC", "jdbc:sqlite:" + temporary.resolve("a.db"), 1))
                .isEqualTo("jdbc/anteroom/inventory org.apache.tomcat.jdbc.pool.DataSource SQLite; config /etc/x");
    }

    @Test
    void aDriverThatIsNotThereIsOneLine() throws Exception {
        assertThat(answer("org.sqlite.NoSuchDriver", "jdbc:sqlite:" + temporary.resolve("a.db"), 1))
                .isEqualTo("The DataSource jdbc/anteroom/inventory cannot be made (ClassNotFoundException:"
                        + " org.sqlite.NoSuchDriver); correct its Resource in the context descriptor, or what it connects"
                        + " to.; config /etc/x");
    }

    @Test
    void aUrlThatLeadsNowhereIsOneLine() throws Exception {
        assertThat(answer("org.sqlite.JDBC", "jdbc:sqlite:/nowhere/at/all/a.db", 1))
                .isEqualTo("The DataSource jdbc/anteroom/inventory cannot be made (SQLiteException: [SQLITE_CANTOPEN]"
                        + " Unable to open the database file (unable to open database file)); correct its Resource in the"
                        + " context descriptor, or what it connects to.; config /etc/x");
    }

    @Test
    void aPoolThatConnectsLaterIsThereWhateverItConnectsTo() throws Exception {
        assertThat(answer("org.sqlite.JDBC", "jdbc:sqlite:/nowhere/at/all/a.db", 0))
                .startsWith("org.sqlite.SQLiteException: [SQLITE_CANTOPEN]");
    }

    @SuppressWarnings("unchecked")
    private String answer(String driver, String url, int initialSize) throws Exception {
        List<URL> path = new ArrayList<>();
        for (Path jar : jars(CONTAINER)) {
            path.add(url(jar));
        }
        Path helper = Files.createDirectories(temporary.resolve("container/org/anteroom/config"));
        copyClass("IsolatedTomcat.class", helper);
        path.add(url(temporary.resolve("container")));
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            UnaryOperator<String> tomcat =
                    (UnaryOperator<String>) loader.loadClass("org.anteroom.config.IsolatedTomcat")
                            .getDeclaredConstructor()
                            .newInstance();
            return tomcat.apply(String.join(
                    "\n", temporary.toString(), root.toString(), driver, url, Integer.toString(initialSize)));
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static List<Path> jars(List<String> names) {
        List<Path> jars = new ArrayList<>();
        for (String element : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
            Path path = Path.of(element);
            String name = path.getFileName() == null ? "" : path.getFileName().toString();
            if (name.endsWith(".jar") && names.stream().anyMatch(name::startsWith)) {
                jars.add(path);
            }
        }
        return jars;
    }

    private static URL url(Path path) throws MalformedURLException {
        return path.toUri().toURL();
    }

    private static void copyClass(String name, Path folder) throws IOException {
        Path target = folder.resolve(name);
        if (!Files.exists(target)) {
            try (InputStream compiled = ContainerPoolTest.class.getResourceAsStream(name)) {
                assertThat(compiled).as(name).isNotNull();
                Files.copy(compiled, target);
            }
        }
    }
}
