package org.anteroom.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.servlet.http.HttpServlet;
import java.nio.file.Path;
import java.util.Map;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may call the API, by the application's own web.xml on a real Tomcat. */
class ApiAccessTest {
    private static final String OBJECT = "/api/v1/objects/d/a.txt";

    @TempDir
    Path folder;

    private TestInventory inventory;
    private AdminServer server;

    @BeforeEach
    void start() throws Exception {
        inventory = TestInventory.open(folder);
        inventory.copy("d/a.txt", inventory.volume("fast", ""));
        server = new AdminServer(
                folder,
                new AccessSettings(Access.OPEN, Access.OPEN, Access.OPEN),
                Map.of("/api/*", inventory.servlet(), "/console/*", new HttpServlet() {}));
    }

    @AfterEach
    void stop() throws Exception {
        inventory.close();
        server.close();
    }

    private boolean isCached() throws Exception {
        return !inventory.copies.find("d/a.txt", TestInventory.WAIT).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/volumes", "/api/v1/nothing", "/api", "/console/", "/console/x.css"})
    void nobody_reads_without_a_login(String target) throws Exception {
        RawHttp.Response response = server.send(null, "GET", target);

        assertThat(response.status()).isEqualTo(401);
        assertThat(response.header("WWW-Authenticate"))
                .hasValueSatisfying(challenge -> assertThat(challenge).startsWith("Basic realm=\"Anteroom\""));
        assertThat(response.header("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
        JsonNode problem = AdminServer.json(response);
        assertThat(problem.path("status").asInt()).isEqualTo(401);
        assertThat(problem.path("title").asText()).isEqualTo("Unauthorized");
    }

    @Test
    void a_wrong_password_is_no_login() throws Exception {
        assertThat(server.send(null, "GET", "/api/v1/volumes", "Authorization: Basic dmlld2VyOndyb25n")
                        .status())
                .isEqualTo(401);
    }

    @Test
    void a_login_without_a_role_reads_nothing() throws Exception {
        RawHttp.Response response = server.send("stranger", "GET", "/api/v1/volumes");

        assertThat(response.status()).isEqualTo(403);
        assertThat(response.header("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
        assertThat(AdminServer.json(response).path("detail").asText()).isEqualTo("This login may not do that.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"viewer", "operator", "changer"})
    void each_role_reads(String user) throws Exception {
        assertThat(server.send(user, "GET", "/api/v1/volumes").status()).isEqualTo(200);
        assertThat(server.send(user, "HEAD", "/api/v1/volumes").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "PUT", "POST", "PATCH", "OPTIONS", "PROPFIND", "delete"})
    void a_viewer_changes_nothing(String method) throws Exception {
        assertThat(server.send("viewer", method, OBJECT, "X-Anteroom-Request: 1")
                        .status())
                .isEqualTo(403);
        assertThat(isCached()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"operator", "changer"})
    void an_operator_changes(String user) throws Exception {
        RawHttp.Response response = server.send(user, "DELETE", OBJECT, "X-Anteroom-Request: 1");

        assertThat(response.status()).isEqualTo(204);
        assertThat(isCached()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {OBJECT, "/api/v1/objects/d/missing.txt", "/api/v1/objects/d/%2e%2e", "/api/v1/pools"})
    void a_change_without_its_header_is_refused_before_anything_is_looked_up(String target) throws Exception {
        boolean traversal = target.contains("%2e");
        for (String[] headers : new String[][] {{}, {"X-Anteroom-Request: 0"}, {"X-Anteroom-Request:"}}) {
            RawHttp.Response response = server.send("operator", "DELETE", target, headers);

            // what is no address at all does not get as far as the API
            assertThat(response.status()).isEqualTo(traversal ? 400 : 403);
            if (!traversal) {
                assertThat(AdminServer.json(response).path("detail").asText()).contains("X-Anteroom-Request: 1");
            }
        }
        assertThat(isCached()).isTrue();
    }

    @Test
    void the_error_page_is_nothing_by_itself() throws Exception {
        assertThat(server.send(null, "GET", "/error").status()).isEqualTo(404);
    }
}
