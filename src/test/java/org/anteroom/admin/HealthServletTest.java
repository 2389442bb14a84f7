package org.anteroom.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.anteroom.admin.Health.Component;
import org.anteroom.admin.Health.Kind;
import org.anteroom.admin.Health.Stage;
import org.anteroom.admin.Health.State;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the health pages tell everybody. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HealthServletTest {
    private static final List<Component> COMPONENTS = List.of(
            new Component("inventory", Kind.POOL, State.AWAY, "it cannot be reached"),
            new Component("fast", Kind.VOLUME, State.DEGRADED, "its identity marker is missing"),
            new Component("bulk", Kind.VOLUME, State.OK, ""),
            new Component("directory", Kind.ARCHIVE, State.OK, ""));

    private volatile Health health = new Health(Stage.STARTING, "", false, List.of());
    private AdminServer server;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        server = new AdminServer(
                folder,
                new AccessSettings(Access.OPEN, Access.OPEN, Access.OPEN),
                Map.of("/health/*", new HealthServlet(() -> health)));
    }

    @AfterAll
    void stop() throws Exception {
        server.close();
    }

    private RawHttp.Response ready(Stage stage, String reason, boolean servable) throws Exception {
        health = new Health(stage, reason, servable, COMPONENTS);
        return server.send(null, "GET", "/health/ready");
    }

    @Test
    void ready_names_each_component_with_its_state_and_reason() throws Exception {
        RawHttp.Response response = ready(Stage.READY, "", true);

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.header("Content-Type")).hasValue("application/json");
        assertThat(response.header("Cache-Control")).hasValue("no-store");
        assertThat(response.text()).isEqualTo("""
                {"state":"ready","reason":null,\
                "pools":[{"name":"inventory","state":"away","reason":"it cannot be reached"}],\
                "volumes":[{"name":"fast","state":"degraded","reason":"its identity marker is missing"},\
                {"name":"bulk","state":"ok","reason":null}],\
                "archives":[{"name":"directory","state":"ok","reason":null}]}""");
    }

    @ParameterizedTest
    @CsvSource({
        "STARTING,the inventory is being opened,true,starting",
        "STARTING,'',false,starting",
        "STOPPING,transfers are ending,true,stopping",
        "READY,'',false,unavailable"
    })
    void it_is_503_only_while_nothing_is_to_be_sent_there(Stage stage, String reason, boolean servable, String state)
            throws Exception {
        RawHttp.Response response = ready(stage, reason, servable);

        assertThat(response.status()).isEqualTo(503);
        assertThat(response.header("Retry-After")).isPresent();
        JsonNode body = AdminServer.json(response);
        assertThat(body.path("state").asText()).isEqualTo(state);
        assertThat(body.path("volumes").size()).isEqualTo(2);
        if (stage != Stage.READY && !reason.isEmpty()) {
            assertThat(body.path("reason").asText()).isEqualTo(reason);
        }
    }

    @ParameterizedTest
    @CsvSource({"STARTING", "READY", "STOPPING"})
    void live_is_200_as_long_as_anything_answers(Stage stage) throws Exception {
        health = new Health(stage, "", false, List.of());

        RawHttp.Response response = server.send(null, "GET", "/health/live");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("{\"state\":\"live\"}");
        assertThat(server.send(null, "HEAD", "/health/live").status()).isEqualTo(200);
    }

    @Test
    void nothing_else_is_here_and_nothing_is_changed() throws Exception {
        assertThat(server.send(null, "GET", "/health").status()).isEqualTo(404);
        assertThat(server.send(null, "GET", "/health/other").status()).isEqualTo(404);
        RawHttp.Response post = server.send(null, "POST", "/health/ready", "Content-Length: 0");
        assertThat(post.status()).isEqualTo(405);
        assertThat(post.header("Allow")).hasValue("GET, HEAD");
    }
}
