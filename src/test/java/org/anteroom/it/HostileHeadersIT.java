package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No header of any answer has bytes that a client chose, unescaped: not from addresses, nor from fields. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileHeadersIT {
    /** What would be seen of a hostile text that stands between two marks, were it not escaped. */
    private static final Pattern UNESCAPED =
            Pattern.compile("zq[^a-z]*[^\\x20-\\x7e][^a-z]*qz|zq[^a-z]*[\"\\\\][^a-z]*qz");

    private static final Pattern HEADER = Pattern.compile("[A-Za-z][A-Za-z0-9-]*: ?[\\x20-\\x7e]*");

    private static final List<String> FIELDS = List.of(
            "Range",
            "If-Range",
            "If-Match",
            "If-None-Match",
            "If-Modified-Since",
            "If-Unmodified-Since",
            "Want-Repr-Digest",
            "Accept",
            "Accept-Encoding",
            "Accept-Language",
            "Origin",
            "Referer",
            "Cookie",
            "User-Agent",
            "Forwarded",
            "X-Forwarded-Host",
            "X-Forwarded-Proto",
            "X-Request-Id",
            "Authorization",
            "Access-Control-Request-Method",
            "Access-Control-Request-Headers");

    private Site site;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        site = Site.start(Site.Server.TOMCAT, folder);
        for (String name :
                List.of("zq\"qz", "zq\\qz", "zq\u00e9qz", "zq<qz", "zq\u2028qz", "zq;, qz", "zq%0d%0aX-Evil: yqz")) {
            Files.writeString(site.archiveFolder().resolve(Site.DATASET).resolve(name), "0123456789".repeat(100));
        }
    }

    @AfterAll
    void stop() throws IOException {
        site.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zq\"qz",
                "zq\\qz",
                "zq\u00e9qz",
                "zq\u2028qz",
                "zq<qz",
                "zq;, qz",
                "zq\r\nX-Evil: yqz",
                "zq\nX-Evil: yqz",
                "zq\rX-Evil: yqz",
                "zq%0d%0aX-Evil: yqz",
                "zq\u560a\u560dX-Evil: yqz",
                "zq\u0000qz",
                "zq\u007fqz",
                "zq\u0085qz",
                "zq\tqz"
            })
    void nothingIsEchoedUnescaped(String evil) throws IOException {
        String encoded = URLEncoder.encode(evil, StandardCharsets.UTF_8).replace("+", "%20");
        for (String target : List.of(
                "/files/d/" + encoded,
                "/files/d/" + encoded + "?disposition=inline",
                "/files/d/" + encoded + "/x",
                "/files/d/" + encoded + "/",
                "/files/" + encoded,
                "/files/" + encoded + "/x",
                "/files/" + encoded + "/",
                "/files/ark:/1/" + encoded,
                "/files/doi:10.1/" + encoded + "%2Fx",
                "/files/d/x?version=" + encoded,
                "/files/d/x?disposition=" + encoded,
                "/files/d/?" + encoded + "=" + encoded,
                "/files/d/?after=" + encoded + "&format=" + encoded,
                "/" + encoded,
                "/health/" + encoded,
                "/api/v1/objects?prefix=" + encoded,
                "/api/v1/objects/" + encoded + "/x")) {
            for (String method : List.of("GET", "HEAD", "OPTIONS")) {
                ask(method, target);
            }
            ask("GET", target, "Range: bytes=0-0");
            ask("GET", target, "Range: bytes=0-0,500-500");
            ask("GET", target, "If-None-Match: *");
            ask("GET", target, "If-Match: \"x\"");
            ask("GET", target, "Range: bytes=1000-");
            ask("GET", target, "Accept: text/html");
        }
        if (evil.indexOf('\n') >= 0 || evil.indexOf('\r') >= 0) {
            return; // as they are, they end the line, and what comes after is the client's own next one
        }
        String raw = new String(evil.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        for (String name : FIELDS) {
            for (String target :
                    List.of("/files/d/zq%22qz", "/files/d/none", "/files/d/", "/health/live", "/api/v1/volumes")) {
                ask("GET", target, name + ": " + raw);
                ask("OPTIONS", target, name + ": " + raw);
            }
        }
        ask("GET", "/files/d/" + raw);
        ask("GET", "/files/" + raw + "/");
        ask("GET" + raw, "/files/d/zq%22qz");
    }

    private void ask(String method, String target, String... fields) throws IOException {
        RawHttp.Response answer = RawHttp.exchange(site.uri(), method, target, fields);
        assertThat(answer.status()).as("%s %s", method, target).isNotEqualTo(500);
        for (String header : answer.headers()) {
            assertThat(header).as("%s %s", method, target).matches(HEADER);
            assertThat(header).as("%s %s", method, target).doesNotStartWith("X-Evil");
            assertThat(UNESCAPED.matcher(header).find())
                    .as("%s %s: %s", method, target, header)
                    .isFalse();
        }
    }
}
