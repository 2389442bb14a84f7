package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.anteroom.testing.RawHttp;

/** Requests to a running instance, and what is asked of their answers again and again. */
final class Requests {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();

    private Requests() {}

    /** Where an answer came from. */
    static String cacheStatus(RawHttp.Response response) {
        return response.header("Cache-Status").orElse("");
    }

    /** Asserts that an answer is a whole file. */
    static RawHttp.Response assertWhole(RawHttp.Response response, byte[] bytes) {
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.header("Content-Length")).contains(Integer.toString(bytes.length));
        assertThat(response.body()).isEqualTo(bytes);
        return response;
    }

    /** Asks for a file, whose bytes are always right, until it comes out of the cache. */
    static RawHttp.Response awaitHit(URI base, String target, byte[] bytes) {
        return awaitWhole(base, target, bytes, "anteroom; hit");
    }

    /** Asks for a file, whose bytes are always right, until its Cache-Status begins with a text. */
    static RawHttp.Response awaitWhole(URI base, String target, byte[] bytes, String status) {
        return await().atMost(PATIENCE)
                .until(
                        () -> assertWhole(RawHttp.get(base, target), bytes),
                        response -> cacheStatus(response).startsWith(status));
    }

    /** Asks {@code /health/ready} until a part of it is in a state. */
    static void awaitHealth(URI base, String kind, String name, String state) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(health(base, kind, name)).isEqualTo(state));
    }

    /** The state of a part of the instance: kind is pools, volumes or archives; the empty string for an unknown one. */
    static String health(URI base, String kind, String name) throws IOException {
        for (JsonNode part : json(RawHttp.get(base, "/health/ready")).path(kind)) {
            if (part.path("name").asText().equals(name)) {
                return part.path("state").asText();
            }
        }
        return "";
    }

    /** The body as JSON. */
    static JsonNode json(RawHttp.Response response) throws IOException {
        return JSON.readTree(response.body());
    }

    /** The header line of a login. */
    static String login(String user, String password) {
        return "Authorization: Basic "
                + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }
}
