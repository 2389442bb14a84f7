package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

abstract class CopyContract extends InventoryContract {

    @Test
    void theNewestCopyComesFirstAndOneStatementFindsThem() throws Exception {
        long fast = volume("fast", 100);
        long own = volumes.register(new NewVolume("own", "two", "filesystem", "/own", 100, VolumeStatus.ACTIVE, 10))
                .id();
        FillTicket ticket = begun("a/1", 10, TWO, own);
        CopyRow older = fills.complete(ticket, TWO, facts(10)).orElseThrow();
        test.advance(Duration.ofSeconds(1));
        CopyRow newer = cached("a/1", 10, fast);
        long before = test.statementsRun("find-copies");
        assertThat(copies.find("a/1", WAIT)).containsExactly(newer, older);
        assertThat(test.statementsRun("find-copies") - before).isEqualTo(1);
        assertThat(copies.find("a/2", WAIT)).isEmpty();
    }

    @Test
    void checksumsOfManyFilesAreOneStatement() throws Exception {
        long id = volume("fast", 100);
        CopyRow one = cached("a/1", 10, id);
        CopyRow two = cached("a/2", 20, id);
        CopyRow gone = cached("a/3", 30, id);
        copies.condemn(gone.id(), CondemnedBy.DELETE);
        long before = test.statementsRun("find-checksums");
        assertThat(copies.checksummed(List.of("a/1", "a/2", "a/3", "a/4"), WAIT))
                .isEqualTo(Map.of("a/1", one.facts(), "a/2", two.facts()));
        assertThat(test.statementsRun("find-checksums") - before).isEqualTo(1);
    }

