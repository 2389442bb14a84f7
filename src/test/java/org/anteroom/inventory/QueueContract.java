package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.anteroom.inventory.FillQueue.Sum;
import org.anteroom.inventory.FillQueue.Wish;
import org.anteroom.jdbc.DatabaseException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

abstract class QueueContract extends InventoryContract {

    private FillQueue.Added add(long volume, String... objids) throws DatabaseException {
        List<Wish> wishes = new ArrayList<>();
        for (String objid : objids) {
            wishes.add(new Wish(objid, 10));
        }
        return queue.add(wishes, TWO, Set.of(volume));
    }

    private ClaimResult claim(Owner owner, Long... candidates) throws DatabaseException {
        return queue.claim(claimant(owner, false, candidates), name(), late -> {});
    }

    private static Claimant claimant(Owner owner, boolean datasetsFirst, Long... candidates) {
        Map<Long, Long> limits = Arrays.stream(candidates).collect(Collectors.toMap(id -> id, id -> Long.MAX_VALUE));
        return new Claimant(owner, LEASE, Set.of(candidates), size -> List.of(candidates), limits, datasetsFirst);
    }

    private FillTicket claimed(Owner owner, Long... candidates) throws DatabaseException {
        ClaimResult result = claim(owner, candidates);
        assertThat(result).isInstanceOf(ClaimResult.Claimed.class);
        return ((ClaimResult.Claimed) result).ticket();
    }

    private FillRow only() throws DatabaseException {
        List<FillRow> rows = fills.list(null, Long.MAX_VALUE, 10);
        assertThat(rows).hasSize(1);
        return rows.get(0);
    }

    @Test
    void aQueuedFillReservesNothingUntilItIsClaimed() throws Exception {
        long id = volume("fast", 100);
        assertThat(queue.look()).isEqualTo(new FillQueue.Look(false, false));
        assertThat(add(id, "a/1").queued()).containsExactly("a/1");
        assertThat(queue.look()).isEqualTo(new FillQueue.Look(true, false));
        assertThat(row(id).reserved()).isZero();
        assertThat(only().owner()).isEqualTo(TWO);

        ClaimResult.Claimed claimed = (ClaimResult.Claimed) claim(ONE, id);
        assertThat(claimed.objid()).isEqualTo("a/1");
        assertThat(claimed.size()).isEqualTo(10);
        assertThat(claimed.ticket().epoch()).isEqualTo(1);
        assertThat(row(id).reserved()).isEqualTo(10);
        assertThat(claim(TWO, id)).isInstanceOf(ClaimResult.Nothing.class);
        assertThat(queue.look()).isEqualTo(new FillQueue.Look(false, false));
        assertThat(only().owner()).isEqualTo(ONE);
        assertThat(only().attempts()).isEqualTo(1);

        assertThat(fills.renew(claimed.ticket(), ONE, LEASE, 5)).isTrue();
        assertThat(fills.complete(claimed.ticket(), ONE, facts(10))).isPresent();
        assertThat(row(id).reserved()).isZero();
        assertThat(row(id).used()).isEqualTo(10);
    }

    /** Three wishes for one file are one row and one copy. */
    @Test
    void aFileIsInTheQueueOnce() throws Exception {
        long id = volume("fast", 100);
        for (String name : List.of("a/file/with'quote", "a/\"x\"%_\\", "a/日本")) {
            assertThat(add(id, name).queued()).hasSize(1);
            assertThat(add(id, name).active()).containsExactly(name);
            FillTicket ticket = claimed(ONE, id);
            assertThat(add(id, name).active()).containsExactly(name);
            assertThat(fills.complete(ticket, ONE, facts(10))).isPresent();
            assertThat(add(id, name).cached()).containsExactly(name);
            assertThat(queue.list(null, name, "", 0, 10)).hasSize(1);
            assertThat(copies.find(name, WAIT)).hasSize(1);
        }
    }

