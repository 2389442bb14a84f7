package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.jdbc.TestDatabase;
import org.anteroom.model.FileFacts;
import org.anteroom.model.Sha256;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What every test of the inventory stands on: a database with a clock of its own, the stores, two owners. */
abstract class InventoryContract {
    static final Duration WAIT = Duration.ofSeconds(20);
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration GRACE = Duration.ofMinutes(2);
    /** Three attempts, a wait of a minute at most, an hour for room. */
    static final RetryPolicy RETRIES =
            new RetryPolicy(3, Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofHours(1));

    static final Owner ONE = new Owner("one", "boot-1");
    static final Owner TWO = new Owner("two", "boot-2");

    TestDatabase test;
    VolumeStore volumes;
    CopyStore copies;
    FillStore fills;
    FillQueue queue;
    UseStore uses;
    PlanStore plans;
    LeaseStore leases;
    HeadStore heads;
    private final AtomicInteger names = new AtomicInteger();

    /** The kind of database that the inventory lies in. */
    interface Backend {
        /** A new one, with a clock that the test moves. */
        TestDatabase create() throws Exception;

        /** Looks at every statement that ran, now or when all tests have run. */
        void checkStatements(TestDatabase test) throws Exception;

        /** How often transactions waited for each other crosswise; where there is one writer, they do not. */
        default long deadlocks(TestDatabase test) throws Exception {
            return 0;
        }
    }

    abstract Backend backend();

    @BeforeEach
    void openStores() throws Exception {
        test = backend().create();
        Database database = test.database();
        volumes = new VolumeStore(database, WAIT);
        copies = new CopyStore(database, WAIT);
        fills = new FillStore(database, WAIT, RETRIES);
        queue = new FillQueue(database, WAIT, RETRIES);
        uses = new UseStore(database, WAIT, test.clock());
        plans = new PlanStore(database, WAIT);
        leases = new LeaseStore(database, WAIT);
        heads = new HeadStore(database);
    }

    @AfterEach
    void closeStores() throws Exception {
        try {
            for (VolumeRow volume : volumes.all()) {
                assertThat(volumes.drift(volume.id(), WAIT))
                        .hasValueSatisfying(drift -> assertThat(drift.counted())
                                .as("counters of " + volume.name())
                                .isEqualTo(drift.summed()));
            }
            backend().checkStatements(test);
        } finally {
            test.close();
        }
    }

    long volume(String name, long capacity) throws DatabaseException {
        return volumes.register(
                        new NewVolume(name, "", "filesystem", "/cache/" + name, capacity, VolumeStatus.ACTIVE, 10))
                .id();
    }

    VolumeRow row(long volumeId) throws DatabaseException {
        return volumes.get(volumeId).orElseThrow();
    }

    String name() {
        return "%032x".formatted(names.incrementAndGet());
    }

    static FileFacts facts(long size) {
        return new FileFacts(
                size, Instant.parse("2024-05-06T07:08:09.123456789Z"), "\"tag\"", Sha256.of(new byte[0]), "text/plain");
    }

    NewFill newFill(String objid, long size, Owner owner) throws DatabaseException {
        Set<Long> all = volumes.all().stream().map(VolumeRow::id).collect(Collectors.toSet());
        return new NewFill(objid, facts(size), name(), owner, LEASE, all);
    }

    BeginResult begin(String objid, long size, Owner owner, Long... candidates) throws DatabaseException {
        return fills.begin(newFill(objid, size, owner), List.of(candidates), WAIT, late -> {});
    }

    FillTicket begun(String objid, long size, Owner owner, Long... candidates) throws DatabaseException {
        BeginResult result = begin(objid, size, owner, candidates);
        assertThat(result).isInstanceOf(BeginResult.Begun.class);
        return ((BeginResult.Begun) result).ticket();
    }

    CopyRow cached(String objid, long size, long volumeId) throws DatabaseException {
        FillTicket ticket = begun(objid, size, ONE, volumeId);
        return fills.complete(ticket, ONE, facts(size)).orElseThrow();
    }
}
