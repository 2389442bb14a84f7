package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what through the API, with the users and roles of a Tomcat's own file. */
class ApiIT {
    private static final String FILE = "/files/tides-2024/readme.txt";
    private static final String OBJECT = "/api/v1/objects/tides-2024/readme.txt";
    private static final String OWN_REQUEST = "X-Anteroom-Request: 1";
    private static final String VIEWER = Requests.login("reads", "r");
    private static final String OPERATOR = Requests.login("changes", "c");
    private static final String NOBODY = Requests.login("nobody", "n");

    @TempDir
    static Path base;

    private static TomcatProcess tomcat;
    private static URI uri;

    @BeforeAll
    static void start() throws Exception {
        tomcat = TomcatProcess.tomcat11(base)
                .conf("tomcat-users.xml", """
                        <tomcat-users>
                          <user username="reads" password="r" roles="anteroom-viewer"/>
                          <user username="changes" password="c" roles="anteroom-viewer,anteroom-operator"/>
                          <user username="nobody" password="n" roles="manager-gui"/>
                        </tomcat-users>
                        """)
                .property("anteroom.access.metrics", "viewer")
                .start();
        uri = tomcat.uri();
    }

    @AfterAll
    static void stop() {
        tomcat.close();
    }

    @Test
    void readingNeedsALogin() throws IOException {
        RawHttp.Response anonymous = RawHttp.get(uri, "/api/v1/volumes");
        assertProblem(anonymous, 401);
        assertThat(anonymous.header("WWW-Authenticate").orElse("")).startsWith("Basic realm=\"Anteroom\"");
        assertProblem(RawHttp.get(uri, "/api/v1/volumes", Requests.login("reads", "wrong")), 401);
        assertProblem(RawHttp.get(uri, "/api/v1/volumes", NOBODY), 403);
        assertThat(RawHttp.get(uri, "/api/v1/volumes", VIEWER).status()).isEqualTo(200);
        assertThat(RawHttp.get(uri, "/api/v1/volumes", OPERATOR).status()).isEqualTo(200);
    }

    @Test
    void otherMethodsAndAddressesNeedALoginToo() throws IOException {
        for (String method : new String[] {"PUT", "POST", "PATCH", "DELETE", "OPTIONS", "BREW"}) {
            assertThat(RawHttp.exchange(uri, method, OBJECT, OWN_REQUEST).status())
                    .as(method)
                    .isEqualTo(401);
        }
        // however the address is written
        for (String target :
                new String[] {"/api/v1/volumes/", "/api/", "/api/v1/nothing", "/api", "/%61pi/v1/volumes"}) {
            assertThat(RawHttp.get(uri, target).status())
                    .as(target)
                    .isNotEqualTo(200)
                    .isNotEqualTo(500);
        }
    }

    @Test
    void metricsNeedALoginWhereThatIsSet() throws IOException {
        assertProblem(RawHttp.get(uri, "/metrics"), 401);
        assertProblem(RawHttp.get(uri, "/metrics", NOBODY), 403);
        assertThat(RawHttp.get(uri, "/metrics", VIEWER).text()).contains("anteroom_requests_total");
        assertThat(RawHttp.get(uri, "/health/live").status()).isEqualTo(200);
    }

    @Test
    void changingNeedsTheOperatorsRoleAndAHeaderOfOnesOwn() throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of("src/main/resources/sample-archive/tides-readme.txt"));
        Requests.awaitHit(uri, FILE, bytes);
        assertThat(state()).isEqualTo("cached");

        assertProblem(RawHttp.exchange(uri, "DELETE", OBJECT, OWN_REQUEST), 401);
        assertProblem(RawHttp.exchange(uri, "DELETE", OBJECT, VIEWER, OWN_REQUEST), 403);
        assertProblem(RawHttp.exchange(uri, "DELETE", OBJECT, NOBODY, OWN_REQUEST), 403);
        JsonNode refused = assertProblem(RawHttp.exchange(uri, "DELETE", OBJECT, OPERATOR), 403);
        assertThat(refused.path("detail").asText()).contains(OWN_REQUEST);
        assertThat(state()).isEqualTo("cached");

        RawHttp.Response done = RawHttp.exchange(uri, "DELETE", OBJECT, OPERATOR, OWN_REQUEST);
        assertThat(done.status()).isEqualTo(204);
        assertThat(done.body()).isEmpty();
        assertThat(state()).isEqualTo("condemned");
        assertProblem(RawHttp.exchange(uri, "DELETE", "/api/v1/objects/tides-2024/none", OPERATOR, OWN_REQUEST), 404);
        RawHttp.Response again = Requests.assertWhole(RawHttp.get(uri, FILE), bytes);
        assertThat(Requests.cacheStatus(again)).startsWith("anteroom; fwd=");
    }

    private static String state() throws IOException {
        return Requests.json(RawHttp.get(uri, OBJECT, VIEWER))
                .path("copies")
                .get(0)
                .path("state")
                .asText();
    }

    private static JsonNode assertProblem(RawHttp.Response response, int status) throws IOException {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.header("Content-Type").orElse("")).startsWith("application/problem+json");
        JsonNode problem = Requests.json(response);
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asText()).isNotEmpty();
        assertThat(problem.path("detail").asText()).isNotEmpty().doesNotContain("Exception", "Tomcat");
        return problem;
    }
}