    @Test
    void aFileThatWasCachedMeanwhileNeedsNoFill() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1");
        // behind the queue's back, as after a rescue
        test.database()
                .write(
                        "copy",
                        WAIT,
                        handle -> handle.execute(
                                "INSERT INTO copies (volume_id, objid, name, size, state, since, filled_at, verified_at)"
                                        + " VALUES (?, 'a/1', 'n', 0, 'cached', 0, 0, 0)",
                                id));
        test.database().write("count", WAIT, handle -> handle.execute("UPDATE volumes SET copies = 1"));
        assertThat(claim(ONE, id)).isEqualTo(new ClaimResult.Cached("a/1"));
        assertThat(only().state()).isEqualTo(FillState.DONE);
        assertThat(claim(ONE, id)).isInstanceOf(ClaimResult.Nothing.class);
    }

    @Test
    void withoutRoomItWaitsAndAsksForAPlan() throws Exception {
        long id = volume("fast", 15);
        FillTicket other = begun("a/0", 10, ONE, id);
        add(id, "a/1", "a/2");
        assertThat(claim(ONE, id)).isEqualTo(new ClaimResult.NoRoom("a/1", true));
        assertThat(row(id).planWanted()).isEqualTo(10);
        assertThat(row(id).reserved()).isEqualTo(10);
        FillRow waiting = queue.last("a/1").orElseThrow();
        assertThat(waiting.state()).isEqualTo(FillState.QUEUED);
        assertThat(waiting.reason()).isEqualTo("no-room");
        assertThat(waiting.attempts()).isZero();
        assertThat(waiting.notBefore())
                .isBetween(test.now().plusMillis(7500), test.now().plusMillis(12_500));
        // the next in the line
        assertThat(claim(ONE)).isEqualTo(new ClaimResult.NoRoom("a/2", true));
        assertThat(queue.last("a/2").orElseThrow().reason()).isEqualTo("no-volume");
        assertThat(claim(ONE, id)).isInstanceOf(ClaimResult.Nothing.class);

        fills.fail(other, ONE, "gone");
        test.advance(Duration.ofSeconds(13));
        assertThat(claimed(ONE, id).epoch()).isPositive();
    }

    private FillQueue.Added ask(long volume, String objid, long size) throws DatabaseException {
        return queue.add(List.of(new Wish(objid, size)), TWO, Set.of(volume));
    }

    /** The limits, the health and the disks of its volumes are what an instance knows of itself alone. */
    @Test
    void whatAnotherInstanceHasRoomForIsLeftToIt() throws Exception {
        long small = volume("small", 15);
        long big = volume("big", 100);
        ask(small, "a/big", 50);
        ask(small, "a/small", 10);
        queue.offer(claimant(TWO, false, big));
        FillRow before = queue.last("a/big").orElseThrow();
        test.advance(RETRIES.roomWait());
        queue.offer(claimant(TWO, false, big));
        assertThat(claim(ONE, small))
                .isInstanceOfSatisfying(
                        ClaimResult.Claimed.class,
                        claimed -> assertThat(claimed.objid())
                                .as("the next one that fits here")
                                .isEqualTo("a/small"));
        assertThat(claim(ONE, small)).isInstanceOf(ClaimResult.Nothing.class);
        assertThat(claim(ONE)).isInstanceOf(ClaimResult.Nothing.class);
        assertThat(queue.last("a/big")).hasValue(before);
        assertThat(row(small).planWanted()).isZero();
        assertThat(claimed(TWO, big).volumeId()).isEqualTo(big);
    }

    @Test
    void whatNobodyHasRoomForWaitsWhoeverMeetsItFirst() throws Exception {
        long small = volume("small", 15);
        long big = volume("big", 100);
        begun("a/0", 60, TWO, big);
        ask(small, "a/1", 50);
        queue.offer(claimant(TWO, false, big));
        queue.offer(claimant(ONE, false, small));
        assertThat(claim(ONE, small)).as("its room is taken").isEqualTo(new ClaimResult.NoRoom("a/1", true));
        ask(small, "a/2", 40);
        assertThat(claim(ONE, small)).isInstanceOf(ClaimResult.Nothing.class);
        // it has not been heard of any more
        test.advance(LEASE);
        assertThat(claim(ONE, small)).isInstanceOf(ClaimResult.NoRoom.class);
        queue.offer(claimant(ONE, false));
        assertThat(claim(TWO, small)).as("that takes nothing").isInstanceOf(ClaimResult.NoRoom.class);
    }

    @Test
    void aFileThatIsAskedForByItselfComesBeforeThoseOfDatasets() throws Exception {
        long id = volume("fast", 1000);
        List<Wish> dataset =
                List.of(new Wish("d/1", 10), new Wish("d/2", 10), new Wish("d/3", 10), new Wish("d/4", 10));
        assertThat(queue.addOfDataset(dataset, TWO, Set.of(id)).queued()).hasSize(4);
        assertThat(queue.look().due()).isTrue();
        test.advance(Duration.ofSeconds(2));
        assertThat(queue.depth().overdue()).isEqualTo(Duration.ofSeconds(2));
        assertThat(queue.depth().counts()).containsEntry(FillState.QUEUED, 4L);
        add(id, "a/1", "a/2");
        assertThat(claimedObjid(ONE, false, id)).isEqualTo("a/1");
        assertThat(claimedObjid(ONE, true, id)).as("it is their turn").isEqualTo("d/1");
        assertThat(add(id, "d/3").active()).containsExactly("d/3");
        assertThat(queue.addOfDataset(dataset.subList(2, 4), TWO, Set.of(id)).active())
                .hasSize(2);
        assertThat(claimedObjid(ONE, false, id)).as("asked for by itself").isEqualTo("d/3");
        assertThat(claimedObjid(ONE, false, id)).isEqualTo("a/2");
        assertThat(claimedObjid(ONE, true, id)).isEqualTo("d/2");
        // what is lost stays in its line
        test.advance(LEASE);
        add(id, "a/3");
        assertThat(fills.releaseExpired(TWO, Set.of())).isEqualTo(5);
        for (String objid : List.of("a/3", "d/3", "a/1", "a/2", "d/4", "d/1", "d/2")) {
            assertThat(claimedObjid(ONE, false, id)).isEqualTo(objid);
        }
        assertThat(queue.look().due()).isFalse();
    }

    private String claimedObjid(Owner owner, boolean datasetsFirst, long id) throws DatabaseException {
        ClaimResult result = queue.claim(claimant(owner, datasetsFirst, id), name(), late -> {});
        assertThat(result).isInstanceOf(ClaimResult.Claimed.class);
        return ((ClaimResult.Claimed) result).objid();
    }

    /** What it is still at. */
    @Test
    void anOwnerThatIsAliveEndsItsFillsByItself() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1", "a/2");
        FillTicket first = claimed(ONE, id);
        claimed(ONE, id);
        test.advance(LEASE);
        assertThat(fills.holds(first, ONE)).isTrue();
        assertThat(fills.releaseExpired(ONE, Set.of(first.fillId()))).isEqualTo(1);
        assertThat(fills.holds(first, ONE)).isTrue();
        assertThat(row(id).reserved()).isEqualTo(10);
        assertThat(fills.releaseExpired(TWO, Set.of(first.fillId()))).isEqualTo(1);
        assertThat(fills.holds(first, ONE)).isFalse();
        assertThat(row(id).reserved()).isZero();
    }

    @Test
    void roomIsNotWaitedForForever() throws Exception {
        long id = volume("fast", 5);
        add(id, "a/1");
        test.advance(RETRIES.roomWait());
        assertThat(claim(ONE, id)).isEqualTo(new ClaimResult.NoRoom("a/1", false));
        assertThat(only().state()).isEqualTo(FillState.FAILED);
        assertThat(only().reason()).isEqualTo("no-room");
    }

    @Test
    void aFillThatFailsForAWhileIsTriedAgainLaterAndNotForever() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1");
        for (int attempt = 1; attempt <= 3; attempt++) {
            FillTicket ticket = claimed(ONE, id);
            assertThat(ticket.epoch()).isEqualTo(attempt);
            assertThat(fills.fail(ticket, ONE, "archive-failed")).isTrue();
            assertThat(fills.fail(ticket, ONE, "archive-failed")).isFalse();
            assertThat(row(id).reserved()).isZero();
            assertThat(only().reason()).isEqualTo("archive-failed");
            assertThat(only().attempts()).isEqualTo(attempt);
            assertThat(claim(ONE, id)).isInstanceOf(ClaimResult.Nothing.class);
            test.advance(Duration.ofMinutes(2));
        }
        assertThat(only().state()).isEqualTo(FillState.FAILED);
        assertThat(queue.look().due()).isFalse();
        // whoever asks anew begins anew
        assertThat(add(id, "a/1").queued()).hasSize(1);
        assertThat(claimed(ONE, id).epoch()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"not-found", "wrong-bytes", "archive-refused", "unknown-length"})
    void whatWillNotGoWellIsNotTriedAgain(String reason) throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1");
        assertThat(fills.fail(claimed(ONE, id), ONE, reason)).isTrue();
        assertThat(only().state()).isEqualTo(FillState.FAILED);
        assertThat(only().reason()).isEqualTo(reason);
        assertThat(row(id).reserved()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"stopping", "overloaded", "archive-away"})
    void whatIsNotTheFilesFaultIsNotCounted(String reason) throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1");
        for (int i = 0; i < 5; i++) {
            assertThat(fills.fail(claimed(ONE, id), ONE, reason)).isTrue();
            assertThat(only().state()).isEqualTo(FillState.QUEUED);
            assertThat(only().attempts()).isZero();
            test.advance(Duration.ofMinutes(2));
        }
    }

    @Test
    void afterAStopItIsDueAtOnce() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1");
        assertThat(fills.fail(claimed(ONE, id), ONE, "stopping")).isTrue();
        assertThat(claimed(TWO, id).epoch()).isEqualTo(2);
    }

    @Test
    void aFillOfAReaderIsNotTriedAgainUnlessSomebodyAskedForTheFile() throws Exception {
        long id = volume("fast", 100);
        assertThat(fills.fail(begun("a/1", 10, ONE, id), ONE, "archive-failed")).isTrue();
        assertThat(only().state()).isEqualTo(FillState.FAILED);
        FillTicket second = begun("a/2", 10, ONE, id);
        assertThat(add(id, "a/2").active()).containsExactly("a/2");
        assertThat(fills.fail(second, ONE, "archive-failed")).isTrue();
        assertThat(queue.last("a/2").orElseThrow().state()).isEqualTo(FillState.QUEUED);
    }

    @Test
    void whoAsksAgainNeedNotWait() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1");
        fills.fail(claimed(ONE, id), ONE, "archive-failed");
        assertThat(queue.look().due()).isFalse();
        assertThat(add(id, "a/1").active()).hasSize(1);
        assertThat(queue.look().due()).isTrue();
    }

    @Test
    void aFileOfAnotherSizeIsClaimedWithThatSize() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1");
        fills.fail(claimed(ONE, id), ONE, "changed", 60);
        assertThat(row(id).reserved()).isZero();
        test.advance(Duration.ofMinutes(1));
        assertThat(claim(ONE, id))
                .isInstanceOfSatisfying(
                        ClaimResult.Claimed.class,
                        claimed -> assertThat(claimed.size()).isEqualTo(60));
        assertThat(row(id).reserved()).isEqualTo(60);
    }

    /** Not before its lease has run out; and who was away for so long changes nothing any more. */
    @Test
    void theClaimOfOneWhoIsNotHeardOfIsAnothersAfterItsLease() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1");
        FillTicket first = claimed(ONE, id);
        test.advance(LEASE.minusMillis(1));
        assertThat(queue.look().lost()).isFalse();
        assertThat(fills.releaseExpired(TWO, Set.of())).isZero();
        assertThat(claim(TWO, id)).isInstanceOf(ClaimResult.Nothing.class);
        test.advance(Duration.ofMillis(1));
        assertThat(queue.look().lost()).isTrue();
        assertThat(fills.releaseExpired(TWO, Set.of())).isEqualTo(1);
        assertThat(row(id).reserved()).isZero();
        FillTicket second = claimed(TWO, id);
        assertThat(second.temporary()).isNotEqualTo(first.temporary());

        assertThat(fills.renew(first, ONE, LEASE, 1)).isFalse();
        assertThat(fills.complete(first, ONE, facts(10))).isEmpty();
        assertThat(fills.fail(first, ONE, "late")).isFalse();
        assertThat(fills.leftovers(id, TWO, 10)).as("it may not know yet").isEmpty();
        assertThat(fills.complete(second, TWO, facts(10))).isPresent();
        assertThat(row(id).used()).isEqualTo(10);
        assertThat(queue.last("a/1").orElseThrow().attempts()).isEqualTo(2);
    }

    @Test
    void theClaimOfAnEarlierBootIsResumedAtOnce() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1", "a/2");
        Owner before = new Owner("one", "boot-0");
        FillTicket first = claimed(before, id);
        FillTicket others = claimed(TWO, id);
        assertThat(fills.releaseEarlierBoots(ONE)).isEqualTo(1);
        FillTicket second = claimed(ONE, id);
        assertThat(second.fillId()).isNotEqualTo(first.fillId());
        assertThat(queue.last("a/1").orElseThrow().owner()).isEqualTo(ONE);
        assertThat(fills.leftovers(id, ONE, 10)).containsExactly(first);
        assertThat(fills.renew(others, TWO, LEASE, 1)).isTrue();
    }

    /** Else a file that ends its owner would do so forever. */
    @Test
    void whatWasLostTooOftenIsNotQueuedAgain() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1");
        for (int i = 0; i < 3; i++) {
            claimed(ONE, id);
            test.advance(LEASE);
            assertThat(fills.releaseExpired(TWO, Set.of())).isEqualTo(1);
        }
        assertThat(claim(ONE, id)).isInstanceOf(ClaimResult.Nothing.class);
        assertThat(fills.list(null, Long.MAX_VALUE, 10)).hasSize(3).allMatch(fill -> fill.state() == FillState.FAILED);
    }

    @Test
    void theDeletionOfAFileTakesItOutOfTheQueue() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1", "a/2");
        FillTicket running = claimed(ONE, id);
        assertThat(fills.cancel("a/1")).isEqualTo(1);
        assertThat(fills.cancel("a/2")).isEqualTo(1);
        assertThat(row(id).reserved()).isZero();
        assertThat(fills.fail(running, ONE, "archive-failed")).isFalse();
        test.advance(Duration.ofDays(1));
        assertThat(queue.look()).isEqualTo(new FillQueue.Look(false, false));
    }

    @Test
    void fillsAreForgottenOneByOneWhenTheyHaveEnded() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1", "a/2");
        FillTicket first = claimed(ONE, id);
        assertThat(queue.drop(first.fillId())).isEqualTo(FillQueue.Dropped.NOT_YET);
        assertThat(fills.cancel(first.fillId())).isTrue();
        assertThat(queue.drop(first.fillId())).as("a file may be left").isEqualTo(FillQueue.Dropped.NOT_YET);
        assertThat(fills.cleaned(first)).isTrue();
        assertThat(queue.drop(first.fillId())).isEqualTo(FillQueue.Dropped.YES);
        assertThat(queue.drop(first.fillId())).isEqualTo(FillQueue.Dropped.UNKNOWN);
        assertThat(queue.get(first.fillId())).isEmpty();
        FillTicket second = claimed(ONE, id);
        fills.complete(second, ONE, facts(10));
        assertThat(queue.drop(second.fillId())).isEqualTo(FillQueue.Dropped.YES);
    }

    @Test
    void failuresAreKeptInNumber() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1", "a/2", "a/3", "a/4", "a/5");
        for (int i = 0; i < 5; i++) {
            fills.fail(claimed(ONE, id), ONE, "not-found");
        }
        assertThat(fills.pruneFailed(5, 10)).isZero();
        assertThat(fills.pruneFailed(2, 2)).isEqualTo(2);
        assertThat(fills.pruneFailed(2, 2)).isEqualTo(1);
        assertThat(fills.list(FillState.FAILED, Long.MAX_VALUE, 10))
                .extracting(FillRow::objid)
                .containsExactly("a/5", "a/4");
    }

    @Test
    void fillsAreListedByNameInPages() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1", "a/2", "a/3", "a_/1", "b/1");
        fills.fail(claimed(ONE, id), ONE, "not-found");
        add(id, "a/1");
        List<FillRow> page = queue.list(null, "a/", "", 0, 3);
        assertThat(page).extracting(FillRow::objid).containsExactly("a/1", "a/1", "a/2");
        assertThat(queue.list(null, "a/", "a/1", page.get(0).id(), 3))
                .extracting(FillRow::objid)
                .containsExactly("a/1", "a/2", "a/3");
        assertThat(queue.list(FillState.QUEUED, "a", "", 0, 10))
                .extracting(FillRow::objid)
                .containsExactly("a/1", "a/2", "a/3", "a_/1");
        assertThat(queue.list(FillState.QUEUED, "a", "a/2", Long.MAX_VALUE, 10))
                .extracting(FillRow::objid)
                .containsExactly("a/3", "a_/1");
        assertThat(queue.active(List.of("a/1", "c/1"))).containsOnlyKeys("a/1");
    }

    @Test
    void aDatasetsProgressAndTheQueuesDepthAreCounted() throws Exception {
        long id = volume("fast", 100);
        add(id, "a/1", "a/2", "a/3", "a/4", "b/1");
        fills.complete(claimed(ONE, id), ONE, facts(10));
        fills.fail(claimed(ONE, id), ONE, "not-found");
        claimed(ONE, id);
        FillQueue.Progress progress = queue.progress("a/");
        assertThat(progress.cached()).isEqualTo(new Sum(1, 10));
        for (FillState state : FillState.values()) {
            assertThat(progress.fills(state)).as("%s", state).isEqualTo(new Sum(1, 10));
        }
        test.advance(Duration.ofSeconds(3));
        FillQueue.Depth depth = queue.depth();
        assertThat(depth.counts())
                .containsEntry(FillState.QUEUED, 2L)
                .containsEntry(FillState.RUNNING, 1L)
                .containsEntry(FillState.FAILED, 1L);
        assertThat(depth.overdue()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void manyWorkersClaimEachFillOnce() throws Exception {
        long id = volume("fast", 100_000);
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> adding = new ArrayList<>();
            // all ask for the same, and overlapping, files
            for (int i = 0; i < 4; i++) {
                int from = 20 * i;
                adding.add(pool.submit(() -> add(
                        id,
                        IntStream.range(from, from + 60)
                                .mapToObj("a/%03d"::formatted)
                                .toArray(String[]::new))));
            }
            for (Future<?> one : adding) {
                one.get();
            }
            ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
            List<Future<?>> claiming = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Owner owner = i % 2 == 0 ? ONE : TWO;
                claiming.add(pool.submit(() -> {
                    while (claim(owner, id) instanceof ClaimResult.Claimed claimed) {
                        seen.add(claimed.objid());
                        assertThat(fills.complete(claimed.ticket(), owner, facts(10)))
                                .isPresent();
                    }
                    return null;
                }));
            }
            for (Future<?> one : claiming) {
                one.get();
            }
            assertThat(seen).hasSize(120);
            assertThat(new HashSet<>(seen)).hasSize(120);
            assertThat(row(id).copies()).isEqualTo(120);
            assertThat(backend().deadlocks(test)).isZero();
        } finally {
            pool.shutdownNow();
        }
    }
}
