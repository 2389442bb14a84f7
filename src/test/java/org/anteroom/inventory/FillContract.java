package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FileFacts;
import org.junit.jupiter.api.Test;

abstract class FillContract extends InventoryContract {

    @Test
    void aFillReservesThenUsesItsBytes() throws Exception {
        long id = volume("fast", 100);
        FillTicket ticket = begun("a/1", 60, ONE, id);
        assertThat(ticket.temporary()).isEqualTo(ticket.fillId() + ".1");
        assertThat(row(id).reserved()).isEqualTo(60);
        assertThat(fills.expects(id, ticket.name())).isTrue();
        assertThat(fills.alive(ticket.fillId(), 1, TWO)).isTrue();
        CopyRow copy = fills.complete(ticket, ONE, facts(60)).orElseThrow();
        assertThat(copies.find("a/1", WAIT)).containsExactly(copy);
        assertThat(copy.facts()).isEqualTo(facts(60));
        assertThat(copy.filledAt()).isEqualTo(test.now());
        assertThat(row(id).reserved()).isZero();
        assertThat(row(id).used()).isEqualTo(60);
        assertThat(row(id).copies()).isEqualTo(1);
        assertThat(fills.stored(ticket)).isTrue();
        assertThat(fills.expects(id, ticket.name())).isFalse();
        assertThat(begin("a/1", 60, TWO, id)).isEqualTo(new BeginResult.Cached(List.of(copy)));
    }

    /** Such as a volume that was taken out of the configuration. */
    @Test
    void copiesInVolumesThatTheAskingInstanceDoesNotHaveAreNoneToIt() throws Exception {
        long away = volume("away", 100);
        long here = volume("here", 100);
        assertThat(fills.complete(begun("a/1", 60, ONE, away), ONE, facts(60))).isPresent();
        NewFill asked = new NewFill("a/1", facts(60), name(), ONE, LEASE, Set.of(here));
        BeginResult result = fills.begin(asked, List.of(here), WAIT, late -> {});
        FillTicket ticket = ((BeginResult.Begun) result).ticket();
        assertThat(ticket.volumeId()).isEqualTo(here);
        assertThat(fills.complete(ticket, ONE, facts(60))).isPresent();
        assertThat(copies.find("a/1", WAIT)).extracting(CopyRow::volumeId).containsExactlyInAnyOrder(here, away);
    }

    @Test
    void factsAreKeptToTheNanosecondAndMayBeAbsent() throws Exception {
        long id = volume("fast", 100);
        for (Instant time : new Instant[] {Instant.parse("1815-12-10T00:00:00.000000001Z"), Instant.EPOCH, null}) {
            FileFacts facts = new FileFacts(0, time, null, null, null);
            String objid = "a/" + time;
            FillTicket ticket = begun(objid, 0, ONE, id);
            assertThat(fills.complete(ticket, ONE, facts).orElseThrow().facts()).isEqualTo(facts);
            assertThat(copies.find(objid, WAIT).get(0).facts()).isEqualTo(facts);
        }
    }

    @Test
    void aRunningFillIsTheSingleFlight() throws Exception {
        long id = volume("fast", 100);
        FillTicket ticket = begun("a/1", 10, ONE, id);
        BeginResult running = new BeginResult.RunningElsewhere(ticket.fillId(), 1, ONE);
        assertThat(begin("a/1", 10, TWO, id)).isEqualTo(running);
        assertThat(begin("a/1", 10, ONE, id)).isEqualTo(running);
        assertThat(row(id).reserved()).isEqualTo(10);
    }

