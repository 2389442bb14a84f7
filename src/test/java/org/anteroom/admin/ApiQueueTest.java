package org.anteroom.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.inventory.ClaimResult;
import org.anteroom.inventory.Claimant;
import org.anteroom.inventory.FillState;
import org.anteroom.model.FileFacts;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Asking for files through the API, and what it shows of the queue. */
class ApiQueueTest {
    private static final String OBJECT = "/api/v1/objects/d/a.txt";
    private static final String NAME = "00000000000000000000000000000001";

    @TempDir
    Path folder;

    private TestInventory inventory;
    private AdminServer server;
    private long fast;

    @BeforeEach
    void start() throws Exception {
        inventory = TestInventory.open(folder);
        fast = inventory.volume("fast", "");
        server = new AdminServer(
                folder,
                new AccessSettings(Access.OPEN, Access.OPEN, Access.OPEN),
                Map.of("/api/*", inventory.servlet()));
    }

    @AfterEach
    void stop() throws Exception {
        inventory.held.release();
        inventory.close();
        server.close();
    }

    private RawHttp.Response put(String target) throws Exception {
        return server.send("operator", "PUT", target, "X-Anteroom-Request: 1");
    }

    private JsonNode put(String target, int status) throws Exception {
        RawHttp.Response response = put(target);
        assertThat(response.status()).as(response.text()).isEqualTo(status);
        return AdminServer.json(response);
    }

    private ClaimResult.Claimed claim() throws Exception {
        Claimant claimant = new Claimant(
                inventory.owner,
                Duration.ofMinutes(5),
                Set.of(fast),
                size -> List.of(fast),
                Map.of(fast, 1L << 40),
                false);
        return (ClaimResult.Claimed) inventory.queue.claim(claimant, NAME, late -> {});
    }

    @Test
    void a_file_that_is_asked_for_three_times_is_queued_once() throws Exception {
        JsonNode asked = put(OBJECT, 202);
        assertThat(asked.path("objid").asText()).isEqualTo("d/a.txt");
        assertThat(asked.path("state").asText()).isEqualTo("queued");
        assertThat(asked.path("fill").path("size").asLong()).isEqualTo(7);
        assertThat(put(OBJECT, 202).path("fill").path("id"))
                .isEqualTo(asked.path("fill").path("id"));
        claim();
        assertThat(put(OBJECT, 202).path("state").asText()).isEqualTo("running");
        assertThat(inventory.fills.list(null, Long.MAX_VALUE, 10)).hasSize(1);
        assertThat(inventory.wakes).hasValue(3);
    }

    @Test
    void what_is_cached_already_is_not_queued() throws Exception {
        inventory.copy("d/a.txt", fast);
        JsonNode asked = put(OBJECT, 200);
        assertThat(asked.path("state").asText()).isEqualTo("cached");
        assertThat(inventory.fills.list(FillState.QUEUED, Long.MAX_VALUE, 10)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"d/missing", "nothing/", "nothing", "d/nothing/", "ark:/1/x"})
    void what_the_archive_lacks_is_404_and_not_queued(String target) throws Exception {
        assertThat(put("/api/v1/objects/" + target).status()).isEqualTo(404);
        assertThat(inventory.fills.list(null, Long.MAX_VALUE, 10)).isEmpty();
    }

    @Test
    void what_cannot_be_cached_is_409() throws Exception {
        assertThat(put("/api/v1/objects/d/endless").status()).isEqualTo(409);
    }

    @Test
    void only_operators_ask_and_only_with_the_header() throws Exception {
        assertThat(server.send("viewer", "PUT", OBJECT, "X-Anteroom-Request: 1").status())
                .isEqualTo(403);
        assertThat(server.send("operator", "PUT", OBJECT).status()).isEqualTo(403);
        assertThat(server.send("viewer", "DELETE", "/api/v1/fills/1", "X-Anteroom-Request: 1")
                        .status())
                .isEqualTo(403);
        assertThat(inventory.fills.list(null, Long.MAX_VALUE, 10)).isEmpty();
    }

