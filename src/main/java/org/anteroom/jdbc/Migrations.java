package org.anteroom.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.CoreErrorCode;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/** Brings the schema of a database up to date. Several instances may try at once: the database lets one at a time. */
public final class Migrations {
    /** As many lines of a message as say what is wrong; advice on Flyway's own tools follows. */
    private static final int LINES = 3;

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
    void run(DataSource pool, Dialect dialect) throws SQLException, DatabaseException {
        try (Connection connection = pool.getConnection()) {
            dialect.prepare(connection);
        }
        if (direct.isPresent()) {
            try (Connection connection = direct.get().getConnection()) {
                dialect.check(connection);
            }
        }
        try {
            Flyway.configure(loader)
                    .dataSource(new BoundedDataSource(direct.orElse(pool), dialect, Patience.USUAL))
                    .locations("classpath:db/migration/common")
                    .placeholders(dialect.placeholders())
                    .callbacks(new Patience(dialect))
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            Optional<SQLException> below = Failures.sqlException(e);
            if (below.isPresent()) {
                throw below.get();
            }
            throw new DatabaseException(DatabaseException.Reason.OTHER, told(e), e);
        }
    }

    /** What is wrong with the schema and what would be right, in one line. */
    private static String told(FlywayException failure) {
        CoreErrorCode code = failure.getErrorCode() instanceof CoreErrorCode core ? core : CoreErrorCode.ERROR;
        String said = String.valueOf(failure.getMessage())
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .limit(LINES)
                .collect(Collectors.joining("; "));
        return switch (code) {
            case NON_EMPTY_SCHEMA_WITHOUT_SCHEMA_HISTORY_TABLE ->
                "the database holds tables of something else: give Anteroom one of its own, or a schema of its own by the"
                        + " search_path of its role";
            case VALIDATE_ERROR,
                    CHECKSUM_MISMATCH,
                    DESCRIPTION_MISMATCH,
                    TYPE_MISMATCH,
                    APPLIED_VERSIONED_MIGRATION_NOT_RESOLVED ->
                "the schema is not the one that this version makes: use the version of Anteroom that made it, or a newer"
                        + " one, or an empty database (" + said + ")";
            default ->
                "the schema cannot be brought up to date: put a dump back, or look into the table"
                        + " flyway_schema_history (" + said + ")";
        };
    }

    /** Lets each statement of a migration take its time, but not for ever; all else that is asked is answered soon. */
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
