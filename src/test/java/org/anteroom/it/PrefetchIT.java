package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole application: what is asked for through the API is cached before anybody reads it. */
class PrefetchIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private static JsonNode call(Site site, String method, String call, int status) throws Exception {
        RawHttp.Response answer = site.api(method, call, "");
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        return JSON.readTree(answer.body());
    }

    private static long cached(Site site, String dataset) throws Exception {
        return call(site, "GET", "objects/" + dataset, 200)
                .path("cached")
                .path("count")
                .asLong();
    }

    @Test
    void everyFileOfADatasetIsHitByItsFirstReader() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            Map<String, byte[]> files = new TreeMap<>();
            for (int i = 0; i < 20; i++) {
                String name = (i % 2 == 0 ? "it's %20 \"" : "日本's ") + i + ".bin";
                files.put(name, site.put(name, 1000 + i));
            }
            files.put("empty", site.put("empty", 0));
            Path below = Files.createDirectories(site.archiveFolder().resolve("d/below/further"));
            Files.writeString(below.resolve("file"), "further below");

            assertThat(site.api("PUT", "objects/nothing/", "").status()).isEqualTo(404);
            assertThat(site.api("PUT", "objects/d/nothing", "").status()).isEqualTo(404);
            JsonNode asked = call(site, "PUT", "objects/d/", 202);
            assertThat(asked.path("files").asInt()).isEqualTo(22);
            assertThat(asked.path("queued").asInt()).isEqualTo(22);
            assertThat(asked.path("next").isNull()).isTrue();
            Site.await("all are cached", () -> cached(site, "d/") == 22);

            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                RawHttp.Response answer = site.get(file.getKey());
                assertThat(Site.cacheStatus(answer)).as(file.getKey()).isEqualTo("anteroom; hit");
                assertThat(answer.body()).isEqualTo(file.getValue());
                assertThat(site.archive().opens(file.getKey())).isEqualTo(1);
            }
            assertThat(RawHttp.get(site.uri(), "/files/d/below/further/file").text())
                    .isEqualTo("further below");
            assertThat(call(site, "PUT", "objects/d/", 202).path("cached").asInt())
                    .isEqualTo(22);
            assertThat(call(site, "PUT", "objects/d/empty", 200).path("state").asText())
                    .isEqualTo("cached");
            assertThat(site.row("SELECT COUNT(*) FROM fills")).containsExactly(22);
            assertThat(site.row("SELECT reserved, copies FROM volumes")).containsExactly(0, 22);
        }
    }

    /** What a stop breaks off is in the queue, and the next boot begins it at once. */
    @Test
    void whatWasAskedForOutlivesAStop() throws Exception {
        byte[] bytes;
        try (Site site = Site.start(Site.Server.TOMCAT, folder, "shutdown.grace", "0s")) {
            bytes = site.put("f", 300_000);
            SteeredArchive.Hold half = site.archive().hold("f", 150_000);
            JsonNode asked = call(site, "PUT", "objects/d/f", 202);
            half.awaitReached();
            String fill = "fills/" + asked.path("fill").path("id").asText();
            assertThat(call(site, "GET", fill, 200).path("state").asText()).isEqualTo("running");
        }
        assertThat(folder.resolve("base/anteroom/cache/tmp")).isEmptyDirectory();
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            Site.await("it is cached", () -> cached(site, "d/") == 1);
            assertThat(site.getHit("f").body()).isEqualTo(bytes);
            assertThat(site.row("SELECT reserved, copies FROM volumes")).containsExactly(0, 1);
        }
    }
}
