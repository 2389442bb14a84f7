package org.anteroom.lab;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hits against a bare servlet and Tomcat's DefaultServlet, all in one Tomcat as {@code tomcat-conf/} sets it up: alternating
 * pairs at 16 connections, the server pinned to core 0 and wrk to core 1. Needs wrk and taskset.
 *
 * <p>Pairs: {@code -Dlab.pairs} (10, more until the interval is narrow), seconds of each run: {@code -Dlab.seconds} (3).
 */
@Tag("lab")
class HitsLabIT {
    private static final int PAIRS = Integer.getInteger("lab.pairs", 10);
    private static final int SECONDS = Integer.getInteger("lab.seconds", 3);
    private static final int CONNECTIONS = 16;

    private static final Map<String, Integer> SIZES = new LinkedHashMap<>();

    static {
        SIZES.put("10 KB", 10_000);
        SIZES.put("100 KB", 100_000);
        SIZES.put("1 MB", 1_000_000);
        SIZES.put("10 MB", 10_000_000);
    }

    @TempDir
    Path temp;

    private final StringBuilder table = new StringBuilder();

    @Test
    void hits_against_servlets_of_the_same_tomcat() throws Exception {
        Path base = temp.resolve("base");
        Path folder = temp.resolve("archive/set");
        Files.createDirectories(folder);
        for (int size : SIZES.values()) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            Files.write(folder.resolve(size + ".bin"), bytes);
        }
        deployBare(base, folder);
        deployStatic(base, folder);
        try (TomcatProcess tomcat = TomcatProcess.tomcat11(base)
                .property("anteroom.archive.location", temp.resolve("archive").toString())
                .start()) {
            Wrk.pinServer(tomcat.pid());
            for (int size : SIZES.values()) {
                Wrk.awaitHit(tomcat.uri().resolve("files/set/" + size + ".bin"), size);
            }
            line(
                    "| size | Anteroom, requests/s | bare servlet | ratio [95 %] | pairs | DefaultServlet | ratio [95 %] | pairs |");
            line("|---|---|---|---|---|---|---|---|");
            for (Map.Entry<String, Integer> size : SIZES.entrySet()) {
                measure(tomcat, size.getKey(), size.getValue() + ".bin");
            }
        }
        Path report = Path.of("target/lab/hits.md");
        Files.createDirectories(report.getParent());
        Files.writeString(report, table);
    }

    private void measure(TomcatProcess tomcat, String label, String file) throws Exception {
        Wrk load = new Wrk(CONNECTIONS, SECONDS);
        URI ours = tomcat.uri().resolve("files/set/" + file);
        URI bare = tomcat.uri().resolve("bare/" + file);
        URI plain = tomcat.uri().resolve("static/" + file);
        for (URI uri : List.of(ours, bare, plain, ours, bare, plain)) {
            load.rate(uri);
        }
        Pairs againstBare = Pairs.measure(PAIRS, () -> load.rate(ours), () -> load.rate(bare));
        Pairs againstPlain = Pairs.measure(PAIRS, () -> load.rate(ours), () -> load.rate(plain));
        line("| " + label + " | " + againstBare.first() + " | " + againstBare.second() + " | "
                + againstBare.ratio().text() + " | " + againstBare.ratio().pairs() + " | "
                + againstPlain.second() + " | " + againstPlain.ratio().text() + " | "
                + againstPlain.ratio().pairs() + " |");
    }

    private static void deployBare(Path base, Path folder) throws IOException {
        Path classes = base.resolve("webapps/bare/WEB-INF/classes/org/anteroom/lab");
        Files.createDirectories(classes);
        try (InputStream in = BareServlet.class.getResourceAsStream("BareServlet.class")) {
            Files.copy(in, classes.resolve("BareServlet.class"));
        }
        Files.writeString(base.resolve("webapps/bare/WEB-INF/web.xml"), """
                <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
                  <context-param><param-name>folder</param-name><param-value>%s</param-value></context-param>
                  <servlet>
                    <servlet-name>bare</servlet-name>
                    <servlet-class>org.anteroom.lab.BareServlet</servlet-class>
                  </servlet>
                  <servlet-mapping><servlet-name>bare</servlet-name><url-pattern>/*</url-pattern></servlet-mapping>
                </web-app>
                """.formatted(folder));
    }

    private static void deployStatic(Path base, Path folder) throws IOException {
        Path web = base.resolve("webapps/static");
        Files.createDirectories(web);
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.copy(file, web.resolve(file.getFileName()));
            }
        }
    }

    private void line(String text) {
        System.out.println(text);
        table.append(text).append('\n');
    }
}
