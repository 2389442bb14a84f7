package org.anteroom.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.apache.tomcat.jdbc.pool.DataSourceProxy;
import org.jspecify.annotations.Nullable;

/** Asks a connection pool for its figures, in the way of its kind; -1 stands for what it does not tell. */
interface PoolProbe {

    int max();

    int active();

    int idle();

    int waiting();

    /** What the pool tells of where it leads, without asking a database: its URL, the names of classes of the driver's. */
    List<String> clues();

    /** The probe for a pool. */
    static PoolProbe of(DataSource source) {
        if (source instanceof HikariDataSource hikari) {
            return new Hikari(hikari);
        }
        // The container's classes may be absent, or another loader's: they are touched only where they are known.
        return isTomcats(source) ? new Tomcat(source) : new Unknown(source);
    }

    private static List<String> known(@Nullable String... clues) {
        return Arrays.stream(clues).filter(Objects::nonNull).toList();
    }

    private static boolean isTomcats(DataSource source) {
        try {
            return Class.forName("org.apache.tomcat.jdbc.pool.DataSourceProxy", false, PoolProbe.class.getClassLoader())
                    .isInstance(source);
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** HikariCP. */
    record Hikari(HikariDataSource source) implements PoolProbe {
        @Override
        public int max() {
            return source.getMaximumPoolSize();
        }

        @Override
        public int active() {
            HikariPoolMXBean pool = source.getHikariPoolMXBean();
            return pool == null ? 0 : pool.getActiveConnections();
        }

        @Override
        public int idle() {
            HikariPoolMXBean pool = source.getHikariPoolMXBean();
            return pool == null ? 0 : pool.getIdleConnections();
        }

        @Override
        public int waiting() {
            HikariPoolMXBean pool = source.getHikariPoolMXBean();
            return pool == null ? 0 : pool.getThreadsAwaitingConnection();
        }

        @Override
        public List<String> clues() {
            DataSource below = source.getDataSource();
            return known(
                    source.getJdbcUrl(),
                    source.getDriverClassName(),
                    source.getDataSourceClassName(),
                    below == null ? null : below.getClass().getName());
        }
    }

    /** The pool of Tomcat; declared by its interface, so that this class can be loaded without it. */
    record Tomcat(DataSource source) implements PoolProbe {
        @Override
        public int max() {
            return ((DataSourceProxy) source).getMaxActive();
        }

        @Override
        public int active() {
            return ((DataSourceProxy) source).getActive();
        }

        @Override
        public int idle() {
            return ((DataSourceProxy) source).getIdle();
        }

        @Override
        public int waiting() {
            return ((DataSourceProxy) source).getWaitCount();
        }

        @Override
        public List<String> clues() {
            DataSourceProxy pool = (DataSourceProxy) source;
            Object below = pool.getDataSource();
            return known(
                    pool.getUrl(),
                    pool.getDriverClassName(),
                    below == null ? null : below.getClass().getName());
        }
    }

    /** Any other. */
    record Unknown(DataSource source) implements PoolProbe {
        @Override
        public List<String> clues() {
            return List.of(source.getClass().getName());
        }

        @Override
        public int max() {
            return -1;
        }

        @Override
        public int active() {
            return -1;
        }

        @Override
        public int idle() {
            return -1;
        }

        @Override
        public int waiting() {
            return -1;
        }
    }
}