    @Test
    void aDeletedCopyGivesItsBytesBackOnce() throws Exception {
        long id = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, id);
        assertThat(copies.deleted(copy.id())).isFalse();
        assertThat(copies.condemn("a/1", CondemnedBy.DELETE)).containsExactly(copy.id());
        assertThat(copies.condemn("a/1", CondemnedBy.DELETE)).isEmpty();
        assertThat(copies.beginDeleting(copy.id(), GRACE)).isFalse();
        assertThat(copies.due(id, GRACE, 0, 10)).isEmpty();
        test.advance(GRACE);
        assertThat(copies.due(id, GRACE, 0, 10)).extracting(CopyRow::id).containsExactly(copy.id());
        assertThat(copies.beginDeleting(copy.id(), GRACE)).isTrue();
        assertThat(copies.beginDeleting(copy.id(), GRACE)).isFalse();
        assertThat(copies.due(id, GRACE, 0, 10)).extracting(CopyRow::state).containsExactly(CopyState.DELETING);
        assertThat(row(id).used()).isEqualTo(10);
        assertThat(copies.deleted(copy.id())).isTrue();
        assertThat(copies.deleted(copy.id())).isFalse();
        assertThat(row(id).used()).isZero();
        assertThat(row(id).copies()).isZero();
    }

    @Test
    void aMissingCopysRowGoesInAnyState() throws Exception {
        long id = volume("fast", 100);
        CopyRow one = cached("a/1", 10, id);
        CopyRow two = cached("a/2", 20, id);
        copies.condemn(two.id(), CondemnedBy.FAILED_CHECK);
        assertThat(copies.removeMissing(one.id(), Duration.ofSeconds(5))).isTrue();
        assertThat(copies.removeMissing(one.id(), Duration.ofSeconds(5))).isFalse();
        assertThat(copies.removeMissing(two.id(), Duration.ofSeconds(5))).isTrue();
        assertThat(row(id).used()).isZero();
    }

    @Test
    void onlyWhatEvictionCondemnedIsRescued() throws Exception {
        long id = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, id);
        assertThat(copies.rescue(copy.id())).isFalse();
        copies.condemn(copy.id(), CondemnedBy.EVICTION);
        assertThat(copies.rescue(copy.id())).isTrue();
        copies.condemn(copy.id(), CondemnedBy.EVICTION);
        copies.condemn("a/1", CondemnedBy.DELETE);
        assertThat(copies.rescue(copy.id())).isFalse();
    }

    @Test
    void aCopyIsNotRescuedBesideAnotherOfTheSameVolume() throws Exception {
        long id = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, id);
        copies.condemn(copy.id(), CondemnedBy.DELETE);
        cached("a/1", 10, id);
        test.database()
                .write(
                        "as-eviction",
                        WAIT,
                        handle ->
                                handle.execute("UPDATE copies SET condemned_by = 'eviction' WHERE id = ?", copy.id()));
        test.advance(Duration.ofSeconds(1));
        uses.record(List.of(new Use(copy.id(), test.now(), 1)));
        test.advance(GRACE);
        assertThat(copies.rescue(copy.id())).isFalse();
        assertThat(copies.beginDeleting(copy.id(), GRACE)).isTrue();
    }

    @Test
    void aCopyThatWasUsedInItsGraceIsNotDeleted() throws Exception {
        long id = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, id);
        copies.condemn(copy.id(), CondemnedBy.EVICTION);
        test.advance(Duration.ofSeconds(1));
        uses.record(List.of(new Use(copy.id(), test.now(), 3)));
        test.advance(GRACE);
        assertThat(copies.beginDeleting(copy.id(), GRACE)).isFalse();
        assertThat(copies.find("a/1", WAIT)).hasSize(1);
    }

    @Test
    void prefixesAreLiteralAndGroupsArePaged() throws Exception {
        long fast = volume("fast", 1000);
        long bulk = volume("bulk", 1000);
        for (String objid : new String[] {
            "a_b/1", "a_b/2", "a_b/\uffee", "a_b/\ud83d\ude00", "axb/1", "a%b/1", "a%25b/1", "b/1", "a_/x", "a/1"
        }) {
            cached(objid, 1, fast);
        }
        copies.condemn("a_b/1", CondemnedBy.DELETE);
        cached("a_b/1", 1, bulk);
        uses.record(List.of(new Use(copies.find("a_b/2", WAIT).get(0).id(), Instant.ofEpochMilli(5), 2)));
        List<ObjectRow> all = copies.objects("a_b/", "", 10);
        // U+FFEE before U+1F600: by code points, not by the units of UTF-16
        assertThat(all)
                .extracting(ObjectRow::objid)
                .containsExactly("a_b/1", "a_b/2", "a_b/\uffee", "a_b/\ud83d\ude00");
        assertThat(all.get(0).copies())
                .extracting(used -> used.copy().state())
                .containsExactly(CopyState.CONDEMNED, CopyState.CACHED);
        assertThat(all.get(1).copies().get(0).uses()).isEqualTo(2);
        assertThat(all.get(1).copies().get(0).lastUse())
                .isEqualTo(all.get(1).copies().get(0).copy().filledAt());
        assertThat(copies.objects("a_b/", "a_b/1", 2)).isEqualTo(all.subList(1, 3));
        assertThat(copies.objects("a_b/", "a_b/\uffee", 2)).isEqualTo(all.subList(3, 4));
        assertThat(copies.objects("a_b/", "a", 1)).isEqualTo(all.subList(0, 1));
        assertThat(copies.objects("a%", "", 10)).extracting(ObjectRow::objid).containsExactly("a%25b/1", "a%b/1");
        assertThat(copies.objects("", "a_b/\ud83d\ude00", 10))
                .extracting(ObjectRow::objid)
                .containsExactly("axb/1", "b/1");
        assertThat(copies.objects("c", "", 10)).isEmpty();
    }

    @Test
    void rowsOfAVolumeAreListedByName() throws Exception {
        long id = volume("fast", 100);
        CopyRow one = cached("a/1", 10, id);
        CopyRow two = cached("a/2", 20, id);
        CopyRow three = cached("a/3", 20, id);
        assertThat(copies.names(id, "", 2)).containsExactly(one, two);
        assertThat(copies.names(id, two.name(), 2)).containsExactly(three);
    }

    @Test
    void usesAreAddedAndTheLatestTimeStays() throws Exception {
        long id = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, id);
        test.advance(Duration.ofSeconds(60));
        Instant later = test.now();
        uses.record(List.of(new Use(copy.id(), later, 3), new Use(copy.id() + 1, later, 1)));
        uses.record(List.of(new Use(copy.id(), later.minusSeconds(30), 2)));
        ObjectRow.UsedCopy used = copies.objects("a/1", "", 1).get(0).copies().get(0);
        assertThat(used.uses()).isEqualTo(5);
        assertThat(used.lastUse()).isEqualTo(later);
    }

    /** An instance whose clock is ten minutes behind sees uses all the same at the time at which they were. */
    @Test
    void anotherClockOfTheInstanceChangesNothing() throws Exception {
        long id = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, id);
        copies.condemn(copy.id(), CondemnedBy.EVICTION);
        test.advance(Duration.ofSeconds(5));
        Instant skewed = test.now().minus(Duration.ofMinutes(10));
        UseStore behind = new UseStore(test.database(), WAIT, () -> skewed);
        behind.record(List.of(new Use(copy.id(), skewed.minusSeconds(1), 1)));
        assertThat(copies.objects("a/1", "", 1).get(0).copies().get(0).lastUse())
                .isEqualTo(test.now().minusSeconds(1));
        test.advance(GRACE);
        assertThat(copies.beginDeleting(copy.id(), GRACE)).isFalse();
    }

    /** A clock that is set back between a use and its telling would make it one of the future, which stays the latest. */
    @Test
    void noUseIsInTheFuture() throws Exception {
        long id = volume("fast", 100);
        CopyRow copy = cached("a/1", 10, id);
        test.advance(Duration.ofSeconds(5));
        uses.record(List.of(new Use(copy.id(), test.now().plus(Duration.ofHours(1)), 1)));
        assertThat(copies.objects("a/1", "", 1).get(0).copies().get(0).lastUse())
                .isEqualTo(test.now());
    }
}
