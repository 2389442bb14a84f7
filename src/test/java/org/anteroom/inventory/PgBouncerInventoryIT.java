package org.anteroom.inventory;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
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
    private static String database;

    @BeforeAll
    static void start() throws Exception {
        TestPgBouncer.require();
        bouncer = TestPgBouncer.start(folder, TestPostgres.shared());
        database = TestPostgres.shared().createDatabase();
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
    class Heads extends HeadContract {
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

    /** Leaves the schema, if it is there by now, and nothing else: the tests take turns. */
    private static void empty(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS test_clock");
            try (ResultSet row = statement.executeQuery("SELECT string_agg(tablename, ', ') FROM pg_tables"
                    + " WHERE schemaname = 'public' AND tablename <> 'flyway_schema_history'")) {
                String tables = row.next() ? row.getString(1) : null;
                if (tables != null) {
                    statement.execute("TRUNCATE " + tables + " RESTART IDENTITY");
                }
            }
        }
    }

    private record Pooled() implements InventoryContract.Backend {
        @Override
        public TestDatabase create() throws Exception {
            empty(TestPostgres.shared().dataSource(database));
            return TestDatabase.withClock(bouncer.dataSource(database));
        }

        @Override
        public void checkStatements(TestDatabase test) {
            // the same as without the pooler
        }
    }
}
