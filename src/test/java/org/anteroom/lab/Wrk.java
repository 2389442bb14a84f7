package org.anteroom.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Load by wrk on core 1, against servers that are pinned to core 0.
 *
 * @param connections at once
 * @param seconds of each run
 */
record Wrk(int connections, int seconds) {
    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");

    /** Requests per second; an answer other than 2xx, a broken connection or a timeout (10 s) is an error. */
    double rate(URI uri) throws Exception {
        String output = run(
                "taskset",
                "-c",
                "1",
                "wrk",
                "-t1",
                "-c" + connections,
                "-d" + seconds + "s",
                "--timeout",
                "10s",
                uri.toString());
        assertThat(output).as("answers of %s", uri).doesNotContain("Non-2xx").doesNotContain("Socket errors");
        Matcher rate = RATE.matcher(output);
        assertThat(rate.find()).as(output).isTrue();
        return Double.parseDouble(rate.group(1));
    }

    /** Has all threads of a server run on core 0. */
    static void pinServer(long pid) throws Exception {
        run("taskset", "-a", "-c", "-p", "0", String.valueOf(pid));
    }

    /** Asks for a file until it is answered from a copy. */
    static void awaitHit(URI uri, int size) throws Exception {
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

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
