package org.anteroom.admin;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.metrics.Metrics;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may read files, health and metrics, by the configuration. */
class AccessFilterTest {
    private static final Map<String, String> PAGES =
            Map.of("/files/d/a.txt", "files", "/health/live", "health", "/metrics", "metrics");

    @TempDir
    Path folder;

    private AdminServer server(AccessSettings access) throws Exception {
        return new AdminServer(
                folder,
                access,
                Map.of(
                        "/files/*",
                        new Greeting(),
                        "/health/*",
                        new HealthServlet(() -> new Health(Health.Stage.READY, "", true, List.of())),
                        "/metrics",
                        new MetricsServlet(new Metrics())));
    }

    private static final class Greeting extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().write("hello " + request.getRemoteUser());
        }
    }

    @Test
    void open_asks_nobody() throws Exception {
        try (AdminServer server = server(new AccessSettings(Access.OPEN, Access.OPEN, Access.OPEN))) {
            for (String page : PAGES.keySet()) {
                assertThat(server.send(null, "GET", page).status()).as(page).isEqualTo(200);
                assertThat(server.send("stranger", "GET", page).status())
                        .as(page)
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void viewer_asks_for_a_login_with_a_role() throws Exception {
        try (AdminServer server = server(new AccessSettings(Access.VIEWER, Access.VIEWER, Access.VIEWER))) {
            for (String page : PAGES.keySet()) {
                RawHttp.Response unknown = server.send(null, "GET", page);
                assertThat(unknown.status()).as(page).isEqualTo(401);
                assertThat(unknown.header("WWW-Authenticate"))
                        .hasValueSatisfying(challenge -> assertThat(challenge).startsWith("Basic realm=\"Anteroom\""));
                assertThat(AdminServer.json(unknown).path("detail").asText()).isEqualTo("This needs a login.");
                RawHttp.Response stranger = server.send("stranger", "GET", page);
                assertThat(stranger.status()).as(page).isEqualTo(403);
                assertThat(AdminServer.json(stranger).path("status").asInt()).isEqualTo(403);
                for (String user : List.of("viewer", "operator", "changer")) {
                    assertThat(server.send(user, "GET", page).status()).as(page).isEqualTo(200);
                }
            }
            assertThat(server.send("viewer", "GET", "/files/d/a.txt").text()).isEqualTo("hello viewer");
        }
    }

    @Test
    void each_kind_of_page_has_a_setting_of_its_own() throws Exception {
        for (String closed : PAGES.values()) {
            AccessSettings access = new AccessSettings(
                    closed.equals("files") ? Access.VIEWER : Access.OPEN,
                    closed.equals("health") ? Access.VIEWER : Access.OPEN,
                    closed.equals("metrics") ? Access.VIEWER : Access.OPEN);
            try (AdminServer server = server(access)) {
                for (Map.Entry<String, String> page : PAGES.entrySet()) {
                    assertThat(server.send(null, "GET", page.getKey()).status())
                            .as("%s with %s closed", page.getKey(), closed)
                            .isEqualTo(page.getValue().equals(closed) ? 401 : 200);
                }
            }
        }
    }
}
