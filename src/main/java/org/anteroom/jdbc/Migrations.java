package org.anteroom.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Brings the schema of a database up to date. */
public final class Migrations {
    private final DataSource source;
    private final Dialect dialect;
    private final ClassLoader loader;

    /**
     * Migrations of a database.
     *
     * @param source connections that may change the schema
     * @param loader finds the scripts: the web application's
     */
    public Migrations(DataSource source, Dialect dialect, ClassLoader loader) {
        this.source = source;
        this.dialect = dialect;
        this.loader = loader;
    }

    /** Runs what has not run yet. */
    void run() throws SQLException {
        try (Connection connection = source.getConnection()) {
            dialect.prepare(connection);
        }
        try {
            Flyway.configure(loader)
                    .dataSource(source)
                    .locations("classpath:db/migration/common")
                    .placeholders(dialect.placeholders())
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw Failures.sqlException(e).orElseThrow(() -> e);
        }
    }
}
