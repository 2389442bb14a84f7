package org.anteroom.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.anteroom.tasks.IoGuard;
import org.jdbi.v3.core.ConnectionFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes connections from a pool, checked by the dialect, and measures how long that takes and how long they are held. */
final class ConnectionSource implements ConnectionFactory {
    private static final Logger log = LoggerFactory.getLogger(ConnectionSource.class);
    private static final Duration IDLE = Duration.ofSeconds(5);
    private static final long WAIT = TimeUnit.MILLISECONDS.toNanos(1);

    private final DataSource source;
    private final Dialect dialect;
    // a connection is taken and given back by one thread, which has no second one
    private final ThreadLocal<Long> since = new ThreadLocal<>();
    private final LongAdder acquisitions = new LongAdder();
    private final LongAdder waits = new LongAdder();
    private final AtomicLong waitNanos = new AtomicLong();
    private final AtomicLong heldNanos = new AtomicLong();

    ConnectionSource(DataSource source, Dialect dialect) {
        this.source = source;
        this.dialect = dialect;
    }

    @Override
    public Connection openConnection() throws SQLException {
        long start = System.nanoTime();
        Connection connection = source.getConnection();
        long got = System.nanoTime();
        acquisitions.increment();
        if (got - start > WAIT) {
            waits.increment();
            waitNanos.addAndGet(got - start);
        }
        try {
            dialect.prepare(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
        IoGuard.connectionTaken();
        since.set(got);
        return connection;
    }

    @Override
    public void closeConnection(Connection connection) throws SQLException {
        IoGuard.connectionReturned();
        heldNanos.addAndGet(System.nanoTime() - since.get());
        since.remove();
        try (connection) {
            // the pool's own questions are to be answered soon, too
            dialect.limit(connection, IDLE);
        } catch (SQLException e) {
            log.debug("a connection that is broken goes back to the pool", e);
        }
    }

    long acquisitions() {
        return acquisitions.sum();
    }

    long waits() {
        return waits.sum();
    }

    double waitSeconds() {
        return waitNanos.get() / 1e9;
    }

    double heldSeconds() {
        return heldNanos.get() / 1e9;
    }
}
