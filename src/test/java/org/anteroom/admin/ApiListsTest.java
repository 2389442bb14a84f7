package org.anteroom.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.model.Sha256;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the API's lists and single views show, page by page, on a SQLite inventory that nobody changes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApiListsTest {
    private static final int MANY = 250;

    private TestInventory inventory;
    private AdminServer server;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        inventory = TestInventory.open(folder);
        long fast = inventory.volume("fast", "");
        inventory.volume("bulk", "");
        inventory.volume("own", "elsewhere");
        for (int i = 0; i < MANY; i++) {
            inventory.copy("many/%03d.txt".formatted(i), fast);
        }
        for (String path : List.of("a_b.txt", "aXb.txt", "50%.txt", "50X.txt", "é ü.txt")) {
            inventory.copy("names/" + path, fast);
        }
        inventory.copy("doi:10.1%2Fx@2/a.txt", fast);
        server = new AdminServer(
                folder,
                new AccessSettings(Access.OPEN, Access.OPEN, Access.OPEN),
                Map.of("/api/*", inventory.servlet()));
    }

    @AfterAll
    void stop() throws Exception {
        inventory.close();
        server.close();
    }

    private static List<String> texts(JsonNode list, String field) {
        List<String> texts = new ArrayList<>();
        list.path("items").forEach(item -> texts.add(item.path(field).asText()));
        return texts;
    }

    @ParameterizedTest
    @CsvSource({"'',100", "&limit=250,250", "&limit=249,249", "&limit=7,7", "&limit=1000,250"})
    void objects_come_page_by_page_each_once_and_in_order(String limit, int size) throws Exception {
        List<String> seen = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = server.json("/api/v1/objects?prefix=many/" + limit + after);
            assertThat(page.path("items").size()).isEqualTo(Math.min(size, MANY - seen.size()));
            seen.addAll(texts(page, "objid"));
            after = page.path("next").isNull()
                    ? ""
                    : "&after=" + page.path("next").asText();
        } while (!after.isEmpty());

        assertThat(seen).hasSize(MANY).doesNotHaveDuplicates().isSorted();
    }

    @ParameterizedTest
    @CsvSource({
        "names/a_,names/a_b.txt",
        "names/50%25,names/50%.txt",
        "%C3%A9,''",
        "names/%C3%A9,names/é ü.txt",
        "names/%C3%A9+%C3%BC,names/é ü.txt",
        "doi%3A10.1%252Fx,doi:10.1%2Fx@2/a.txt"
    })
    void a_prefix_is_meant_literally(String prefix, String found) throws Exception {
        assertThat(texts(server.json("/api/v1/objects?prefix=" + prefix), "objid"))
                .isEqualTo(found.isEmpty() ? List.of() : List.of(found));
    }

    @Test
    void an_object_tells_its_size_checksum_and_copies() throws Exception {
        JsonNode object = server.json("/api/v1/objects/doi:10.1%2Fx/a.txt?version=2");

        String objid = "doi:10.1%2Fx@2/a.txt";
        assertThat(object.path("objid").asText()).isEqualTo(objid);
        assertThat(object.path("size").asLong()).isEqualTo(objid.length());
        assertThat(object.path("sha256").asText())
                .isEqualTo(Sha256.of(objid.getBytes(StandardCharsets.UTF_8)).hex());
        assertThat(object.path("copies").size()).isEqualTo(1);
        JsonNode copy = object.path("copies").path(0);
        assertThat(copy.path("volume").asText()).isEqualTo("fast");
        assertThat(copy.path("state").asText()).isEqualTo("cached");
        assertThat(copy.path("uses").asLong(-1)).isZero();
        assertThat(Instant.parse(copy.path("since").asText()))
                .isEqualTo(Instant.parse(copy.path("lastUsed").asText()))
                .isAfter(Instant.EPOCH);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/objects/many/nothing.txt",
                "/api/v1/objects/many/00",
                "/api/v1/objects/many",
                "/api/v1/objects/doi:10.1%2Fx/a.txt",
                "/api/v1/volumes/nothing",
                "/api/v1/volumes/",
                "/api/v1/volumes/fast/x",
                "/api/v1/volumes;x",
                "/api/v1",
                "/api/v1/",
                "/api/v2/volumes",
                "/api/v1volumes"
            })
    void what_is_not_there_is_404(String target) throws Exception {
        assertProblem(server.get(target), 404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "objects?limit=0",
                "objects?limit=-1",
                "objects?limit=1001",
                "objects?limit=x",
                "objects?limit=",
                "objects?limit=1&limit=2",
                "objects?after=!",
                "objects?after=AAAA",
                "objects?after=b2JqZWN0czo", // no key
                "objects?after=dm9sdW1lczpmYXN0Lw", // of the volumes
                "volumes?limit=1e3",
                "pools?after=zzz",
                "objects?prefix=%ff",
                "objects?prefix=%2",
                "objects//x",
                "objects/d/a//b",
                "objects/d/a%2Fb"
            })
    void what_makes_no_sense_is_400(String target) throws Exception {
        assertProblem(server.get("/api/v1/" + target), 400);
    }

    private static void assertProblem(RawHttp.Response response, int status) throws Exception {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.header("Content-Type")).hasValue("application/problem+json");
        assertThat(AdminServer.json(response).path("status").asInt()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/volumes | PUT | GET, HEAD, OPTIONS",
                "/api/v1/pools | DELETE | GET, HEAD, OPTIONS",
                "/api/v1/objects/d/x | PATCH | GET, HEAD, PUT, DELETE, OPTIONS",
                "/api/v1/fills | POST | GET, HEAD, OPTIONS",
                "/api/v1/fills/1 | PUT | GET, HEAD, DELETE, OPTIONS"
            })
    void another_method_is_405_and_learns_which_there_are(String target, String method, String allow) throws Exception {
        RawHttp.Response refused = server.send("operator", method, target, "X-Anteroom-Request: 1");
        RawHttp.Response asked = server.send("operator", "OPTIONS", target);

        assertProblem(refused, 405);
        assertThat(refused.header("Allow")).hasValue(allow);
        assertThat(asked.status()).isEqualTo(204);
        assertThat(asked.header("Allow")).hasValue(allow);
    }

    @Test
    void volumes_are_listed_by_name_with_their_counters() throws Exception {
        JsonNode volumes = server.json("/api/v1/volumes");

        assertThat(texts(volumes, "name")).containsExactly("bulk", "fast", "own");
        assertThat(volumes.path("next").isNull()).isTrue();
        JsonNode fast = volumes.path("items").path(1);
        assertThat(fast).isEqualTo(server.json("/api/v1/volumes/fast"));
        assertThat(fast.path("kind").asText()).isEqualTo("filesystem");
        assertThat(fast.path("location").asText()).isEqualTo("/cache/fast");
        assertThat(fast.path("status").asText()).isEqualTo("active");
        assertThat(fast.path("capacity").asLong()).isEqualTo(TestInventory.CAPACITY);
        assertThat(fast.path("copies").asLong()).isEqualTo(MANY + 6);
        assertThat(fast.path("used").asLong()).isGreaterThan(MANY * 12);
        assertThat(fast.path("reserved").asLong(-1)).isZero();
        assertThat(fast.path("health").asText()).isEqualTo("degraded");
        assertThat(fast.path("reason").asText()).isEqualTo("this instance has not opened it yet");
    }

    @Test
    void volumes_come_page_by_page() throws Exception {
        JsonNode first = server.json("/api/v1/volumes?limit=2");
        JsonNode second = server.json(
                "/api/v1/volumes?limit=2&after=" + first.path("next").asText());

        assertThat(texts(first, "name")).containsExactly("bulk", "fast");
        assertThat(texts(second, "name")).containsExactly("own");
        assertThat(second.path("next").isNull()).isTrue();
    }

    @Test
    void pools_tell_their_figures() throws Exception {
        JsonNode pools = server.json("/api/v1/pools");

        assertThat(texts(pools, "name")).containsExactly("inventory");
        JsonNode pool = pools.path("items").path(0);
        assertThat(pool.path("max").asInt()).isEqualTo(3);
        assertThat(pool.path("acquisitions").asLong()).isPositive();
        assertThat(pool.fieldNames())
                .toIterable()
                .containsExactly(
                        "name",
                        "max",
                        "active",
                        "idle",
                        "waiting",
                        "acquisitions",
                        "waits",
                        "waitSeconds",
                        "heldSeconds");
        // each was held for as long as its statements took
        assertThat(pool.path("heldSeconds").asDouble()).isPositive();
    }

    @Test
    void an_answer_is_kept_by_nobody_and_a_head_has_its_length() throws Exception {
        RawHttp.Response get = server.get("/api/v1/volumes");
        RawHttp.Response head = server.send("viewer", "HEAD", "/api/v1/volumes");

        assertThat(get.header("Content-Type")).hasValue("application/json");
        assertThat(get.header("Cache-Control")).hasValue("no-store");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.header("Content-Length")).hasValue(String.valueOf(get.body().length));
    }
}
