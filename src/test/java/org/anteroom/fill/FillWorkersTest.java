package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillRow;
import org.anteroom.inventory.FillState;
import org.anteroom.inventory.Owner;
import org.anteroom.jdbc.TestDatabase;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.testing.Figures;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The workers of one instance, and of another one, on SQLite and one volume. */
@Timeout(120)
class FillWorkersTest {
    private static final String FILE = "set/file/with'quote";

    @TempDir
    Path folder;

    private final CountingArchive archive = new CountingArchive();
    private final CountingArchive other = new CountingArchive();
    private TestDatabase test;
    private QueueSite one;
    private QueueSite two;

    @BeforeEach
    void start() throws Exception {
        test = TestDatabase.withClock(folder);
        one = site(archive, new Owner("one", "boot-1"), 4);
        two = site(other, new Owner("two", "boot-2"), 1);
        archive.put(FILE);
        other.put(FILE);
    }

    private QueueSite site(CountingArchive from, Owner owner, int workers) throws IOException {
        return new QueueSite(test, folder.resolve("volume"), from, owner, workers, 1000);
    }

    @AfterEach
    void stop() throws Exception {
        archive.released.countDown();
        other.released.countDown();
        two.close();
        one.close();
        assertThat(one.volume().reserved()).isZero();
        assertThat(one.volumes.drift(one.volumeId, QueueSite.WAIT).orElseThrow().none())
                .isTrue();
        assertThat(one.guard.temporaries()).isEmpty();
        test.close();
    }

    private FillRow last() throws IOException {
        return one.queue.last(FILE).orElseThrow();
    }

    private static double ended(QueueSite site, String end) {
        return Figures.value(site.metrics, "anteroom_fill_queue_ended", "end", end);
    }

    private void awaitIdle(QueueSite site) {
        awaitActive(site, 0);
    }

    private void awaitActive(QueueSite site, int workers) {
        await().atMost(QueueSite.WAIT)
                .until(() -> Figures.value(site.metrics, "anteroom_fill_workers_active") == workers);
    }

    @Test
    void what_is_asked_for_is_cached() throws Exception {
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        one.awaitDone();
        assertThat(one.copies.find(FILE, QueueSite.WAIT)).singleElement().satisfies(copy -> {
            assertThat(copy.facts().etag()).isEqualTo("\"" + archive.size(FILE) + "\"");
            assertThat(copy.facts().sha256()).isNotNull();
        });
        assertThat(archive.opens(FILE)).isEqualTo(1);
        awaitIdle(one);
        assertThat(ended(one, "stored")).isEqualTo(1);
    }

    @Test
    void all_workers_are_at_work_when_there_is_enough_to_do() throws Exception {
        CountDownLatch entered = new CountDownLatch(4);
        archive.openEntered = entered;
        for (int i = 0; i < 6; i++) {
            archive.put("set/" + i);
            one.ask(archive.size("set/" + i), "set/" + i);
        }
        one.workers.wake();
        entered.await();
        assertThat(one.store.list(FillState.RUNNING, Long.MAX_VALUE, 10)).hasSize(4);
        archive.released.countDown();
        one.awaitDone();
        assertThat(one.volume().copies()).isEqualTo(6);
    }

    @Test
    void an_empty_queue_costs_one_statement_for_each_look_and_no_worker() throws Exception {
        one.workers.look();
        long before = test.statementsRun("claim-fill");
        for (int i = 0; i < 10; i++) {
            one.workers.look();
        }
        assertThat(test.statementsRun("look-at-queue")).isEqualTo(11);
        assertThat(test.statementsRun("claim-fill")).isEqualTo(before);
        assertThat(Figures.value(one.metrics, "anteroom_fill_workers_active")).isZero();
    }

