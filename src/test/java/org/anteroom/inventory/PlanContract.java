package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.anteroom.inventory.PlanRow.Tally;
import org.anteroom.jdbc.DatabaseException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

abstract class PlanContract extends InventoryContract {
    private static final Duration EXPIRY = Duration.ofDays(1);

    private long volume;
    private Lease lease;

    @BeforeEach
    void makeVolume() throws Exception {
        volume = volume("fast", 1_000_000);
        lease = leases.acquire("plan:" + volume, ONE, Duration.ofDays(3)).orElseThrow();
    }

    private List<CopyRow> fill(int count) throws DatabaseException {
        List<CopyRow> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(cached("a/" + i, 10, volume));
            test.advance(Duration.ofSeconds(1));
        }
        return made;
    }

    private PlanRow plan(long free) throws DatabaseException {
        return plans.create(
                        lease, new NewPlan(volume, "lru", free, EXPIRY), plans.leastRecentlyUsed(volume, Duration.ZERO))
                .orElseThrow();
    }

    private List<ItemState> states(PlanRow plan) throws DatabaseException {
        return plans.items(plan.id(), 0, 100).stream().map(PlanItem::state).toList();
    }

    private void delete(CopyRow copy) throws DatabaseException {
        assertThat(copies.beginDeleting(copy.id(), GRACE)).isTrue();
        assertThat(copies.deleted(copy.id())).isTrue();
    }

    @Test
    void thePlanNamesTheLongestUnusedThatFreeEnough() throws Exception {
        List<CopyRow> made = fill(6);
        uses.record(List.of(new Use(made.get(0).id(), test.now(), 1)));
        copies.condemn(made.get(1).id(), CondemnedBy.DELETE);
        PlanRow plan = plan(25);
        assertThat(plan.state()).isEqualTo(PlanState.PROPOSED);
        assertThat(plan.promised()).isEqualTo(new Tally(3, 30));
        assertThat(plan.pending()).isEqualTo(new Tally(3, 30));
        assertThat(plans.get(plan.id())).hasValue(plan);
        assertThat(plans.items(plan.id(), 0, 10)).extracting(PlanItem::objid).containsExactly("a/2", "a/3", "a/4");
        assertThat(plans.items(plan.id(), 2, 10)).extracting(PlanItem::position).containsExactly(3L);
    }

    @Test
    void youngCopiesAreNoCandidatesAndPagesGoOnWhereTheyEnded() throws Exception {
        fill(5);
        CandidateSource source = plans.leastRecentlyUsed(volume, Duration.ofSeconds(3));
        assertThat(source.next(2)).extracting(Candidate::objid).containsExactly("a/0", "a/1");
        assertThat(source.next(2)).extracting(Candidate::objid).containsExactly("a/2");
        assertThat(source.next(2)).isEmpty();
    }

    @Test
    void whatIsUsedOnlyWhileThePageIsReadComesOnceAtMost() throws Exception {
        List<CopyRow> made = fill(3);
        CandidateSource source = plans.leastRecentlyUsed(volume, Duration.ZERO);
        source.next(1);
        uses.record(List.of(new Use(made.get(1).id(), test.now(), 1)));
        assertThat(source.next(5)).extracting(Candidate::objid).containsExactly("a/2", "a/1");
    }

    @Test
    void aPlanOfManyPagesIsWrittenInShortTransactions() throws Exception {
        List<Candidate> all = new ArrayList<>();
        for (int i = 0; i < 1234; i++) {
            all.add(new Candidate(100_000 + i, "b/" + i, 1, test.now(), 0, test.now()));
        }
        int[] at = {0};
        CandidateSource source = limit -> {
            List<Candidate> page = all.subList(at[0], Math.min(at[0] + limit, all.size()));
            at[0] += page.size();
            return page;
        };
        PlanRow plan = plans.create(lease, new NewPlan(volume, "lru", 5000, EXPIRY), source)
                .orElseThrow();
        assertThat(plan.promised()).isEqualTo(new Tally(1234, 1234));
        assertThat(plans.items(plan.id(), 1233, 10)).extracting(PlanItem::objid).containsExactly("b/1233");
        assertThat(plans.drop(plan.id())).isTrue();
        assertThat(plans.get(plan.id())).isEmpty();
        assertThat(plans.items(plan.id(), 0, 10)).isEmpty();
        assertThat(plans.drop(plan.id())).isFalse();
    }

    @Test
    void aPlanRunsToItsEndMinusSkips() throws Exception {
        List<CopyRow> made = fill(4);
        PlanRow plan = plan(40);
        test.advance(Duration.ofSeconds(1));
        uses.record(List.of(new Use(made.get(1).id(), test.now(), 1)));
        copies.removeMissing(made.get(2).id(), Duration.ofSeconds(5));
        assertThat(plans.condemnNext(lease, plan.id(), 10)).isEmpty();
        assertThat(plans.start(lease, plan.id())).isTrue();
        assertThat(plans.running(volume))
                .hasValueSatisfying(running -> assertThat(running.id()).isEqualTo(plan.id()));
        assertThat(plans.condemnNext(lease, plan.id(), 2)).hasValue(new PlanStep(1, 1, true));
        assertThat(plans.condemnNext(lease, plan.id(), 10)).hasValue(new PlanStep(1, 1, false));
        assertThat(plans.items(plan.id(), 0, 10))
                .extracting(PlanItem::reason)
                .containsExactly(null, "used since the plan was made", "it is gone", null);
        test.advance(GRACE);
        delete(made.get(0));
        assertThat(plans.get(plan.id()).orElseThrow().state()).isEqualTo(PlanState.RUNNING);
        delete(made.get(3));
        PlanRow done = plans.get(plan.id()).orElseThrow();
        assertThat(done.state()).isEqualTo(PlanState.DONE);
        assertThat(done.ended()).isEqualTo(test.now());
        assertThat(done.freed()).isEqualTo(new Tally(2, 20));
        assertThat(done.skipped()).isEqualTo(new Tally(2, 20));
        assertThat(done.condemned()).isEqualTo(new Tally(0, 0));
        assertThat(row(volume).used()).isEqualTo(10);
    }

    @Test
    void rescuedAndMissingItemsAreSkippedAndFailedOnesMayBeFreedLater() throws Exception {
        List<CopyRow> made = fill(3);
        PlanRow plan = plan(30);
        plans.start(lease, plan.id());
        plans.condemnNext(lease, plan.id(), 10);
        assertThat(copies.rescue(made.get(0).id())).isTrue();
        copies.removeMissing(made.get(1).id(), Duration.ofSeconds(5));
        assertThat(plans.itemFailed(made.get(2).id(), "the disk failed")).isTrue();
        assertThat(plans.itemFailed(made.get(0).id(), "the disk failed")).isFalse();
        assertThat(states(plan)).containsExactly(ItemState.SKIPPED, ItemState.SKIPPED, ItemState.FAILED);
        PlanRow done = plans.get(plan.id()).orElseThrow();
        assertThat(done.state()).isEqualTo(PlanState.DONE);
        assertThat(done.failed()).isEqualTo(new Tally(1, 10));
        test.advance(GRACE);
        delete(made.get(2));
        PlanRow freed = plans.get(plan.id()).orElseThrow();
        assertThat(freed.failed()).isEqualTo(new Tally(0, 0));
        assertThat(freed.freed()).isEqualTo(new Tally(1, 10));
    }

    @Test
    void aPlanCanBeStoppedAndResumed() throws Exception {
        fill(4);
        PlanRow plan = plan(40);
        assertThat(plans.stop(plan.id())).isFalse();
        plans.start(lease, plan.id());
        plans.condemnNext(lease, plan.id(), 1);
        assertThat(plans.stop(plan.id())).isTrue();
        assertThat(plans.condemnNext(lease, plan.id(), 1)).isEmpty();
        test.advance(EXPIRY);
        assertThat(plans.start(lease, plan.id())).isTrue();
        assertThat(plans.drop(plan.id())).isFalse();
        assertThat(plans.condemnNext(lease, plan.id(), 10)).hasValue(new PlanStep(3, 0, false));
    }

    @Test
    void onePlanRunsInAVolumeAtATime() throws Exception {
        fill(2);
        PlanRow one = plan(10);
        PlanRow two = plan(10);
        assertThat(plans.start(lease, one.id())).isTrue();
        assertThat(plans.start(lease, one.id())).isFalse();
        assertThat(plans.start(lease, two.id())).isFalse();
        plans.stop(one.id());
        assertThat(plans.start(lease, two.id())).isTrue();
        plans.condemnNext(lease, two.id(), 10);
        plans.stop(two.id());
        plans.start(lease, one.id());
        assertThat(plans.condemnNext(lease, one.id(), 10)).hasValue(new PlanStep(0, 1, false));
        assertThat(plans.items(one.id(), 0, 10)).extracting(PlanItem::reason).containsExactly("it is condemned");
    }

    @Test
    void aProposalExpires() throws Exception {
        fill(1);
        PlanRow plan = plan(10);
        assertThat(plans.expire()).isZero();
        test.advance(EXPIRY);
        assertThat(plans.start(lease, plan.id())).isFalse();
        assertThat(plans.expire()).isEqualTo(1);
        assertThat(plans.get(plan.id()).orElseThrow().state()).isEqualTo(PlanState.EXPIRED);
        assertThat(plans.pruneEnded(Duration.ofDays(1), 10)).isZero();
        test.advance(Duration.ofDays(1));
        assertThat(plans.pruneEnded(Duration.ofDays(1), 10)).isEqualTo(1);
        assertThat(plans.get(plan.id())).isEmpty();
    }

    @Test
    void anEmptyPlanIsDoneAtOnce() throws Exception {
        PlanRow plan = plan(10);
        assertThat(plan.promised()).isEqualTo(new Tally(0, 0));
        assertThat(plans.start(lease, plan.id())).isTrue();
        assertThat(plans.get(plan.id()).orElseThrow().state()).isEqualTo(PlanState.DONE);
    }

    @Test
    void whoLostTheLeaseNeitherPlansNorCondemns() throws Exception {
        fill(1);
        PlanRow plan = plan(10);
        plans.start(lease, plan.id());
        plans.stop(plan.id());
        test.advance(Duration.ofDays(3));
        assertThat(plans.start(lease, plan.id())).isFalse();
        Lease later = leases.acquire(lease.name(), ONE, LEASE).orElseThrow();
        assertThat(plans.start(lease, plan.id())).isFalse();
        assertThat(plans.start(later, plan.id())).isTrue();
        test.advance(LEASE);
        assertThat(plans.condemnNext(lease, plan.id(), 10)).isEmpty();
        assertThat(plans.create(
                        lease, new NewPlan(volume, "lru", 10, EXPIRY), plans.leastRecentlyUsed(volume, Duration.ZERO)))
                .isEmpty();
        Lease next = leases.acquire(lease.name(), TWO, LEASE).orElseThrow();
        assertThat(plans.condemnNext(lease, plan.id(), 10)).isEmpty();
        assertThat(plans.condemnNext(next, plan.id(), 10)).hasValue(new PlanStep(1, 0, false));
    }
}