    @Test
    void a_dataset_is_asked_for_with_all_that_lies_in_it() throws Exception {
        inventory.held.folders.put("d/", new TreeSet<>(Set.of("a.txt", "b.txt", "endless", "sub/", "it's \"x\"")));
        inventory.held.folders.put("d/sub/", new TreeSet<>(Set.of("c.txt", "e.txt")));
        inventory.copy("d/b.txt", fast);
        put(OBJECT, 202);

        JsonNode first = put("/api/v1/objects/d/", 202);
        assertThat(first.path("files").asLong()).isEqualTo(6);
        assertThat(first.path("queued").asLong()).isEqualTo(3);
        assertThat(first.path("active").asLong()).isEqualTo(1);
        assertThat(first.path("cached").asLong()).isEqualTo(1);
        assertThat(first.path("skipped").asLong()).isEqualTo(1);
        assertThat(first.path("bytes").asLong())
                .isEqualTo(
                        "d/a.txt".length() + "d/b.txt".length() + "d/it's \"x\"".length() + 2 * "d/sub/c.txt".length());
        assertThat(first.path("next").isNull()).isTrue();

        JsonNode again = put("/api/v1/objects/d/", 202);
        assertThat(again.path("queued").asLong()).isZero();
        assertThat(again.path("active").asLong()).isEqualTo(4);
        assertThat(put("/api/v1/objects/d/sub/", 202).path("files").asLong()).isEqualTo(2);

        claim();
        JsonNode progress = server.json("/api/v1/objects/d/");
        assertThat(progress.path("prefix").asText()).isEqualTo("d/");
        assertThat(progress.path("cached").path("count").asLong()).isEqualTo(1);
        assertThat(progress.path("queued").path("count").asLong()).isEqualTo(3);
        assertThat(progress.path("running").path("count").asLong()).isEqualTo(1);
        assertThat(progress.path("running").path("bytes").asLong()).isEqualTo(7);
        assertThat(progress.path("failed").path("count").asLong()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "b2JqZWN0czpk"})
    void a_cursor_of_something_else_is_400(String cursor) throws Exception {
        inventory.held.folders.put("d/", new TreeSet<>(Set.of("a.txt")));
        assertThat(put("/api/v1/objects/d/?after=" + cursor).status()).isEqualTo(400);
        assertThat(server.get("/api/v1/fills?after=" + cursor).status()).isEqualTo(400);
        assertThat(server.get("/api/v1/fills?prefix=d&after=" + cursor).status())
                .isEqualTo(400);
        assertThat(server.get("/api/v1/fills?state=lost").status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "prefix=d/&", "state=queued&", "state=queued&prefix=d/&"})
    void fills_come_page_by_page_each_once(String query) throws Exception {
        for (int i = 0; i < 25; i++) {
            put("/api/v1/objects/d/%02d".formatted(i), 202);
        }
        Set<String> seen = new TreeSet<>();
        String after = "";
        int pages = 0;
        do {
            JsonNode page = server.json("/api/v1/fills?" + query + "limit=10" + after);
            page.path("items")
                    .forEach(item ->
                            assertThat(seen.add(item.path("objid").asText())).isTrue());
            after = page.path("next").isNull()
                    ? ""
                    : "&after=" + page.path("next").asText();
            pages++;
        } while (!after.isEmpty());
        assertThat(seen).hasSize(25);
        assertThat(pages).isEqualTo(3);
    }

