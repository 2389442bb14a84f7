package org.anteroom.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import javax.sql.DataSource;
import org.apache.tomcat.jdbc.pool.DataSourceProxy;

/** Asks a connection pool for its figures, in the way of its kind; -1 stands for what it does not tell. */
interface PoolProbe {

    int max();

    int active();

    int idle();

    int waiting();

    /** The probe for a pool. */
    static PoolProbe of(DataSource source) {
        if (source instanceof HikariDataSource hikari) {
            return new Hikari(hikari);
        }
        // The container's classes may be absent, or another loader's: they are touched only where they are known.
        return isTomcats(source) ? new Tomcat(source) : new Unknown();
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
    }

    /** Any other. */
    record Unknown() implements PoolProbe {
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
