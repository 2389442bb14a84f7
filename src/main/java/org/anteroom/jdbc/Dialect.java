package org.anteroom.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** What one kind of database does in its own way. Statements are portable but for what is defined here. */
public interface Dialect {

    /** The database's clock in milliseconds since 1970, as an expression; statements write it as {@code <now>}. */
    String now();

    /** What migrations write as {@code ${name}}. */
    Map<String, String> placeholders();

    /** Checks a connection that comes from the pool, and sets on it what Anteroom relies on. */
    void prepare(Connection connection) throws SQLException;

    /** The statement that begins a transaction that will write. */
    String begin();

    /** Whether a transaction could not begin because another process writes. */
    boolean locked(SQLException failure);

    /** What kind of failure the database reports. */
    DatabaseException.Reason reason(SQLException failure);

    /** The file that the database lies in, if it lies in one. */
    Optional<Path> file(Handle handle);

    /** Whether {@link #tidy} has something to do; asked after every batch of changes, so it costs next to nothing. */
    boolean untidy();

    /** Housekeeping between transactions. */
    void tidy(Connection connection) throws SQLException;
}