    @Test
    void without_workers_the_queue_is_left_to_others() throws Exception {
        try (QueueSite none = site(archive, new Owner("three", "boot"), 0)) {
            none.ask(archive.size(FILE), FILE);
            none.workers.wake();
            none.workers.look();
            assertThat(last().state()).isEqualTo(FillState.QUEUED);
        }
        one.awaitDone();
        assertThat(last().state()).isEqualTo(FillState.DONE);
    }

    /** The reader need not wait for its turn, and the worker that comes later finds nothing to do. */
    @Test
    void a_reader_of_a_queued_file_begins_its_fill() throws Exception {
        one.ask(archive.size(FILE), FILE);
        FileFacts facts = archive.head(FileKey.parse(FILE));
        Outcome outcome =
                two.fills.begin(FileKey.parse(FILE), facts, QueueSite.WAIT).join();
        assertThat(outcome).isInstanceOf(Outcome.Following.class);
        one.awaitDone();
        assertThat(last().owner()).isEqualTo(two.owner);
        assertThat(archive.opens(FILE) + other.opens(FILE)).isEqualTo(1);
    }

    @Test
    void readers_follow_the_fill_of_a_worker() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.openEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        Outcome outcome =
                one.fills.begin(FileKey.parse(FILE), facts(), QueueSite.WAIT).join();
        assertThat(outcome).isEqualTo(new Outcome.Following(Objects.requireNonNull(one.fills.running(FILE)), false));
        assertThat(one.fills.progress()).containsOnlyKeys(last().id());
        assertThat(one.followed.getAsBoolean()).isFalse();
        try (Follower follower =
                Objects.requireNonNull(((Outcome.Following) outcome).fill().follow())) {
            assertThat(follower.fill().objid()).isEqualTo(FILE);
            assertThat(one.followed.getAsBoolean())
                    .as("people wait for it by now")
                    .isTrue();
        }
        archive.released.countDown();
        one.awaitDone();
        assertThat(archive.opens(FILE)).isEqualTo(1);
        await().atMost(QueueSite.WAIT).until(() -> one.fills.running(FILE) == null);
    }

    private FileFacts facts() {
        return new FileFacts(archive.size(FILE), null, "\"x\"", null, null);
    }

    @ParameterizedTest
    @CsvSource({
        "ARCHIVE_FAILED,queued,archive-failed,transient",
        "ARCHIVE_TIMEOUT,queued,archive-timeout,transient",
        "OVERLOADED,queued,overloaded,busy",
        "NOT_FOUND,failed,not-found,gone",
        "WRONG_BYTES,failed,wrong-bytes,wrong-bytes",
        "FILE_CHANGED,queued,file-changed,transient"
    })
    void a_failure_of_the_archive_is_told_and_gives_the_bytes_back(
            FailureReason failure, String state, String reason, String end) throws Exception {
        archive.failure = failure;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        awaitIdle(one);
        assertThat(last().state().text()).isEqualTo(state);
        assertThat(last().reason()).isEqualTo(reason);
        assertThat(one.volume().reserved()).isZero();
        assertThat(ended(one, end)).isEqualTo(1);
        archive.failure = null;
    }

    @Test
    void a_hundred_that_fail_leave_no_byte_reserved_and_heal() throws Exception {
        String[] objids = new String[100];
        for (int i = 0; i < objids.length; i++) {
            objids[i] = "set/%03d".formatted(i);
            archive.put(objids[i]);
        }
        archive.failure = FailureReason.ARCHIVE_FAILED;
        one.ask(archive.size(objids[0]), objids);
        one.workers.wake();
        awaitIdle(one);
        assertThat(ended(one, "transient")).isEqualTo(100);
        assertThat(one.volume().reserved()).isZero();
        archive.failure = null;
        test.advance(Duration.ofMinutes(1));
        one.awaitDone();
        assertThat(one.volume().copies()).isEqualTo(100);
    }

    @Test
    void a_file_whose_size_has_changed_is_cached_as_it_is_now() throws Exception {
        one.ask(5, FILE);
        one.workers.wake();
        awaitIdle(one);
        assertThat(last().reason()).isEqualTo("changed");
        assertThat(archive.opens(FILE)).isZero();
        test.advance(Duration.ofMinutes(1));
        one.awaitDone();
        assertThat(last().state()).isEqualTo(FillState.DONE);
        assertThat(one.volume().used()).isEqualTo(archive.size(FILE));
    }

    /** As after kill -9, or while it is stopped for longer than its lease. */
    @Test
    void the_claim_of_a_paused_instance_is_resumed_by_another_after_its_lease_and_it_does_no_harm() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.openEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        test.advance(Fills.LEASE.minusMillis(1));
        two.workers.look();
        awaitIdle(two);
        assertThat(other.opens(FILE)).as("before it has run out").isZero();
        test.advance(Duration.ofMillis(1));
        two.awaitDone();
        assertThat(other.opens(FILE)).isEqualTo(1);
        assertThat(last().owner()).isEqualTo(two.owner);
        assertThat(last().state()).isEqualTo(FillState.DONE);

        archive.released.countDown();
        awaitIdle(one);
        assertThat(one.copies.find(FILE, QueueSite.WAIT)).hasSize(1);
        assertThat(one.volume().copies()).isEqualTo(1);
        assertThat(one.guard.list("", 10))
                .containsExactly(one.copies.find(FILE, QueueSite.WAIT).get(0).name());
        assertThat(one.store.leftovers(one.volumeId, two.owner, 10)).isEmpty();
    }

    @Test
    void a_claim_is_kept_while_the_archive_is_slow_to_tell_of_the_file() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.headEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        for (int i = 0; i < 5; i++) {
            test.advance(Fills.LEASE.minusMillis(1));
            one.fills.renew();
            two.workers.look();
            awaitIdle(two);
        }
        archive.released.countDown();
        one.awaitDone();
        assertThat(other.opens(FILE)).isZero();
        assertThat(archive.opens(FILE)).isEqualTo(1);
    }

    /** Nobody else may clean up after it as long as this boot lives. */
    @ParameterizedTest
    @ValueSource(strings = {"is found lost", "is carried out", "fails"})
    void a_claim_that_is_lost_while_the_archive_is_asked_leaves_no_row_that_names_a_copy(String then) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.headEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        test.advance(Fills.LEASE);
        two.awaitDone();
        assertThat(last().owner()).isEqualTo(two.owner);
        switch (then) {
            case "is found lost" -> one.fills.renew();
            case "fails" -> archive.failure = FailureReason.ARCHIVE_FAILED;
            default -> assertThat(archive.failure).isNull();
        }
        archive.released.countDown();
        awaitIdle(one);
        one.fills.renew();
        assertThat(one.store.named(one.owner, Set.of(one.volumeId))).isEmpty();
        assertThat(archive.opens(FILE)).isZero();
    }

    @Test
    void a_claim_whose_answer_was_lost_is_given_back() throws Exception {
        one.ask(archive.size(FILE), FILE);
        test.loseAnswerOfNextCommit();
        one.workers.wake();
        awaitIdle(one);
        assertThat(last().state()).isEqualTo(FillState.RUNNING);
        one.fills.renew();
        assertThat(last().state()).isEqualTo(FillState.QUEUED);
        assertThat(last().attempts()).isZero();
        one.awaitDone();
        assertThat(last().state()).isEqualTo(FillState.DONE);
    }

    /** As when the archive tells of the file only after an outage of the database. */
    @Test
    void a_claim_that_was_lost_takes_no_place_of_a_fill_that_lives() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        archive.headReleased = release;
        archive.headEntered = entered;
        archive.openEntered = new CountDownLatch(1);
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        test.advance(Fills.LEASE);
        Outcome outcome =
                one.fills.begin(FileKey.parse(FILE), facts(), QueueSite.WAIT).join();
        Fill living = ((Outcome.Following) outcome).fill();
        release.countDown();
        awaitIdle(one);
        assertThat(one.fills.running(FILE)).isSameAs(living);
        archive.released.countDown();
        await().atMost(QueueSite.WAIT).until(() -> one.fills.runningCount() == 0);
        assertThat(last().state()).isEqualTo(FillState.DONE);
        assertThat(archive.opens(FILE)).isEqualTo(1);
    }

    /** It goes on for its readers, makes no copy any more, and is made again when it has ended. */
    @Test
    void after_an_outage_past_its_lease_an_instance_does_not_read_a_file_twice_at_once() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.openEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        Fill fill = Objects.requireNonNull(one.fills.running(FILE));
        Follower follower = Objects.requireNonNull(fill.follow());
        test.advance(Fills.LEASE);
        one.workers.look();
        one.fills.renew();
        one.workers.look();
        one.fills.renew();
        await().atMost(QueueSite.WAIT).until(() -> Figures.value(one.metrics, "anteroom_fill_workers_active") <= 1);
        assertThat(last().state()).isEqualTo(FillState.RUNNING);
        assertThat(one.fills.begin(FileKey.parse(FILE), facts(), QueueSite.WAIT).join())
                .isEqualTo(new Outcome.Following(fill, false));
        assertThat(archive.opens(FILE)).isEqualTo(1);
        archive.released.countDown();
        awaitIdle(one);
        assertThat(fill.readable()).isEqualTo(archive.size(FILE));
        follower.close();
        one.awaitDone();
        assertThat(last().state()).isEqualTo(FillState.DONE);
        assertThat(last().attempts()).as("it was not the file's fault").isEqualTo(1);
        assertThat(one.copies.find(FILE, QueueSite.WAIT)).hasSize(1);
        assertThat(one.guard.list("", 10)).hasSize(1);
    }

    /** In the fleet another instance has found it lost, and this one claims what was queued in its place. */
    @Test
    void a_fill_that_was_lost_ends_for_the_one_that_lives() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.openEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        Fill lost = Objects.requireNonNull(one.fills.running(FILE));
        test.advance(Fills.LEASE);
        assertThat(two.store.releaseExpired(two.owner, Set.of())).isEqualTo(1);
        one.workers.look();
        await().atMost(QueueSite.WAIT).until(() -> archive.opens(FILE) == 2);
        Fill living = Objects.requireNonNull(one.fills.running(FILE));
        assertThat(living).isNotSameAs(lost);
        assertThat(lost.isLost()).isTrue();
        assertThat(living.isLost()).isFalse();
        archive.released.countDown();
        one.awaitDone();
        awaitIdle(one);
        assertThat(lost.readable()).as("nobody read it").isZero();
        assertThat(one.guard.list("", 10)).hasSize(1);
        assertThat(one.store.named(one.owner, Set.of(one.volumeId))).isEmpty();
    }

    @Test
    void a_reader_who_comes_while_the_archive_is_asked_begins_the_fill_of_the_claim() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.headEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        FileFacts longer = new FileFacts(archive.size(FILE) + 1, null, "\"y\"", null, null);
        assertThat(one.fills.begin(FileKey.parse(FILE), longer, QueueSite.WAIT).join())
                .as("it was not claimed for that")
                .isEqualTo(new Outcome.Bypass("filled-elsewhere"));
        Outcome outcome =
                one.fills.begin(FileKey.parse(FILE), facts(), QueueSite.WAIT).join();
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Following.class,
                        following -> assertThat(following.begun()).isTrue());
        await().atMost(QueueSite.WAIT).until(() -> one.fills.runningCount() == 0);
        assertThat(last().state()).isEqualTo(FillState.DONE);
        archive.released.countDown();
        awaitIdle(one);
        assertThat(ended(one, "taken")).isEqualTo(1);
        assertThat(last().state()).isEqualTo(FillState.DONE);
        assertThat(archive.opens(FILE)).isEqualTo(1);
    }

    @Test
    void a_claim_that_is_cancelled_while_the_archive_is_asked_makes_no_copy() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.headEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        assertThat(one.store.cancel(last().id())).isTrue();
        one.fills.cancel(last().id());
        archive.released.countDown();
        awaitIdle(one);
        assertThat(archive.opens(FILE)).isZero();
        assertThat(last().state()).isEqualTo(FillState.FAILED);
        assertThat(one.store.named(one.owner, Set.of(one.volumeId))).isEmpty();
    }

    /** Such as a row that another release wrote. */
    @Test
    void a_row_that_names_no_file_fails_and_holds_up_nothing() throws Exception {
        one.ask(3, "no file");
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        awaitIdle(one);
        assertThat(last().state()).isEqualTo(FillState.DONE);
        FillRow row = one.queue.last("no file").orElseThrow();
        assertThat(row.reason()).isEqualTo("internal");
        assertThat(row.state()).isEqualTo(FillState.QUEUED);
        assertThat(one.volume().reserved()).isZero();
        for (int attempt = 2; attempt <= 3; attempt++) {
            test.advance(Duration.ofMinutes(2));
            one.workers.look();
            awaitIdle(one);
        }
        assertThat(one.queue.last("no file").orElseThrow().state()).isEqualTo(FillState.FAILED);
    }

    /** One worker, so that there is one order: every fourth claim is for the files of datasets first. */
    @Test
    void a_single_file_need_not_wait_for_a_dataset() throws Exception {
        List<FillQueue.Wish> dataset = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String objid = "big/" + i;
            other.put(objid);
            dataset.add(new FillQueue.Wish(objid, other.size(objid)));
        }
        CountDownLatch entered = new CountDownLatch(1);
        other.openEntered = entered;
        two.queue.addOfDataset(dataset, two.owner, Set.of(two.volumeId));
        two.workers.wake();
        entered.await();
        for (int i = 0; i < 4; i++) {
            other.put("one/" + i);
            two.ask(other.size("one/" + i), "one/" + i);
        }
        other.released.countDown();
        two.awaitDone();
        assertThat(other.order).containsExactly("big/0", "one/0", "one/1", "big/1", "one/2", "one/3", "big/2", "big/3");
    }

    @Test
    void its_own_next_boot_resumes_at_once() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.openEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        // its other workers have seen that there is nothing more: a dead boot claims nothing
        awaitActive(one, 1);
        try (QueueSite next = site(other, new Owner("one", "boot-next"), 1)) {
            assertThat(next.store.releaseEarlierBoots(next.owner)).isEqualTo(1);
            next.awaitDone();
            assertThat(other.opens(FILE)).isEqualTo(1);
            assertThat(last().owner()).isEqualTo(next.owner);
            archive.released.countDown();
            awaitIdle(one);
        }
        assertThat(one.guard.list("", 10)).hasSize(1);
    }

    @Test
    void a_stop_gives_what_runs_back_to_the_queue() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        archive.openEntered = entered;
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        entered.await();
        one.workers.stopClaiming();
        one.fills.stop(Duration.ZERO);
        one.workers.stop(Duration.ZERO);
        assertThat(last().state()).isEqualTo(FillState.QUEUED);
        assertThat(last().reason()).isEqualTo("stopping");
        assertThat(last().attempts()).isZero();
        two.awaitDone();
        assertThat(last().owner()).isEqualTo(two.owner);
    }

    @Test
    void a_full_cache_is_not_looked_at_all_the_time() throws Exception {
        one.ask(2000, "set/big-1", "set/big-2");
        one.ask(archive.size(FILE), FILE);
        one.workers.wake();
        awaitIdle(one);
        assertThat(one.copies.find(FILE, QueueSite.WAIT)).hasSize(1);
        List<FillRow> waiting = one.store.list(FillState.QUEUED, Long.MAX_VALUE, 10);
        assertThat(waiting).hasSize(2).allMatch(fill -> "no-volume".equals(fill.reason()));
        long before = test.statementsRun("claim-fill");
        one.workers.look();
        assertThat(test.statementsRun("claim-fill")).isEqualTo(before);
    }
}
