package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.benmanes.caffeine.cache.Ticker;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.anteroom.delivery.ResponsePlan;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.testing.PlainHeaders;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** RFC 9457: what failures look like to clients, on a Tomcat. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Rfc9457Test {
    private static final String BROWSER =
            "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
    private static final String NASTY = "a \"quoted\" <b>&'name'</b> \\ \n\u0001 \u89b3";

    private final AnswerLog answers = new AnswerLog(Ticker.systemTicker());
    private EdgeServer server;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        Map<String, HttpServlet> servlets = Map.of(
                "/reason/*",
                EdgeServer.servlet((request, response) -> {
                    response.setHeader("ETag", "\"1\"");
                    response.setContentLengthLong(1 << 20);
                    response.getOutputStream();
                    String reason = request.getPathInfo().substring(1);
                    throw new FailureException(FailureReason.valueOf(reason), NASTY);
                }),
                "/bug",
                EdgeServer.servlet((request, response) -> {
                    throw new IllegalStateException("/secret/path, select * from copies");
                }),
                "/async",
                EdgeServer.servlet((request, response) -> {
                    AsyncContext async = request.startAsync();
                    async.start(() -> {
                        try {
                            Refused.send(
                                    request,
                                    response,
                                    new FailureException(FailureReason.ARCHIVE_TIMEOUT, "Too late."),
                                    answers);
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        } finally {
                            async.complete();
                        }
                    });
                }),
                "/late",
                EdgeServer.servlet((request, response) -> {
                    response.setContentLengthLong(100);
                    response.getOutputStream().print("half");
                    response.flushBuffer();
                    assertThat(Refused.send(request, response, new IOException("gone"), answers))
                            .isFalse();
                    throw new FailureException(FailureReason.ARCHIVE_FAILED, "The archive broke off.");
                }),
                "/file",
                EdgeServer.servlet((request, response) -> {
                    FileFacts facts = new FileFacts(10, null, "\"1\"", null, null);
                    ResponsePlan plan = ResponsePlan.decide(
                            FileRequests.of(request, false),
                            PlainHeaders.of(FileKey.of("ds", "a"), facts),
                            InstantSource.fixed(Instant.EPOCH));
                    if (plan.status() >= 400) {
                        Refused.send(request, response, plan, answers);
                    } else {
                        response.setStatus(plan.status());
                    }
                }),
                "/container/*",
                EdgeServer.servlet((request, response) -> {
                    response.setHeader("WWW-Authenticate", "Basic realm=\"x\"");
                    int status = Integer.parseInt(request.getPathInfo().substring(1));
                    response.sendError(status, "org.example.Secret");
                }));
        server = new EdgeServer(folder, "", servlets);
    }

    @AfterAll
    void stop() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(FailureReason.class)
    void everyReasonHasItsStatus(FailureReason reason) throws IOException {
        EdgeServer.Answer answer = server.get("/reason/" + reason);
        assertThat(answer.status())
                .isEqualTo(
                        switch (reason) {
                            case MALFORMED -> 400;
                            case FORBIDDEN -> 403;
                            case NOT_FOUND, NOT_LISTED -> 404;
                            case METHOD_NOT_ALLOWED -> 405;
                            case CONFLICT -> 409;
                            case CONDITION_FAILED -> 412;
                            case INTERNAL -> 500;
                            case ARCHIVE_FAILED, ARCHIVE_REFUSED, WRONG_BYTES, FILE_CHANGED -> 502;
                            case OVERLOADED, ARCHIVE_AWAY, DATABASE_AWAY, NOT_READY -> 503;
                            case ARCHIVE_TIMEOUT -> 504;
                        });
        JsonNode problem = problem(answer);
        assertThat(problem.path("detail").asText()).isEqualTo(NASTY);
        assertThat(answer.header("Retry-After").isEmpty()).isEqualTo(answer.status() != 503);
        assertThat(answer.header("Allow").isEmpty()).isEqualTo(answer.status() != 405);
        assertThat(answer.header("ETag")).isEmpty();
    }

    @Test
    void aBrowserGetsAPageWithEverythingEscaped() throws IOException {
        EdgeServer.Answer answer = server.get("/reason/NOT_FOUND", BROWSER);
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.header("Content-Type")).isEqualToIgnoringCase("text/html;charset=utf-8");
        assertThat(answer.header("Content-Security-Policy")).isEqualTo("default-src 'none'");
        assertThat(answer.body())
                .contains("a &quot;quoted&quot; &lt;b&gt;&amp;&#39;name&#39;&lt;/b&gt;")
                .doesNotContain("<b>");
    }

    @Test
    void headHasTheHeadersAlone() throws IOException {
        EdgeServer.Answer get = server.get("/reason/NOT_FOUND");
        EdgeServer.Answer head = server.send("HEAD", "/reason/NOT_FOUND");
        assertThat(head.status()).isEqualTo(404);
        assertThat(head.body()).isEmpty();
        assertThat(head.header("Content-Type")).isEqualTo(get.header("Content-Type"));
        assertThat(Integer.parseInt(head.header("Content-Length"))).isPositive();
    }

    @Test
    void aFaultOfOurOwnTellsNothingButItsId() throws IOException {
        EdgeServer.Answer answer = server.get("/bug");
        assertThat(answer.status()).isEqualTo(500);
        JsonNode problem = problem(answer);
        assertThat(problem.path("requestId").asText()).matches("[0-9a-f]{16}").isEqualTo(answer.header("X-Request-Id"));
        assertThat(answer.body())
                .doesNotContain("secret")
                .doesNotContain("select")
                .doesNotContain("Exception");
    }

    @Test
    void requestIdsDiffer() throws IOException {
        assertThat(problem(server.get("/bug")).path("requestId"))
                .isNotEqualTo(problem(server.get("/bug")).path("requestId"));
    }

    @Test
    void asynchronousWorkAnswersTheSameWay() throws IOException {
        EdgeServer.Answer answer = server.get("/async");
        assertThat(answer.status()).isEqualTo(504);
        assertThat(problem(answer).path("detail").asText()).isEqualTo("Too late.");
    }

    @Test
    void aFailureAfterTheHeadersBreaksTheTransfer() throws IOException {
        EdgeServer.Answer answer = server.get("/late");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Length")).isEqualTo("100");
        assertThat(answer.body()).isEqualTo("half");
    }

    @Test
    void rangesAndConditionsThatFailAreProblemsToo() throws IOException {
        EdgeServer.Answer range = server.get("/file", "Range: bytes=10-");
        assertThat(range.status()).isEqualTo(416);
        assertThat(range.header("Content-Range")).isEqualTo("bytes */10");
        assertThat(problem(range).path("title").asText()).isEqualTo("Range Not Satisfiable");
        EdgeServer.Answer condition = server.get("/file", "If-Match: \"2\"");
        assertThat(condition.status()).isEqualTo(412);
        assertThat(problem(condition).path("title").asText()).isEqualTo("Precondition Failed");
    }

    @Test
    void aFieldOnSeveralLinesIsOneList() throws IOException {
        assertThat(server.get("/file", "If-None-Match: \"2\"", "If-None-Match: \"1\"")
                        .status())
                .isEqualTo(304);
        assertThat(server.get("/file", "Range: bytes=10-", "Range: bytes=11-").status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"401", "403", "404", "405", "418", "500", "503", "599"})
    void theContainersErrorsHaveTheSameShape(int status) throws IOException {
        EdgeServer.Answer answer = server.get("/container/" + status);
        assertThat(answer.status()).isEqualTo(status);
        problem(answer);
        assertThat(answer.body()).doesNotContain("Secret");
        assertThat(answer.header("WWW-Authenticate")).isEqualTo("Basic realm=\"x\"");
    }

    @Test
    void theErrorPageByItsOwnAddressIsNotFound() throws IOException {
        EdgeServer.Answer answer = server.get("/error");
        assertThat(answer.status()).isEqualTo(404);
        problem(answer);
    }

    private static JsonNode problem(EdgeServer.Answer answer) throws IOException {
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.header("Vary")).isEqualTo("Accept");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        JsonNode problem = new ObjectMapper().readTree(answer.body());
        assertThat(problem.path("type").asText()).isEqualTo("about:blank");
        assertThat(problem.path("status").asInt()).isEqualTo(answer.status());
        assertThat(problem.path("title").asText()).isNotEmpty();
        assertThat(problem.path("detail").asText()).isNotEmpty();
        assertThat(problem.path("requestId").asText()).isNotEmpty();
        return problem;
    }
}