    @Test
    void aFillWhoseOwnerIsNotHeardOfIsTakenOverAndTheOwnerDoesNothingMore() throws Exception {
        long fast = volume("fast", 100);
        long bulk = volume("bulk", 100);
        FillTicket first = begun("a/1", 10, ONE, fast);
        test.advance(LEASE.minusMillis(1));
        assertThat(fills.renew(first, ONE, LEASE, 4)).isTrue();
        assertThat(fills.list(FillState.RUNNING, Long.MAX_VALUE, 10).get(0).bytes())
                .isEqualTo(4);
        test.advance(LEASE);
        assertThat(fills.renew(first, ONE, LEASE, 5)).isFalse();
        assertThat(fills.complete(first, ONE, facts(10))).isEmpty();
        FillTicket second = begun("a/1", 10, TWO, bulk);
        assertThat(second.temporary()).isNotEqualTo(first.temporary());
        assertThat(row(fast).reserved()).isZero();
        assertThat(row(bulk).reserved()).isEqualTo(10);
        assertThat(fills.fail(first, ONE, "late")).isFalse();
        assertThat(fills.renew(first, ONE, LEASE, 6)).isFalse();
        assertThat(fills.complete(second, TWO, facts(10))).isPresent();
    }

    @Test
    void aLostFillWithoutRoomIsQueuedAndNothingIsReserved() throws Exception {
        long id = volume("fast", 100);
        begun("a/1", 10, ONE, id);
        test.advance(LEASE);
        assertThat(begin("a/1", 101, TWO, id)).isInstanceOf(BeginResult.NoRoom.class);
        assertThat(row(id).reserved()).isZero();
        List<FillRow> rows = fills.list(null, Long.MAX_VALUE, 10);
        assertThat(rows).extracting(FillRow::state).containsExactly(FillState.QUEUED, FillState.FAILED);
        assertThat(rows.get(1).reason()).isEqualTo("its owner was not heard of any more");
        assertThat(rows.get(0).attempts()).isEqualTo(1);
    }

    @Test
    void whatAFillMayHaveLeftIsToldUntilItIsCleaned() throws Exception {
        long id = volume("fast", 100);
        Owner before = new Owner("one", "boot-0");
        FillTicket old = begun("a/1", 10, before, id);
        FillTicket mine = begun("a/2", 10, ONE, id);
        FillTicket other = begun("a/3", 10, TWO, id);
        FillTicket failed = begun("a/4", 10, TWO, id);
        fills.fail(failed, TWO, "its owner has removed the file");
        assertThat(fills.leftovers(id, ONE, 10)).isEmpty();
        fills.releaseEarlierBoots(ONE);
        assertThat(fills.leftovers(id, ONE, 10)).containsExactly(old);
        assertThat(fills.stored(old)).isFalse();
        fills.cancel("a/2");
        fills.cancel("a/3");
        // the other instance may not know yet
        assertThat(fills.alive(other.fillId(), other.epoch(), ONE)).isTrue();
        assertThat(fills.leftovers(id, ONE, 10)).containsExactly(old);
        test.advance(Duration.ofMinutes(10));
        assertThat(fills.alive(other.fillId(), other.epoch(), ONE)).isFalse();
        assertThat(fills.alive(mine.fillId(), mine.epoch(), ONE)).isTrue();
        assertThat(fills.leftovers(id, ONE, 10)).containsExactly(old, other);
        assertThat(fills.leftovers(id, ONE, 1)).containsExactly(old);
        assertThat(fills.pruneEnded(Duration.ZERO, 10)).isEqualTo(1);
        assertThat(fills.cleaned(old)).isTrue();
        assertThat(fills.leftovers(id, ONE, 10)).containsExactly(other);
        assertThat(fills.pruneEnded(Duration.ZERO, 10)).isEqualTo(1);
    }

    @Test
    void aReaderLeavesAQueuedFillWithoutRoomAsItIs() throws Exception {
        long id = volume("fast", 100);
        queue.add(List.of(new FillQueue.Wish("a/1", 10)), TWO, Set.of(id));
        List<FillRow> before = fills.list(null, Long.MAX_VALUE, 10);
        assertThat(begin("a/1", 101, ONE, id)).isInstanceOf(BeginResult.NoRoom.class);
        begun("a/2", 95, TWO, id);
        assertThat(begin("a/1", 10, ONE, id)).isInstanceOf(BeginResult.NoRoom.class);
        assertThat(fills.list(FillState.QUEUED, Long.MAX_VALUE, 10)).isEqualTo(before);
    }

