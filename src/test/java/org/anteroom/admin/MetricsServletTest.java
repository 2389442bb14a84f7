package org.anteroom.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.metrics.Metrics;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The figures as text. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetricsServletTest {
    private AdminServer server;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        Metrics metrics = new Metrics().withJvm();
        metrics.counter("anteroom_things", "Things that happened", "kind")
                .labelValues("a \"quoted\" one")
                .inc(3);
        server = new AdminServer(
                folder,
                new AccessSettings(Access.OPEN, Access.OPEN, Access.OPEN),
                Map.of("/metrics", new MetricsServlet(metrics)));
    }

    @AfterAll
    void stop() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-None: 1",
                "Accept: */*",
                "Accept: text/plain",
                "Accept: application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited",
                "Accept: application/vnd.google.protobuf;q=0.9,text/plain;version=0.0.4;q=0.1",
                "Accept: ;;,,"
            })
    void they_are_prometheus_text(String accept) throws Exception {
        RawHttp.Response response = server.send(null, "GET", "/metrics", accept);

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.header("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain;version=0.0.4"));
        assertThat(response.header("Cache-Control")).hasValue("no-store");
        assertThat(response.text())
                .contains("# TYPE anteroom_things_total counter\n")
                .contains("anteroom_things_total{kind=\"a \\\"quoted\\\" one\"} 3.0\n")
                .contains("jvm_memory_used_bytes{area=\"heap\"}")
                .doesNotContain("# EOF");
    }

    @Test
    void they_are_open_metrics_for_who_accepts_that() throws Exception {
        RawHttp.Response response = server.send(
                null,
                "GET",
                "/metrics",
                "Accept: application/vnd.google.protobuf;q=0.7,application/openmetrics-text;version=1.0.0;q=0.6,*/*;q=0.1");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.header("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/openmetrics-text"));
        assertThat(response.text()).contains("# TYPE anteroom_things counter\n").endsWith("# EOF\n");
    }

    @Test
    void a_head_has_no_body_and_a_post_is_405() throws Exception {
        RawHttp.Response head = server.send(null, "HEAD", "/metrics");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.header("Content-Length")).isPresent();

        assertThat(server.send(null, "POST", "/metrics", "Content-Length: 0").status())
                .isEqualTo(405);
    }
}
