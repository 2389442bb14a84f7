package org.anteroom.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.volume.Adoption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdoptionsTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Adoption READY = new Adoption.Ready("m-1", false);

    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final Adoptions adoptions = new Adoptions(threads);

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void volumeThatHangsIsWaitedForWithinBoundsAndLookedAtOnce() throws Exception {
        CountDownLatch hang = new CountDownLatch(1);
        AtomicInteger looks = new AtomicInteger();
        for (int attempt = 0; attempt < 3; attempt++) {
            adoptions.begin("hung", () -> {
                looks.incrementAndGet();
                hang.await();
                return READY;
            });
            adoptions.begin("fast", () -> READY);
            assertThat(adoptions.await("hung", Duration.ofMillis(1)))
                    .isEqualTo(new Adoption.Degraded("it does not answer"));
            assertThat(adoptions.await("fast", LONG)).isEqualTo(READY);
        }
        hang.countDown();
        assertThat(adoptions.await("hung", LONG)).isEqualTo(READY);
        assertThat(looks.get()).isEqualTo(1);
    }

    @Test
    void lookThatFailsForTheInventoryIsMadeAgain() throws Exception {
        DatabaseException away = new DatabaseException(DatabaseException.Reason.AWAY, "away", null);
        adoptions.begin("fast", () -> {
            throw away;
        });
        assertThatThrownBy(() -> adoptions.await("fast", LONG)).isSameAs(away);
        adoptions.begin("fast", () -> READY);
        assertThat(adoptions.await("fast", LONG)).isEqualTo(READY);
    }
}
