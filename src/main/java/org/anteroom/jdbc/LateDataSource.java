package org.anteroom.jdbc;

import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool that could not be got when the instance started, and is looked for again whenever a connection is wanted. */
public final class LateDataSource implements DataSource {
    /** The class of SQLSTATEs for a connection that cannot be made. */
    private static final String CANNOT_CONNECT = "08001";

    private final Lookup lookup;
    private volatile @Nullable DataSource found;

    /** How the pool is looked for. */
    @FunctionalInterface
    public interface Lookup {
        /** The pool, or an exception whose message says why there is none now. */
        DataSource find() throws IOException;
    }

    /** Looks for nothing yet. */
    public LateDataSource(Lookup lookup) {
        this.lookup = lookup;
    }

    /** The pool, looked for now if it was not found yet. */
    DataSource pool() throws SQLException {
        DataSource pool = found;
        if (pool == null) {
            try {
                pool = lookup.find();
            } catch (IOException e) {
                throw new SQLException(e.getMessage(), CANNOT_CONNECT, e);
            }
            found = pool;
        }
        return pool;
    }

    /** The pool if it was found before; null else. */
    @Nullable
    DataSource found() {
        return found;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return pool().getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the pool has the user");
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return pool().getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        pool().setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        pool().setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return pool().getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("no logger");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return pool().unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return pool().isWrapperFor(type);
    }
}