    @Test
    void aReaderClaimsAQueuedFill() throws Exception {
        long id = volume("fast", 100);
        queue.add(List.of(new FillQueue.Wish("a/1", 10)), TWO, Set.of(id));
        assertThat(row(id).reserved()).isZero();
        FillTicket ticket = begun("a/1", 10, ONE, id);
        assertThat(ticket.epoch()).isEqualTo(1);
        assertThat(row(id).reserved()).isEqualTo(10);
        assertThat(fills.list(null, Long.MAX_VALUE, 10)).singleElement().satisfies(fill -> {
            assertThat(fill.attempts()).isEqualTo(1);
            assertThat(fill.owner()).isEqualTo(ONE);
        });
        assertThat(fills.complete(ticket, ONE, facts(10))).isPresent();
    }

    @Test
    void fillsGoToTheFirstVolumeWithRoomThatIsActive() throws Exception {
        long off = volume("off", 100);
        long small = volume("small", 5);
        long bulk = volume("bulk", 100);
        volumes.setStatus(off, VolumeStatus.READ_ONLY);
        assertThat(begun("a/1", 10, ONE, off, small, bulk).volumeId()).isEqualTo(bulk);
        assertThat(begin("a/2", 95, ONE, off, small, bulk)).isInstanceOf(BeginResult.NoRoom.class);
        assertThat(begin("a/2", 95, ONE)).isInstanceOf(BeginResult.NoRoom.class);
        assertThat(row(off).planWanted()).isZero();
        assertThat(row(small).planWanted()).isZero();
        assertThat(row(bulk).planWanted()).isEqualTo(95);
    }

    @Test
    void copiesThatTheInstanceCannotReadDoNotCount() throws Exception {
        long own = volumes.register(new NewVolume("own", "two", "filesystem", "/own", 100, VolumeStatus.ACTIVE, 10))
                .id();
        long shared = volume("shared", 100);
        FillTicket ticket = begun("a/1", 10, TWO, own);
        fills.complete(ticket, TWO, facts(10));
        assertThat(begin("a/1", 10, TWO, own)).isInstanceOf(BeginResult.Cached.class);
        begun("a/1", 10, ONE, shared);
        cached("a/2", 10, shared);
        volumes.setStatus(shared, VolumeStatus.OFFLINE);
        begun("a/2", 10, TWO, own);
    }

