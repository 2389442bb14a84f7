package org.anteroom.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/** Brings the schema of a database up to date. Several instances may try at once: the database lets one at a time. */
public final class Migrations {
    private final Optional<DataSource> direct;
    private final ClassLoader loader;

    /**
     * Migrations of a database.
     *
     * @param direct connections that may change the schema, where those of the database's pool may not
     * @param loader finds the scripts: the web application's
     */
    public Migrations(Optional<DataSource> direct, ClassLoader loader) {
        this.direct = direct;
        this.loader = loader;
    }

    /**
     * Runs what has not run yet.
     *
     * @param pool the database's own pool, which must be of use too
     */
    void run(DataSource pool, Dialect dialect) throws SQLException {
        look(pool, dialect);
        if (direct.isPresent()) {
            look(direct.get(), dialect);
        }
        try {
            Flyway.configure(loader)
                    .dataSource(direct.orElse(pool))
                    .locations("classpath:db/migration/common")
                    .placeholders(dialect.placeholders())
                    .callbacks(new Patience(dialect))
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw Failures.sqlException(e).orElseThrow(() -> e);
        }
    }

    private static void look(DataSource pool, Dialect dialect) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            dialect.prepare(connection);
        }
    }

    /** Lets a migration take its time, but not for ever. */
    private record Patience(Dialect dialect) implements Callback {
        private static final Duration LONG = Duration.ofHours(1);
        private static final Duration USUAL = Duration.ofSeconds(10);

        @Override
        public boolean supports(Event event, Context context) {
            return event == Event.BEFORE_EACH_MIGRATE || event == Event.AFTER_EACH_MIGRATE;
        }

        @Override
        public boolean canHandleInTransaction(Event event, Context context) {
            return true;
        }

        @Override
        public void handle(Event event, Context context) {
            try {
                dialect.limit(context.getConnection(), event == Event.BEFORE_EACH_MIGRATE ? LONG : USUAL);
            } catch (SQLException e) {
                throw new FlywayException(e);
            }
        }

        @Override
        public String getCallbackName() {
            return "patience";
        }
    }
}
