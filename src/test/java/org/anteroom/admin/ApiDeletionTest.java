package org.anteroom.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.benmanes.caffeine.cache.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.anteroom.fill.Fills;
import org.anteroom.fill.Outcome;
import org.anteroom.fill.Placement;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.inventory.CondemnedBy;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.FillRow;
import org.anteroom.inventory.FillState;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.RawHttp;
import org.anteroom.volume.VolumeGuard;
import org.anteroom.volume.VolumeMetrics;
import org.anteroom.volume.VolumeSettings;
import org.anteroom.volume.fs.FilesystemVolume;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a DELETE of an object does to the inventory and to what the instance remembers. */
class ApiDeletionTest {
    private static final String OBJID = "d/a.txt";
    private static final String OBJECT = "/api/v1/objects/d/a.txt";

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

    @Test
    void every_copy_is_condemned_and_no_reader_is_sent_to_it() throws Exception {
        CopyRow copy = inventory.copy(OBJID, fast);
        inventory.copy("d/other.txt", fast);
        inventory.locations.put(OBJID, List.of(copy));

        assertThat(server.delete(OBJECT).status()).isEqualTo(204);

        assertThat(inventory.copies.find(OBJID, TestInventory.WAIT)).isEmpty();
        assertThat(inventory.locations.get(OBJID)).isNull();
        assertThat(inventory.copies.rescue(copy.id()))
                .as("what was deleted is not rescued")
                .isFalse();
        JsonNode object = server.json(OBJECT);
        assertThat(object.path("copies").path(0).path("state").asText()).isEqualTo("condemned");
        assertThat(inventory.copies.find("d/other.txt", TestInventory.WAIT)).hasSize(1);
    }

    @Test
    void what_eviction_condemned_is_condemned_for_good() throws Exception {
        CopyRow copy = inventory.copy(OBJID, fast);
        inventory.copies.condemn(copy.id(), CondemnedBy.EVICTION);

        assertThat(server.delete(OBJECT).status()).isEqualTo(204);

        assertThat(inventory.copies.rescue(copy.id())).isFalse();
    }

    @Test
    void a_second_deletion_finds_the_copy_until_it_is_gone() throws Exception {
        CopyRow copy = inventory.copy(OBJID, fast);
        assertThat(server.delete(OBJECT).status()).isEqualTo(204);
        assertThat(server.delete(OBJECT).status()).isEqualTo(204);

        assertThat(inventory.copies.beginDeleting(copy.id(), Duration.ZERO)).isTrue();
        assertThat(inventory.copies.deleted(copy.id())).isTrue();

        assertThat(server.delete(OBJECT).status()).isEqualTo(404);
    }

    @Test
    void what_is_not_there_is_404() throws Exception {
        inventory.copy("d/a.txt.more", fast);

        RawHttp.Response response = server.delete(OBJECT);

        assertThat(response.status()).isEqualTo(404);
        assertThat(AdminServer.json(response).path("detail").asText()).isEqualTo("There is no copy of such a file.");
        assertThat(inventory.copies.find("d/a.txt.more", TestInventory.WAIT)).hasSize(1);
    }

    @Test
    void a_fill_of_another_instance_is_ended_and_its_bytes_are_free() throws Exception {
        inventory.begin(OBJID, fast);

        assertThat(server.delete(OBJECT).status()).isEqualTo(204);

        assertThat(inventory.fills.list(FillState.RUNNING, Long.MAX_VALUE, 10)).isEmpty();
        assertThat(inventory.volumes.get(fast)).map(VolumeRow::reserved).hasValue(0L);
    }

    @Test
    void a_fill_that_runs_here_makes_no_copy_and_gets_no_new_readers() throws Exception {
        VolumeGuard guard = guard();
        Tasks fillTasks = new Tasks(new Metrics());
        Map<Long, VolumeGuard> guards = Map.of(fast, guard);
        List<VolumeRow> rows = inventory.volumes.all();
        Fills fills = new Fills(
                inventory.fills,
                new Placement(guards, () -> rows),
                inventory.gate.blocking(),
                inventory.locations,
                inventory.caching.wrong(),
                inventory.owner,
                2,
                fillTasks,
                fillTasks.metrics());
        inventory.caching.open(guards, fills);
        assertThat(server.json("/api/v1/volumes/fast").path("health").asText()).isEqualTo("ok");
        Outcome outcome = inventory
                .caching
                .begin(FileKey.parse(OBJID), TestInventory.facts(OBJID), TestInventory.WAIT)
                .get(20, TimeUnit.SECONDS);
        assertThat(outcome).isInstanceOf(Outcome.Following.class);
        assertThat(inventory.caching.running(OBJID)).isNotNull();

        assertThat(server.delete(OBJECT).status()).isEqualTo(204);

        assertThat(inventory.caching.running(OBJID)).isNull();
        inventory.held.release();
        assertThat(fillTasks.stop(Duration.ofSeconds(20))).isEmpty();
        assertThat(inventory.copies.objects(OBJID, "", 10)).isEmpty();
        assertThat(inventory.fills.list(null, Long.MAX_VALUE, 10))
                .extracting(FillRow::state)
                .containsExactly(FillState.FAILED);
        assertThat(guard.list("", 10)).as("files of copies").isEmpty();
        assertThat(guard.temporaries()).isEmpty();
    }

    private VolumeGuard guard() {
        VolumeSettings settings = new VolumeSettings(
                "fast", "filesystem", "volume", TestInventory.CAPACITY, true, "active", 0, Long.MAX_VALUE, 0);
        VolumeGuard guard = new VolumeGuard(
                new FilesystemVolume("fast", folder.resolve("volume")),
                settings,
                4,
                new VolumeMetrics(inventory.metrics),
                InstantSource.system(),
                Ticker.systemTicker());
        guard.adopt(null);
        return guard;
    }

    @Test
    void the_next_question_about_the_file_goes_to_the_archive() throws Exception {
        inventory.copy(OBJID, fast);
        FileKey key = FileKey.parse(OBJID);
        inventory.gate.head(key).get(20, TimeUnit.SECONDS);
        inventory.gate.head(key).get(20, TimeUnit.SECONDS);
        long before = inventory.held.heads.get();

        assertThat(server.delete(OBJECT).status()).isEqualTo(204);

        inventory.gate.head(key).get(20, TimeUnit.SECONDS);
        assertThat(inventory.held.heads.get()).isEqualTo(before + 1);
    }
}
