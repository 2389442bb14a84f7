package org.anteroom.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** What one kind of database does in its own way. Statements are portable but for what is defined here. */
interface Dialect {

    /** What kind of database it is. */
    Database.Kind kind();

    /**
     * What statements write as {@code <name>}: {@code now} is the database's clock in milliseconds since 1970, an
     * expression that has one value in all of a statement; {@code for_update} follows a query whose rows nobody else may
     * change until the transaction ends, and {@code skip_locked} one that leaves out the rows that others change.
     */
    Map<String, String> words();

    /** What migrations write as {@code ${name}}. */
    Map<String, String> placeholders();

    /** Looks whether a connection leads to a database that is of use. */
    void check(Connection connection) throws SQLException;

    /** Checks a connection that comes from the pool, and sets on it what Anteroom relies on. */
    void prepare(Connection connection) throws SQLException;

    /** Lets each statement on a connection fail that is not answered for so long, with the connection. */
    void limit(Connection connection, Duration silence) throws SQLException;

    /** Lets the database itself give up what these reads wait for, not long after the one who asked waits no more. */
    void limitReads(Handle handle, Duration left);

    /** What kind of failure the database reports. */
    DatabaseException.Reason reason(SQLException failure);

    /** Whether a change failed because of another one that was made at the same time: it may succeed when made again. */
    boolean clashed(SQLException failure);

    /** How many changes are made at the same time on a pool of so many connections. */
    int writers(int connections);

    /**
     * What carries out changes.
     *
     * @param threads runs as many tasks at a time as {@link #writers} says
     * @param limit the most changes that wait
     */
    Changes changes(Jdbi jdbi, ExecutorService threads, int writers, int limit);

    /** The file that the database lies in, if it lies in one. */
    Optional<Path> file(Handle handle);
}