    @Test
    void aCopyThatEvictionCondemnedIsRescuedInsteadOfFilling() throws Exception {
        long id = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, id);
        test.database()
                .write(
                        "condemn",
                        WAIT,
                        handle -> handle.execute(
                                "UPDATE copies SET state = 'condemned', condemned_by = 'eviction' WHERE id = ?",
                                copy.id()));
        assertThat(copies.find("a/1", WAIT)).isEmpty();
        assertThat(begin("a/1", 10, TWO, id))
                .isInstanceOfSatisfying(
                        BeginResult.Cached.class,
                        result -> assertThat(result.copies()).singleElement().satisfies(rescued -> {
                            assertThat(rescued.id()).isEqualTo(copy.id());
                            assertThat(rescued.state()).isEqualTo(CopyState.CACHED);
                        }));
        assertThat(copies.condemn("a/1", CondemnedBy.DELETE)).containsExactly(copy.id());
        begun("a/1", 10, TWO, id);
    }

    @Test
    void aFillThatFindsARescuedCopyAtItsEndMakesNoSecondOne() throws Exception {
        long id = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, id);
        copies.condemn(copy.id(), CondemnedBy.DELETE);
        FillTicket ticket = begun("a/1", 10, ONE, id);
        test.database()
                .write(
                        "as-eviction",
                        WAIT,
                        handle ->
                                handle.execute("UPDATE copies SET condemned_by = 'eviction' WHERE id = ?", copy.id()));
        assertThat(copies.rescue(copy.id())).isTrue();
        assertThat(fills.complete(ticket, ONE, facts(10))).isEmpty();
        assertThat(row(id).reserved()).isZero();
        assertThat(row(id).copies()).isEqualTo(1);
    }

    @Test
    void aNewCopyReplacesASuspectOne() throws Exception {
        long id = volume("fast", 100);
        CopyRow bad = cached("a/1", 10, id);
        assertThat(copies.suspect(bad.id())).isTrue();
        assertThat(copies.suspect(bad.id())).isFalse();
        assertThat(copies.find("a/1", WAIT)).isEmpty();
        CopyRow good = cached("a/1", 10, id);
        assertThat(copies.find("a/1", WAIT)).containsExactly(good);
        test.advance(GRACE);
        assertThat(copies.due(id, GRACE, 0, 10)).extracting(CopyRow::id).containsExactly(bad.id());
        assertThat(copies.rescue(bad.id())).isFalse();
    }

    @Test
    void failedFillsGiveTheirBytesBack() throws Exception {
        long id = volume("fast", 1000);
        for (int i = 0; i < 100; i++) {
            FillTicket ticket = begun("a/1", 10, ONE, id);
            assertThat(fills.fail(ticket, TWO, "not mine")).isFalse();
            assertThat(fills.fail(ticket, ONE, "the archive failed")).isTrue();
            assertThat(fills.fail(ticket, ONE, "again")).isFalse();
        }
        assertThat(row(id).reserved()).isZero();
        assertThat(fills.list(FillState.FAILED, Long.MAX_VALUE, 1000))
                .hasSize(100)
                .allSatisfy(fill -> {
                    assertThat(fill.reason()).isEqualTo("the archive failed");
                    assertThat(fill.until()).isNull();
                });
        test.advance(Duration.ofDays(1));
        assertThat(fills.pruneEnded(Duration.ofDays(2), 1000)).isZero();
        assertThat(fills.pruneEnded(Duration.ofDays(1), 60)).isEqualTo(60);
        assertThat(fills.pruneEnded(Duration.ofDays(1), 60)).isEqualTo(40);
    }

    @Test
    void aDeletedFilesFillFindsOutAtItsEnd() throws Exception {
        long id = volume("fast", 100);
        FillTicket ticket = begun("a/1", 10, ONE, id);
        FillTicket other = begun("a/2", 10, ONE, id);
        assertThat(fills.cancel("a/1")).isEqualTo(1);
        assertThat(fills.cancel("a/1")).isZero();
        assertThat(fills.cancel(other.fillId())).isTrue();
        assertThat(fills.cancel(other.fillId())).isFalse();
        assertThat(row(id).reserved()).isZero();
        assertThat(fills.complete(ticket, ONE, facts(10))).isEmpty();
        assertThat(fills.renew(other, ONE, LEASE, 1)).isFalse();
        assertThat(copies.find("a/1", WAIT)).isEmpty();
    }

    @Test
    void earlierBootsAndTheExpiredAreReleasedAndNobodyElse() throws Exception {
        long id = volume("fast", 100);
        Owner before = new Owner("one", "boot-0");
        FillTicket old = begun("a/1", 10, before, id);
        begun("a/2", 10, ONE, id);
        begun("a/3", 10, TWO, id);
        assertThat(fills.releaseEarlierBoots(ONE)).isEqualTo(1);
        assertThat(fills.alive(old.fillId(), 1, ONE)).isFalse();
        assertThat(row(id).reserved()).isEqualTo(20);
        assertThat(fills.releaseExpired(TWO, Set.of())).isZero();
        test.advance(LEASE);
        assertThat(fills.releaseExpired(TWO, Set.of())).isEqualTo(2);
        assertThat(row(id).reserved()).isZero();
    }

    @Test
    void fillsAreListedNewestFirstInPages() throws Exception {
        long id = volume("fast", 100);
        for (int i = 0; i < 5; i++) {
            begun("a/" + i, 1, ONE, id);
        }
        List<FillRow> page = fills.list(FillState.RUNNING, Long.MAX_VALUE, 3);
        assertThat(page).extracting(FillRow::objid).containsExactly("a/4", "a/3", "a/2");
        assertThat(page.get(0).owner()).isEqualTo(ONE);
        assertThat(page.get(0).until()).isEqualTo(test.now().plus(LEASE));
        assertThat(fills.list(FillState.RUNNING, page.get(2).id(), 3))
                .extracting(FillRow::objid)
                .containsExactly("a/1", "a/0");
        assertThat(fills.list(FillState.QUEUED, Long.MAX_VALUE, 3)).isEmpty();
    }

    @Test
    void ofAHundredWhoBeginTheSameFileOneDoes() throws Exception {
        long id = volume("fast", 100);
        List<BeginResult> results = together(100, i -> begin("a/1", 10, i % 2 == 0 ? ONE : TWO, id));
        assertThat(results.stream().filter(BeginResult.Begun.class::isInstance)).hasSize(1);
        assertThat(results.stream().filter(BeginResult.RunningElsewhere.class::isInstance))
                .hasSize(99);
        assertThat(row(id).reserved()).isEqualTo(10);
    }

    @Test
    void reservationsNeverExceedTheCapacity() throws Exception {
        long fast = volume("fast", 95);
        long bulk = volume("bulk", 55);
        List<BeginResult> results = together(100, i -> begin("a/" + i, 10, ONE, fast, bulk));
        assertThat(results.stream().filter(BeginResult.Begun.class::isInstance)).hasSize(14);
        assertThat(row(fast).reserved()).isEqualTo(90);
        assertThat(row(bulk).reserved()).isEqualTo(50);
    }

    @Test
    void whateverHappensTheCountersAreTheSums() throws Exception {
        long fast = volume("fast", 2000);
        long bulk = volume("bulk", 3000);
        ConcurrentLinkedQueue<Long> made = new ConcurrentLinkedQueue<>();
        AtomicLong most = new AtomicLong();
        together(16, thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 25; i++) {
                String objid = "a/" + random.nextInt(40);
                BeginResult result = begin(objid, 1 + random.nextInt(200), ONE, fast, bulk);
                if (result instanceof BeginResult.Begun begun) {
                    end(begun.ticket(), random, made);
                }
                most.accumulateAndGet(row(fast).used() + row(fast).reserved(), Math::max);
                leave(objid, random, made);
            }
            return thread;
        });
        assertThat(most.get()).isPositive();
        assertThat(row(fast).reserved()).isZero();
        assertThat(row(bulk).reserved()).isZero();
        assertThat(row(fast).used()).isBetween(0L, 2000L);
        // closing compares the counters with the sums
    }

    private void end(FillTicket ticket, Random random, ConcurrentLinkedQueue<Long> made) throws DatabaseException {
        long size = fills.list(null, ticket.fillId() + 1, 1).get(0).size();
        switch (random.nextInt(4)) {
            case 0 -> fills.fail(ticket, ONE, "on purpose");
            case 1 -> fills.cancel(ticket.fillId());
            default -> fills.complete(ticket, ONE, facts(size)).ifPresent(copy -> made.add(copy.id()));
        }
    }

    private void leave(String objid, Random random, ConcurrentLinkedQueue<Long> made) throws DatabaseException {
        switch (random.nextInt(5)) {
            case 0 -> {
                for (long id : copies.condemn(objid, CondemnedBy.DELETE)) {
                    copies.beginDeleting(id, Duration.ZERO);
                    copies.deleted(id);
                    copies.deleted(id);
                }
            }
            case 1 -> {
                Long id = made.poll();
                if (id != null) {
                    copies.removeMissing(id, Duration.ofSeconds(5));
                }
            }
            case 2 -> {
                Long id = made.peek();
                if (id != null) {
                    copies.suspect(id);
                }
            }
            default -> fills.cancel(objid);
        }
    }

    private interface Step<T> {
        T run(int number) throws Exception;
    }

    private static <T> List<T> together(int threads, Step<T> step) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<T>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                running.add(pool.submit(() -> step.run(number)));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : running) {
                results.add(future.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }
}
