package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillState;
import org.anteroom.inventory.Owner;
import org.anteroom.jdbc.TestDatabase;
import org.anteroom.testing.Figures;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers of several instances at one queue on PostgreSQL, which make real copies: each file is read once. */
@Timeout(1200)
class QueueFleetTest {
    private static final Duration PATIENCE = Duration.ofMinutes(15);

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

    /** Each leaves to the others what only they take, and postpones nothing for them. */
    @Test
    void instancesWithOtherLimitsFillWhatTheyTake() throws Exception {
        CountingArchive archive = new CountingArchive();
        List<FillQueue.Wish> wishes = wishes(archive, 100, "");
        long limit = wishes.stream().mapToLong(FillQueue.Wish::size).max().orElseThrow();
        List<FillQueue.Wish> large = wishes(archive, 100, "x".repeat(100));
        wishes.addAll(large);
        try (TestDatabase test = TestDatabase.openPostgres();
                QueueSite small =
                        new QueueSite(test, folder.resolve("volume"), archive, owner(0), 4, QueueSite.CAPACITY, limit);
                QueueSite any =
                        new QueueSite(test, folder.resolve("volume"), archive, owner(1), 1, QueueSite.CAPACITY)) {
            small.workers.offer();
            any.workers.offer();
            small.queue.add(large, small.owner, Set.of(small.volumeId));
            small.workers.wake();
            await().atMost(QueueSite.WAIT).until(() -> test.statementsRun("claim-fill") > 0);
            small.queue.add(wishes, small.owner, Set.of(small.volumeId));
            small.workers.wake();
            await().atMost(QueueSite.WAIT).until(() -> small.volume().copies() == 100);
            assertThat(small.store.list(FillState.QUEUED, Long.MAX_VALUE, 200))
                    .hasSize(100)
                    .allMatch(fill -> fill.size() > limit && fill.reason() == null);
            any.workers.wake();
            await().atMost(QueueSite.WAIT).until(() -> small.volume().copies() == 200);
            assertFilledOnce(archive, 200);
        }
    }

