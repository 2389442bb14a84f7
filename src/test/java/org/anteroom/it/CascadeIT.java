package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An instance whose archive is another instance. */
@Timeout(60)
class CascadeIT {
    @TempDir
    Path folder;

    @Test
    void answersAreTheSameBeforeAndBehind() throws Exception {
        try (Site behind = Site.start(Site.Server.JETTY, folder.resolve("behind"));
                Site before = Site.start(
                        Site.Server.TOMCAT,
                        folder.resolve("before"),
                        "archive.kind",
                        "http",
                        "archive.location",
                        behind.uri() + "files")) {
            for (String name : List.of("a.csv", "潮位 \"二〇二四\" 100%25+;@.bin", "back\\slash", "~.-_")) {
                byte[] bytes = behind.put(name, 300_000);
                RawHttp.Response first = before.get(name, "Range: bytes=100000-100099");
                assertThat(first.status()).isEqualTo(206);
                assertThat(first.body()).isEqualTo(Arrays.copyOfRange(bytes, 100_000, 100_100));
                RawHttp.Response hit = before.getHit(name);
                RawHttp.Response original = behind.getHit(name);
                assertThat(hit.body()).isEqualTo(bytes);
                for (String field : List.of("ETag", "Last-Modified", "Content-Type", "Content-Length", "Repr-Digest")) {
                    assertThat(hit.header(field)).as(field).isPresent().isEqualTo(original.header(field));
                }
            }
            assertThat(before.get("none").status()).isEqualTo(404);
        }
    }
}
