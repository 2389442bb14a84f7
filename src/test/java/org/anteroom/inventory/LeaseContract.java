package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

abstract class LeaseContract extends InventoryContract {

    @Test
    void aRoleIsTakenOnceUntilItExpires() throws Exception {
        Lease first = leases.acquire("role", ONE, LEASE).orElseThrow();
        assertThat(leases.acquire("role", ONE, LEASE)).isEmpty();
        assertThat(leases.acquire("role", TWO, LEASE)).isEmpty();
        assertThat(leases.acquire("other", TWO, LEASE)).isPresent();
        assertThat(leases.holder("role")).hasValue(ONE);
        test.advance(LEASE.minusMillis(1));
        assertThat(leases.renew(first, LEASE)).isTrue();
        test.advance(LEASE.minusMillis(1));
        assertThat(leases.holder("role")).hasValue(ONE);
        test.advance(LEASE);
        assertThat(leases.holder("role")).isEmpty();
        assertThat(leases.renew(first, LEASE)).isFalse();
        Lease second = leases.acquire("role", TWO, LEASE).orElseThrow();
        assertThat(second.epoch()).isGreaterThan(first.epoch());
        leases.release(first);
        assertThat(leases.holder("role")).hasValue(TWO);
    }

    @Test
    void aReleasedRoleIsFreeAndItsEpochNeverComesAgain() throws Exception {
        Lease first = leases.acquire("role", ONE, LEASE).orElseThrow();
        leases.release(first);
        assertThat(leases.holder("role")).isEmpty();
        Lease second = leases.acquire("role", ONE, LEASE).orElseThrow();
        assertThat(second.epoch()).isGreaterThan(first.epoch());
        assertThat(leases.renew(first, LEASE)).isFalse();
    }

    @Test
    void theRolesOfEarlierBootsAreGivenUp() throws Exception {
        leases.acquire("old", new Owner("one", "boot-0"), LEASE);
        leases.acquire("mine", ONE, LEASE);
        leases.acquire("other", TWO, LEASE);
        assertThat(leases.releaseEarlierBoots(ONE)).isEqualTo(1);
        assertThat(leases.holder("old")).isEmpty();
        assertThat(leases.holder("mine")).hasValue(ONE);
        assertThat(leases.holder("other")).hasValue(TWO);
    }
}