    @Test
    void whatAnInstanceHadIsResumedAfterItsLease() throws Exception {
        resume(60, 3, 4);
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource({"2,1", "2,4", "2,16", "3,1", "3,4", "3,16"})
    void whatAnInstanceHadOfTenThousandFilesIsResumedAfterItsLease(int instances, int workers) throws Exception {
        resume(10_000, instances, workers);
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource({"1,1", "1,4", "1,16", "2,4", "3,4"})
    void whatAnInstanceHadOfTenThousandFilesIsResumedByItsNextBootAtOnce(int instances, int workers) throws Exception {
        resumeAtNextBoot(10_000, instances, workers);
    }

    @Test
    void whatAnInstanceHadIsResumedByItsNextBootAtOnce() throws Exception {
        resumeAtNextBoot(60, 2, 4);
    }

    /** One instance stands still while all of its workers read; that it is dead is not to be told from that. */
    private void resume(int files, int instances, int workers) throws Exception {
        CountingArchive archive = new CountingArchive();
        CountingArchive still = new CountingArchive();
        List<FillQueue.Wish> wishes = wishes(archive, files, "");
        still.files.putAll(archive.files);
        List<QueueSite> others = new ArrayList<>();
        try (TestDatabase test = TestDatabase.postgresWithClock();
                QueueSite paused = site(test, still, owner(0), workers)) {
            for (int i = 1; i < instances; i++) {
                others.add(site(test, archive, owner(i), workers));
            }
            stopInTheMidst(paused, still, wishes, workers);
            others.forEach(site -> site.workers.wake());
            await().atMost(PATIENCE).until(() -> paused.volume().copies() == files - workers);
            test.advance(Fills.LEASE.minusMillis(1));
            for (QueueSite site : others) {
                site.workers.look();
                assertThat(site.store.releaseExpired(site.owner, Set.of())).isZero();
            }
            assertThat(paused.store.list(FillState.RUNNING, Long.MAX_VALUE, 100))
                    .hasSize(workers)
                    .allMatch(fill -> fill.owner().equals(paused.owner));
            test.advance(Duration.ofMillis(1));
            others.forEach(site -> site.workers.look());
            await().atMost(PATIENCE).until(() -> paused.volume().copies() == files);
            assertFilledOnce(archive, files);

            // it goes on where it was, and finds that all of it is somebody else's
            still.released.countDown();
            await().atMost(PATIENCE).until(() -> Figures.value(paused.metrics, "anteroom_fill_workers_active") == 0);
            assertSettled(test, paused, files);
            assertThat(paused.store.named(paused.owner, Set.of(paused.volumeId)))
                    .isEmpty();
            others.forEach(QueueSite::close);
        }
    }

    /** Nothing waits for a lease: the clock of the database stands still. */
    private void resumeAtNextBoot(int files, int instances, int workers) throws Exception {
        CountingArchive archive = new CountingArchive();
        CountingArchive still = new CountingArchive();
        List<FillQueue.Wish> wishes = wishes(archive, files, "");
        still.files.putAll(archive.files);
        List<QueueSite> others = new ArrayList<>();
        try (TestDatabase test = TestDatabase.postgresWithClock();
                QueueSite killed = site(test, still, owner(0), workers)) {
            for (int i = 1; i < instances; i++) {
                others.add(site(test, archive, owner(i), workers));
            }
            stopInTheMidst(killed, still, wishes, workers);
            others.add(site(test, archive, new Owner(killed.owner.instance(), "next"), workers));
            QueueSite next = others.get(others.size() - 1);
            assertThat(next.store.releaseEarlierBoots(next.owner)).isEqualTo(workers);
            others.forEach(site -> site.workers.wake());
            await().atMost(PATIENCE).until(() -> killed.volume().copies() == files);
            assertFilledOnce(archive, files);
            still.released.countDown();
            await().atMost(PATIENCE).until(() -> Figures.value(killed.metrics, "anteroom_fill_workers_active") == 0);
            assertSettled(test, killed, files);
            others.forEach(QueueSite::close);
        }
    }

    private QueueSite site(TestDatabase test, CountingArchive archive, Owner owner, int workers) throws Exception {
        return new QueueSite(test, folder.resolve("volume"), archive, owner, workers, QueueSite.CAPACITY);
    }

    private static Owner owner(int instance) {
        return new Owner("instance-" + instance, "boot");
    }

    private static List<FillQueue.Wish> wishes(CountingArchive archive, int files, String name) {
        List<FillQueue.Wish> wishes = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            String objid = "set/" + i + "/it's %_\"" + name + i;
            archive.put(objid);
            wishes.add(new FillQueue.Wish(objid, archive.size(objid)));
        }
        return wishes;
    }

    private static void stopInTheMidst(
            QueueSite site, CountingArchive archive, List<FillQueue.Wish> wishes, int workers) throws Exception {
        CountDownLatch entered = new CountDownLatch(workers);
        archive.openEntered = entered;
        for (int from = 0; from < wishes.size(); from += FillQueue.MOST_ADDED) {
            List<FillQueue.Wish> page = wishes.subList(from, Math.min(wishes.size(), from + FillQueue.MOST_ADDED));
            site.queue.add(page, site.owner, Set.of(site.volumeId));
        }
        site.workers.wake();
        entered.await();
    }

    private static void assertFilledOnce(CountingArchive archive, int files) {
        assertThat(archive.opens).hasSize(files);
        assertThat(archive.opens.values()).allMatch(count -> count.get() == 1);
    }

    /** One copy of each file, and nothing beside that. */
    private static void assertSettled(TestDatabase test, QueueSite site, int files) throws Exception {
        assertThat(site.volume().copies()).isEqualTo(files);
        assertThat(site.volume().reserved()).isZero();
        assertThat(site.volumes
                        .drift(site.volumeId, QueueSite.WAIT)
                        .orElseThrow()
                        .none())
                .isTrue();
        assertThat(site.guard.list("", files + 1)).hasSize(files);
        assertThat(site.guard.temporaries()).isEmpty();
        assertThat(site.store.list(FillState.QUEUED, Long.MAX_VALUE, 10)).isEmpty();
        assertThat(test.deadlocks()).isZero();
    }

    private void fillAll(int files, int instances, int workers) throws Exception {
        CountingArchive archive = new CountingArchive();
        List<FillQueue.Wish> wishes = wishes(archive, files, "");
        List<QueueSite> sites = new ArrayList<>();
        try (TestDatabase test = TestDatabase.openPostgres()) {
            for (int i = 0; i < instances; i++) {
                sites.add(site(test, archive, owner(i), workers));
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
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> first.volume().copies() == files);
            assertFilledOnce(archive, files);
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
