package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillState;
import org.anteroom.inventory.Owner;
import org.anteroom.jdbc.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers of several instances at one queue on PostgreSQL, which make real copies: each file is read once. */
@Timeout(1200)
class QueueFleetTest {
    @TempDir
    Path folder;

    @Test
    void threeHundredFilesAreEachFilledOnce() throws Exception {
        fillAll(300, 3, 4);
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource({"1,1", "1,4", "1,16", "2,1", "2,4", "2,16", "3,1", "3,4", "3,16"})
    void tenThousandFilesAreEachFilledOnce(int instances, int workers) throws Exception {
        fillAll(10_000, instances, workers);
    }

    private void fillAll(int files, int instances, int workers) throws Exception {
        CountingArchive archive = new CountingArchive();
        List<FillQueue.Wish> wishes = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            String objid = "set/" + i + "/it's %_\"" + i;
            archive.put(objid);
            wishes.add(new FillQueue.Wish(objid, archive.size(objid)));
        }
        List<QueueSite> sites = new ArrayList<>();
        try (TestDatabase test = TestDatabase.openPostgres()) {
            for (int i = 0; i < instances; i++) {
                Owner owner = new Owner("instance-" + i, "boot");
                sites.add(new QueueSite(test, folder.resolve("volume"), archive, owner, workers, QueueSite.CAPACITY));
            }
            // each asks for all of them, while the first ones are being filled
            for (int from = 0; from < files; from += FillQueue.MOST_ADDED) {
                List<FillQueue.Wish> page = wishes.subList(from, Math.min(files, from + FillQueue.MOST_ADDED));
                for (QueueSite site : sites) {
                    site.queue.add(page, site.owner, Set.of(site.volumeId));
                    site.workers.wake();
                }
            }
            QueueSite first = sites.get(0);
            // nobody looks: what was added has woken them, and they go on by themselves
            await().atMost(Duration.ofMinutes(15))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> first.volume().copies() == files);
            assertThat(archive.opens).hasSize(files);
            assertThat(archive.opens.values()).allMatch(count -> count.get() == 1);
            FillQueue.Progress progress = first.queue.progress("set/");
            assertThat(progress.fills(FillState.FAILED).count()).isZero();
            assertThat(progress.cached().count()).isEqualTo(files);
            sites.forEach(site -> site.workers.stop(QueueSite.WAIT));
            assertThat(first.volumes
                            .drift(first.volumeId, QueueSite.WAIT)
                            .orElseThrow()
                            .none())
                    .isTrue();
            assertThat(first.volume().reserved()).isZero();
            sites.forEach(QueueSite::close);
            assertThat(test.deadlocks()).isZero();
        }
    }
}
