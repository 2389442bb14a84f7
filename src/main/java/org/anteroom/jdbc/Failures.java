package org.anteroom.jdbc;

import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.ConnectionException;

/** Finds out what kind of failure lies below an exception: the one place where that is decided. */
final class Failures {
    private final Dialect dialect;

    Failures(Dialect dialect) {
        this.dialect = dialect;
    }

    /** The exception for callers: a {@link DatabaseException} if the database failed, else what it was. */
    Throwable translated(Throwable failure) {
        Optional<SQLException> sql = sqlException(failure);
        if (failure instanceof Error || sql.isEmpty()) {
            return failure;
        }
        DatabaseException.Reason reason =
                failure instanceof ConnectionException ? DatabaseException.Reason.AWAY : dialect.reason(sql.get());
        return new DatabaseException(reason, String.valueOf(sql.get().getMessage()), failure);
    }

    /** The innermost exception of a database below another one: what a pool or JDBI wraps around it says less. */
    static Optional<SQLException> sqlException(Throwable failure) {
        SQLException found = null;
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof SQLException sql) {
                found = sql;
            }
            cause = cause.getCause();
        }
        return Optional.ofNullable(found);
    }
}
