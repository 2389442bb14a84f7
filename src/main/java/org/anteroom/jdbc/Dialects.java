package org.anteroom.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what kind of database a pool leads to: by what the pool was told, so that a database that is away need not be
 * asked, and else by the name that the database itself gives.
 */
final class Dialects {

    private Dialects() {}

    /** The dialect of the database behind a pool that says enough about itself; the database is not asked. */
    static Optional<Dialect> known(DataSource pool) {
        for (String clue : PoolProbe.of(pool).clues()) {
            Dialect dialect = null;
            if (clue.startsWith("jdbc:sqlite:") || clue.startsWith("org.sqlite.")) {
                dialect = new SqliteDialect();
            } else if (clue.startsWith("jdbc:postgresql:") || clue.startsWith("org.postgresql.")) {
                dialect = new PostgresDialect();
            }
            if (dialect != null) {
                return Optional.of(dialect);
            }
        }
        return Optional.empty();
    }

    /**
     * The dialect of the database behind a pool.
     *
     * @throws SQLException if it must be asked and is away, or is of no kind that is supported
     */
    static Dialect of(DataSource pool) throws SQLException {
        Optional<Dialect> known = known(pool);
        return known.isPresent() ? known.get() : named(product(pool));
    }

    private static String product(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return connection.getMetaData().getDatabaseProductName();
        }
    }

    private static Dialect named(@Nullable String product) throws SQLException {
        return switch (String.valueOf(product).toLowerCase(Locale.ROOT)) {
            case "sqlite" -> new SqliteDialect();
            case "postgresql" -> new PostgresDialect();
            default ->
                throw new SQLException("the database " + product + " is not supported: SQLite and PostgreSQL are");
        };
    }
}