    @Test
    void a_fill_is_shown_with_all_that_is_known() throws Exception {
        put(OBJECT, 202);
        JsonNode queued =
                server.json("/api/v1/fills?state=queued").path("items").path(0);
        assertThat(queued.path("owner").asText()).isEqualTo("here");
        assertThat(queued.path("volume").isNull()).isTrue();
        assertThat(queued.path("notBefore").asText()).isNotEmpty();
        ClaimResult.Claimed claimed = claim();
        inventory.fills.renew(claimed.ticket(), inventory.owner, Duration.ofMinutes(1), 3);
        JsonNode running = server.json("/api/v1/fills/" + claimed.ticket().fillId());
        assertThat(running.path("state").asText()).isEqualTo("running");
        assertThat(running.path("volume").asText()).isEqualTo("fast");
        assertThat(running.path("bytes").asLong()).isEqualTo(3);
        assertThat(running.path("attempts").asInt()).isEqualTo(1);
        assertThat(running.path("until").asText()).isNotEmpty();
        assertThat(running.path("notBefore").isNull()).isTrue();
        assertThat(server.json(OBJECT).path("fill")).isEqualTo(running);
        assertThat(server.json(OBJECT).path("copies").size()).isZero();
        inventory.fills.fail(claimed.ticket(), inventory.owner, "not-found");
        JsonNode failed = server.json(OBJECT).path("fill");
        assertThat(failed.path("state").asText()).isEqualTo("failed");
        assertThat(failed.path("reason").asText()).isEqualTo("not-found");
        inventory.copy("d/a.txt", fast);
        assertThat(server.json(OBJECT).path("fill").isNull()).isTrue();
        put("/api/v1/objects/d/b.txt", 202);
        assertThat(server.json("/api/v1/objects?prefix=d/")
                        .path("items")
                        .path(0)
                        .path("fill")
                        .isNull())
                .isTrue();
    }

    @Test
    void a_fill_is_ended_and_then_forgotten() throws Exception {
        long id = put(OBJECT, 202).path("fill").path("id").asLong();
        assertThat(server.delete("/api/v1/fills/" + id).status()).isEqualTo(204);
        JsonNode ended = server.json("/api/v1/fills/" + id);
        assertThat(ended.path("state").asText()).isEqualTo("failed");
        assertThat(ended.path("reason").asText()).isEqualTo("cancelled");
        assertThat(server.delete("/api/v1/fills/" + id).status()).isEqualTo(204);
        assertThat(server.delete("/api/v1/fills/" + id).status()).isEqualTo(404);
        assertThat(server.get("/api/v1/fills/" + id).status()).isEqualTo(404);
        assertThat(server.delete("/api/v1/fills/x").status()).isEqualTo(404);

        put(OBJECT, 202);
        ClaimResult.Claimed claimed = claim();
        String running = "/api/v1/fills/" + claimed.ticket().fillId();
        assertThat(server.delete(running).status()).isEqualTo(204);
        assertThat(inventory.volumes.get(fast).orElseThrow().reserved()).isZero();
        assertThat(server.delete(running).status()).isEqualTo(409);
    }

    /** To end a fill says nothing of what the archive has. */
    @Test
    void a_file_that_is_known_to_be_wrong_stays_so_when_its_fill_is_ended() throws Exception {
        long id = put(OBJECT, 202).path("fill").path("id").asLong();
        FileFacts facts = new FileFacts(3, null, null, null, null);
        inventory.caching.wrong().note("d/a.txt", facts);
        assertThat(server.delete("/api/v1/fills/" + id).status()).isEqualTo(204);
        assertThat(inventory.caching.wrong().has("d/a.txt", facts)).isTrue();
        put(OBJECT, 202);
        assertThat(server.delete(OBJECT).status()).isEqualTo(204);
        assertThat(inventory.caching.wrong().has("d/a.txt", facts)).isFalse();
    }

    @Test
    void the_deletion_of_an_object_takes_it_out_of_the_queue() throws Exception {
        put(OBJECT, 202);
        assertThat(server.delete(OBJECT).status()).isEqualTo(204);
        assertThat(inventory.fills.list(FillState.QUEUED, Long.MAX_VALUE, 10)).isEmpty();
        assertThat(server.delete(OBJECT).status()).isEqualTo(404);
    }
}
