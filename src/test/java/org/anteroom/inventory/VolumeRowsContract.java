package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

abstract class VolumeRowsContract extends InventoryContract {

    @Test
    void registeringAgainBringsTheRowUpToDate() throws Exception {
        long id = volume("fast", 100);
        VolumeRow again =
                volumes.register(new NewVolume("fast", "", "filesystem", "/elsewhere", 50, VolumeStatus.ACTIVE, 3));
        assertThat(again.id()).isEqualTo(id);
        assertThat(again.location()).isEqualTo("/elsewhere");
        assertThat(again.capacity()).isEqualTo(50);
        assertThat(again.priority()).isEqualTo(3);
        assertThat(volumes.all()).containsExactly(again);
    }

    @Test
    void anOperatorsStatusIsKeptUntilTheConfiguredOneChanges() throws Exception {
        long id = volume("fast", 100);
        assertThat(volumes.setStatus(id, VolumeStatus.DRAINING)).isTrue();
        volume("fast", 100);
        assertThat(row(id).status()).isEqualTo(VolumeStatus.DRAINING);
        volumes.register(new NewVolume("fast", "", "filesystem", "/cache/fast", 100, VolumeStatus.READ_ONLY, 10));
        assertThat(row(id).status()).isEqualTo(VolumeStatus.READ_ONLY);
        assertThat(volumes.setStatus(id + 99, VolumeStatus.ACTIVE)).isFalse();
    }

    @Test
    void privateVolumesOfTheSameNameAreDifferentOnes() throws Exception {
        for (String owner : new String[] {"", "one", "two"}) {
            volumes.register(new NewVolume("own", owner, "filesystem", "/own", 100, VolumeStatus.ACTIVE, 10));
        }
        assertThat(volumes.all()).extracting(VolumeRow::owner).containsExactly("", "one", "two");
    }

    @Test
    void aMarkerIsGivenOnce() throws Exception {
        long id = volume("fast", 100);
        assertThat(row(id).marker()).isNull();
        assertThat(volumes.setMarker(id, "first")).isTrue();
        assertThat(volumes.setMarker(id, "second")).isFalse();
        assertThat(row(id).marker()).isEqualTo("first");
    }

    @Test
    void theWishForAPlanIsTakenOnce() throws Exception {
        long id = volume("fast", 100);
        cached("a/1", 60, id);
        assertThat(begin("a/2", 50, ONE, id)).isInstanceOf(BeginResult.NoRoom.class);
        assertThat(begin("a/3", 45, ONE, id)).isInstanceOf(BeginResult.NoRoom.class);
        assertThat(row(id).planWanted()).isEqualTo(50);
        Lease lost = leases.acquire("plan:" + id, ONE, LEASE).orElseThrow();
        test.advance(LEASE);
        Lease lease = leases.acquire("plan:" + id, TWO, LEASE).orElseThrow();
        assertThat(volumes.takePlanWanted(lost, id)).isZero();
        assertThat(volumes.takePlanWanted(lease, id)).isEqualTo(50);
        assertThat(volumes.takePlanWanted(lease, id)).isZero();
    }

    @Test
    void aFileThatNeverFitsAsksForNoPlan() throws Exception {
        long id = volume("fast", 100);
        assertThat(begin("a/1", 101, ONE, id)).isInstanceOf(BeginResult.NoRoom.class);
        assertThat(row(id).planWanted()).isZero();
    }

    @Test
    void countersThatDriftedAreRepairedOnce() throws Exception {
        long id = volume("fast", 1000);
        cached("a/1", 60, id);
        begun("a/2", 40, ONE, id);
        test.database()
                .write(
                        "spoil",
                        WAIT,
                        handle -> handle.execute(
                                "UPDATE volumes SET used = 7, reserved = 8, copies = 9 WHERE id = ?", id));
        Drift drift = volumes.drift(id, WAIT).orElseThrow();
        assertThat(drift.none()).isFalse();
        assertThat(drift.counted()).isEqualTo(new Drift.Counters(7, 8, 9));
        assertThat(drift.summed()).isEqualTo(new Drift.Counters(60, 40, 1));
        // what comes between the look and the repair is kept
        cached("a/3", 5, id);
        assertThat(volumes.repair(drift)).isTrue();
        assertThat(volumes.repair(drift)).isFalse();
        assertThat(row(id).used()).isEqualTo(65);
        assertThat(row(id).reserved()).isEqualTo(40);
        assertThat(row(id).copies()).isEqualTo(2);
        assertThat(volumes.drift(id, WAIT).orElseThrow().none()).isTrue();
    }
}
