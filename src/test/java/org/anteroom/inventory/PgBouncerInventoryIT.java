package org.anteroom.inventory;

import java.nio.file.Path;
import org.anteroom.jdbc.TestDatabase;
import org.anteroom.testing.TestPgBouncer;
import org.anteroom.testing.TestPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The inventory on PostgreSQL through PgBouncer in transaction mode, the schema by way of it too. */
class PgBouncerInventoryIT {
    @TempDir
    static Path folder;

    private static TestPgBouncer bouncer;

    @BeforeAll
    static void start() throws Exception {
        TestPgBouncer.require();
        bouncer = TestPgBouncer.start(folder, TestPostgres.shared());
    }

    @AfterAll
    static void stop() {
        if (bouncer != null) {
            bouncer.close();
        }
    }

    @Nested
    class Fills extends FillContract {
        @Override
        Backend backend() {
            return new Pooled();
        }
    }

    @Nested
    class Queue extends QueueContract {
        @Override
        Backend backend() {
            return new Pooled();
        }
    }

    @Nested
    class Plans extends PlanContract {
        @Override
        Backend backend() {
            return new Pooled();
        }
    }

    @Nested
    class Leases extends LeaseContract {
        @Override
        Backend backend() {
            return new Pooled();
        }
    }

    @Nested
    class Fleet extends FleetContract {
        @Override
        Backend backend() {
            return new Pooled();
        }
    }

    private record Pooled() implements InventoryContract.Backend {
        @Override
        public TestDatabase create() throws Exception {
            return TestDatabase.withClock(
                    bouncer.dataSource(TestPostgres.shared().createDatabase()));
        }

        @Override
        public void checkStatements(TestDatabase test) {
            // the same as without the pooler
        }
    }
}
