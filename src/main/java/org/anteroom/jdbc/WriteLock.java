package org.anteroom.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** The one write lock of a database that has one, and the housekeeping between those who had it. */
interface WriteLock {

    /** The statement that begins a transaction that will write. */
    String begin();

    /** Whether a transaction could not begin because another process writes. */
    boolean locked(SQLException failure);

    /** Whether {@link #tidy} has something to do; asked after every batch of changes, so it costs next to nothing. */
    boolean untidy();

    /** Housekeeping between transactions. */
    void tidy(Connection connection) throws SQLException;
}
