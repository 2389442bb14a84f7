package org.anteroom.admin;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The lines of the audit log. */
class AuditTest {
    @TempDir
    Path folder;

    private final Logger logger = (Logger) LoggerFactory.getLogger("org.anteroom.audit");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private TestInventory inventory;
    private AdminServer server;

    @BeforeEach
    void start() throws Exception {
        inventory = TestInventory.open(folder);
        inventory.copy("d/a \"é.txt", inventory.volume("fast", ""));
        server = new AdminServer(
                folder,
                new AccessSettings(Access.OPEN, Access.OPEN, Access.OPEN),
                Map.of("/api/*", inventory.servlet()));
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() throws Exception {
        logger.detachAppender(lines);
        inventory.close();
        server.close();
    }

    private List<String> messages() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void a_change_leaves_one_line() throws Exception {
        server.delete("/api/v1/objects/d/a%20%22%C3%A9.txt");

        assertThat(lines.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.INFO);
        assertThat(messages().get(0))
                .matches("user=\"operator\" change=\"DELETE /api/v1/objects/d/a%20%22%C3%A9\\.txt\" status=204"
                        + " result=\"condemned copies: 1, ended fills: 0\" request=[0-9a-f]{16}");
    }

    @Test
    void asking_for_files_and_ending_fills_are_changes() throws Exception {
        server.send("operator", "PUT", "/api/v1/objects/d/b", "X-Anteroom-Request: 1");
        server.delete("/api/v1/fills/2");

        assertThat(messages()).hasSize(2);
        assertThat(messages().get(0))
                .startsWith("user=\"operator\" change=\"PUT /api/v1/objects/d/b\" status=202 result=\"asked for\" ");
        assertThat(messages().get(1))
                .startsWith("user=\"operator\" change=\"DELETE /api/v1/fills/2\" status=204"
                        + " result=\"ended the fill of d/b\" ");
    }

    @Test
    void so_does_one_that_is_refused_or_fails_with_the_id_that_the_client_got() throws Exception {
        RawHttp.Response refused = server.send("operator", "DELETE", "/api/v1/objects/d/a.txt?version=1");
        RawHttp.Response missing = server.delete("/api/v1/objects/d/missing.txt");

        assertThat(messages()).hasSize(2);
        assertThat(messages().get(0))
                .startsWith("user=\"operator\" change=\"DELETE /api/v1/objects/d/a.txt?version=1\" status=403 result=")
                .endsWith(
                        "request=" + AdminServer.json(refused).path("requestId").asText());
        assertThat(messages().get(1))
                .contains(" status=404 result=\"There is no copy of such a file.\" ")
                .endsWith(
                        "request=" + AdminServer.json(missing).path("requestId").asText());
    }

    @Test
    void reading_leaves_none() throws Exception {
        server.get("/api/v1/objects");
        server.send("operator", "OPTIONS", "/api/v1/objects");

        assertThat(messages()).isEmpty();
    }

    @Test
    void nothing_quoted_can_begin_a_line_or_end_the_quotes() {
        assertThat(Audit.quoted("a\r\nuser=\"x\" \\ \u0000\u007f\u0085\u2028\u202e\ud800 é 漢 \ud83d\ude00"))
                .isEqualTo("\"a\\u{d}\\u{a}user=\\\"x\\\" \\\\ \\u{0}\\u{7f}\\u{85}\\u{2028}\\u{202e}\\u{d800} é 漢"
                        + " \ud83d\ude00\"");
    }
}
