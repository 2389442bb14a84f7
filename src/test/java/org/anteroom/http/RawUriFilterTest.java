package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Raw addresses on a Tomcat that lets encoded slashes and backslashes pass. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RawUriFilterTest {
    private EdgeServer root;
    private EdgeServer room;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        Map<String, HttpServlet> servlets = Map.of(
                "/files/*", named("files"),
                "/api/v1/*", named("api"),
                "/console/*", named("console"),
                "/health/live", named("live"),
                "/", EdgeServer.servlet((request, response) -> response.sendError(404)));
        root = new EdgeServer(folder, "", servlets);
        room = new EdgeServer(folder, "/room", servlets);
    }

    @AfterAll
    void stop() throws Exception {
        root.close();
        room.close();
    }

    private static HttpServlet named(String name) {
        return EdgeServer.servlet(
                (request, response) -> response.getWriter().print(name + " " + RawUriFilter.target(request)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "/files/ds/a                    | files File[key=FileKey[dataset=ds, path=a, version=null], inline=false]",
                "/files/ds/a?version=1          | files File[key=FileKey[dataset=ds, path=a, version=1], inline=false]",
                "/files/ark:/1/x/a%20b          | files File[key=FileKey[dataset=ark:/1/x, path=a b, version=null], inline=false]",
                "/files/doi:10.1/x%2Fy/a        | files File[key=FileKey[dataset=doi:10.1/x/y, path=a, version=null], inline=false]",
                "/files/ds/a%5Cb                | files File[key=FileKey[dataset=ds, path=a\\b, version=null], inline=false]",
                "/files/ds/a;jsessionid=1       | files File[key=FileKey[dataset=ds, path=a;jsessionid=1, version=null], inline=false]",
                "/files/ds/a;b/c                | files File[key=FileKey[dataset=ds, path=a;b/c, version=null], inline=false]",
                "/files/ds/a%3Bb                | files File[key=FileKey[dataset=ds, path=a;b, version=null], inline=false]",
                "/files/ds/%252e%252e/a         | files File[key=FileKey[dataset=ds, path=%2e%2e/a, version=null], inline=false]",
                "http://localhost/files/ds/a    | files File[key=FileKey[dataset=ds, path=a, version=null], inline=false]",
                "/files/ds/                     | files Listing[folder=FolderKey[dataset=ds, path=, version=null]]",
                "/files                         | files Other[]",
                "/health/live                   | live Other[]",
                "/health/live?x=/../files/ds/a  | live Other[]",
                "/api/v1/objects/x%2Fy/a;b      | api Other[]",
                "/console/                      | console Other[]"
            })
    void goodAddressesArriveWhereTheySay(String target, String expected) throws IOException {
        EdgeServer.Answer answer = root.get(target);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(expected);
        if (target.startsWith("/")) {
            EdgeServer.Answer below = room.get("/room" + target);
            assertThat(below.status()).isEqualTo(200);
            assertThat(below.body()).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/files/a/%2e%2e/%2e%2e/health/live",
                "/files/a/../../health/live",
                "/files/a/..;/..;/health/live",
                "/files/a/..;x/%2e%2e;y/health/live",
                "/files/..%2F..%2Fhealth/live",
                "/files/a%2F..%2F..%2F..%2Fhealth%2Flive",
                "/files/a/..%5C..%5Chealth/live",
                "/files/ds/..%5cx",
                "/files/./ds/a",
                "/files//ds/a",
                "//files/ds/a",
                "/files/ds//a",
                "/files/ds/a%00",
                "/files/ds/a%0a",
                "/files/ds/%ff",
                "/files/ds/%c0%ae%c0%ae/a",
                "/files/ds/%",
                "/files;x/ds/a",
                "/;x/files/ds/a",
                "/%66iles/ds/a",
                "/f%69les/ds/%2e%2e/a",
                "/./files/ds/a",
                "/health/../files/ds/a",
                "/health/%2e%2e/files/ds/a",
                "/health/..;/files/ds/a",
                "/health/live/../../files/ds/a",
                "/health/./live",
                "/health//live",
                "/health/live;x",
                "/health;x/live",
                "/console/;x",
                "/console/..%2ffiles",
                "/console/..%5cfiles",
                "/api/v1/objects/a%2F%2Fb",
                "/api/v1/objects/a%2F.%2Fb",
                "/api/v1/..;/..;/files/ds/a",
                "/api/v1/%2e%2e/%2e%2e/files/ds/a",
                "/api;x/v1/pools",
                "/%61pi/v1/pools",
                "/api/v1/a%00b"
            })
    void roundaboutAddressesAreRefused(String target) throws IOException {
        assertRefused(root.get(target));
        assertRefused(room.get("/room" + target));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/room;x/files/ds/a",
                "/r%6fom/files/ds/a",
                "/x/../room/files/ds/a",
                "//room/files/ds/a",
                "/room/../room/files/ds/a",
                "/room/files/../../room/health/live"
            })
    void theContextPathIsWrittenAsItIs(String target) throws IOException {
        assertRefused(room.get(target));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nothing", "/filesystem/ds/a", "/api/", "/"})
    void whatIsNotThereIsNotFound(String target) throws IOException {
        EdgeServer.Answer answer = root.get(target);
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.body()).doesNotContain("live");
    }

    @Test
    void aRefusalIsAProblemThatEchoesNothing() throws IOException {
        EdgeServer.Answer answer = root.get("/files/secret/..;/x");
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.body())
                .startsWith("{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,"
                        + "\"detail\":\"The path has a .. segment.\",\"requestId\":\"")
                .doesNotContain("secret");
    }

    private static void assertRefused(EdgeServer.Answer answer) {
        assertThat(answer.status()).isIn(400, 404);
        assertThat(answer.body())
                .doesNotContain("live")
                .doesNotContain("files ")
                .doesNotContain("console ");
    }
}
