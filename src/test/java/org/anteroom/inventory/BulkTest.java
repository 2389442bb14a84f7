package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.anteroom.jdbc.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An inventory of many rows is the same inventory. */
class BulkTest {
    private static final Duration WAIT = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    @Test
    void aHundredThousandCopiesOnSqlite() throws Exception {
        try (TestDatabase test = TestDatabase.open(folder)) {
            check(test, 100_000);
        }
    }

    @Test
    void aHundredThousandCopiesOnPostgres() throws Exception {
        try (TestDatabase test = TestDatabase.openPostgres()) {
            check(test, 100_000);
        }
    }

    @Test
    @Tag("full")
    void aMillionCopiesOnSqlite() throws Exception {
        try (TestDatabase test = TestDatabase.open(folder)) {
            check(test, 1_000_000);
        }
    }

    @Test
    @Tag("full")
    void aMillionCopiesOnPostgres() throws Exception {
        try (TestDatabase test = TestDatabase.openPostgres()) {
            check(test, 1_000_000);
        }
    }

    private static void check(TestDatabase test, int rows) throws Exception {
        BulkRows.write(test, rows);
        CopyStore copies = new CopyStore(test.database(), WAIT);
        VolumeStore volumes = new VolumeStore(test.database(), WAIT);
        PlanStore plans = new PlanStore(test.database(), WAIT);

        long before = test.statementsRun("find-copies");
        assertThat(copies.find("bulk/" + (1_000_000_000 + rows - 1), WAIT))
                .singleElement()
                .satisfies(copy -> assertThat(copy.id()).isEqualTo(rows - 1));
        assertThat(test.statementsRun("find-copies") - before).isEqualTo(1);
        assertThat(copies.objects("bulk/", "bulk/" + (1_000_000_000 + rows / 2), 100))
                .hasSize(100)
                .extracting(ObjectRow::objid)
                .isSorted()
                .startsWith("bulk/" + (1_000_000_001 + rows / 2));
        // of the second volume, whose copies have the odd keys; every hundredth copy is condemned
        assertThat(plans.leastRecentlyUsed(2, Duration.ZERO).next(3))
                .extracting(Candidate::copyId)
                .containsExactly(1L, 3L, 5L);
        assertThat(copies.due(1, Duration.ZERO, rows / 2, 2))
                .extracting(CopyRow::id)
                .containsExactly(rows / 2 + 100L, rows / 2 + 200L);
        List<VolumeRow> all = volumes.all();
        assertThat(all).extracting(VolumeRow::copies).containsExactly(rows / 2L, rows / 2L);
        for (VolumeRow volume : all) {
            assertThat(volumes.drift(volume.id(), WAIT))
                    .hasValueSatisfying(drift -> assertThat(drift.none()).isTrue());
        }
    }
}
