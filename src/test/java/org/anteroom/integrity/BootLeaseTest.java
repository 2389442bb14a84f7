package org.anteroom.integrity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.anteroom.inventory.LeaseStore;
import org.anteroom.inventory.Owner;
import org.anteroom.jdbc.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BootLeaseTest {
    private static final Duration WAIT = Duration.ofSeconds(20);

    private TestDatabase test;
    private LeaseStore leases;

    @BeforeEach
    void open() throws Exception {
        test = TestDatabase.postgresWithClock();
        leases = new LeaseStore(test.database(), WAIT);
    }

    @AfterEach
    void close() {
        test.close();
    }

    private BootLease boot(String boot) {
        return new BootLease(leases, new Owner("one", boot));
    }

    @Test
    void aNameThatWasGivenUpIsFreeAtOnce() throws Exception {
        BootLease first = boot("boot-1");
        assertThat(first.take()).isTrue();
        assertThat(first.take()).isTrue();
        assertThat(new BootLease(leases, new Owner("two", "boot-2")).take()).isTrue();
        first.close();
        assertThat(boot("boot-3").take()).isTrue();
    }

    @Test
    void theNameOfAKilledBootIsFreeWhenItsLeaseHasRunOut() throws Exception {
        assertThat(boot("killed").take()).isTrue();
        BootLease next = boot("next");
        assertThat(next.take()).isFalse();
        test.advance(BootLease.DURATION.minusMillis(1));
        assertThat(next.take()).isFalse();
        test.advance(Duration.ofMillis(1));
        assertThat(next.take()).isTrue();
    }

    @Test
    void aSecondLivingBootIsRefusedAsSoonAsTheFirstIsHeardOf() throws Exception {
        BootLease living = boot("living");
        assertThat(living.take()).isTrue();
        BootLease second = boot("second");
        assertThat(second.take()).isFalse();
        test.advance(BootLease.RENEWAL);
        living.renew();
        assertThatThrownBy(second::take)
                .isInstanceOf(SecondBootException.class)
                .hasMessageContaining("another instance named 'one' is running on the same inventory");
        living.close();
        assertThat(second.take()).isTrue();
    }

    @Test
    void aBootThatWasNotHeardOfForLongTakesItsNameAnew() throws Exception {
        BootLease held = boot("held");
        assertThat(held.take()).isTrue();
        test.advance(BootLease.DURATION.multipliedBy(3));
        held.renew();
        assertThat(held.lost()).isFalse();
        assertThat(leases.holder("boot:one")).hasValue(new Owner("one", "held"));
    }

    @Test
    void aBootThatLostItsNameToAnotherKnows() throws Exception {
        BootLease held = boot("held");
        assertThat(held.take()).isTrue();
        test.advance(BootLease.DURATION);
        BootLease next = boot("next");
        assertThat(next.take()).isTrue();
        held.renew();
        assertThat(held.lost()).isTrue();
        next.close();
        held.renew();
        assertThat(held.lost()).as("though the name is free again").isTrue();
        assertThat(leases.holder("boot:one")).isEmpty();
        assertThat(boot("third").take()).isTrue();
        held.close();
        assertThat(leases.holder("boot:one")).hasValue(new Owner("one", "third"));
    }

    @Test
    void aLeaseWhoseAnswerWasLostIsOnesOwn() throws Exception {
        leases.acquire("boot:one", new Owner("one", "boot-1"), BootLease.DURATION);
        assertThat(boot("boot-1").take()).isTrue();
    }

    @Test
    void whoIsClosedKeepsNoName() throws Exception {
        BootLease held = boot("held");
        assertThat(held.take()).isTrue();
        held.close();
        held.renew();
        BootLease closed = boot("closed");
        closed.close();
        closed.take();
        assertThat(leases.holder("boot:one")).isEmpty();
    }
}
