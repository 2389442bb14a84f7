package org.anteroom.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
    private static final int MOST_PAIRS = 30;
    private static final int SECONDS = Integer.getInteger("lab.seconds", 3);
    private static final int CONNECTIONS = 16;
    private static final double WIDEST = 0.10;
    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");

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
            run("taskset", "-a", "-c", "-p", "0", String.valueOf(tomcat.pid()));
            for (int size : SIZES.values()) {
                fill(tomcat.uri().resolve("files/set/" + size + ".bin"), size);
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
        URI ours = tomcat.uri().resolve("files/set/" + file);
        URI bare = tomcat.uri().resolve("bare/" + file);
        URI plain = tomcat.uri().resolve("static/" + file);
        for (URI uri : List.of(ours, bare, plain, ours, bare, plain)) {
            wrk(uri);
        }
        Pairs againstBare = pairs(ours, bare);
        Pairs againstPlain = pairs(ours, plain);
        line("| " + label + " | " + median(againstBare.ours()) + " | " + median(againstBare.other()) + " | "
                + show(againstBare.ratio()) + " | " + againstBare.ratio().pairs() + " | "
                + median(againstPlain.other()) + " | " + show(againstPlain.ratio()) + " | "
                + againstPlain.ratio().pairs() + " |");
    }

    private record Pairs(List<Double> ours, List<Double> other, Ratio ratio) {}

    /** Pairs in alternating order, more of them until the interval is narrow enough. */
    private static Pairs pairs(URI ours, URI other) throws Exception {
        List<Double> a = new ArrayList<>();
        List<Double> b = new ArrayList<>();
        while (true) {
            if (a.size() % 2 == 0) {
                a.add(wrk(ours));
                b.add(wrk(other));
            } else {
                b.add(wrk(other));
                a.add(wrk(ours));
            }
            if (a.size() >= PAIRS) {
                Ratio ratio = Ratio.of(a, b);
                if (ratio.width() <= WIDEST || a.size() >= MOST_PAIRS) {
                    return new Pairs(a, b, ratio);
                }
            }
        }
    }

    private static double wrk(URI uri) throws Exception {
        String output =
                run("taskset", "-c", "1", "wrk", "-t1", "-c" + CONNECTIONS, "-d" + SECONDS + "s", uri.toString());
        assertThat(output).as("answers of %s", uri).doesNotContain("Non-2xx").doesNotContain("Socket errors");
        Matcher rate = RATE.matcher(output);
        assertThat(rate.find()).as(output).isTrue();
        return Double.parseDouble(rate.group(1));
    }

    private static void fill(URI uri, int size) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        for (int i = 0; i < 100; i++) {
            HttpResponse<byte[]> answer =
                    client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofByteArray());
            assertThat(answer.body()).hasSize(size);
            if (answer.headers().firstValue("Cache-Status").orElse("").equals("anteroom; hit")) {
                return;
            }
        }
        throw new AssertionError(uri + " is never a hit");
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

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    private static String median(List<Double> rates) {
        List<Double> sorted = rates.stream().sorted().toList();
        return String.format(Locale.ROOT, "%,.0f", sorted.get(sorted.size() / 2));
    }

    private static String show(Ratio ratio) {
        return String.format(Locale.ROOT, "%.3f [%.3f, %.3f]", ratio.mean(), ratio.low(), ratio.high());
    }

    private void line(String text) {
        System.out.println(text);
        table.append(text).append('\n');
    }
}
