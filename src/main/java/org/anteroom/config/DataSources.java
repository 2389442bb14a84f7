package org.anteroom.config;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.naming.NamingException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The pools of database connections: the container's where the context descriptor has them, else one over a SQLite file.
 *
 * <p>What the container made, it closes; {@link #close} ends only the pool that was made here. Not for several threads
 * at once.
 */
public final class DataSources implements AutoCloseable {

    /** The name of the inventory's pool. */
    public static final String INVENTORY = "jdbc/anteroom/inventory";
    /** The name of the pool for changes of its schema. */
    public static final String MIGRATE = "jdbc/anteroom/migrate";

    /** One connection for the writer and some for readers, which are few since a hit asks nothing. */
    private static final int CONNECTIONS = 8;

    private static final long CONNECTION_TIMEOUT_MILLIS = 5_000;
    private static final long LAST_WORK_MILLIS = 2_000;

    private final Surroundings surroundings;
    private @Nullable HikariDataSource own;

    /** Those of our own pool; few, since it keeps them. */
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    /** No pool is looked for until one is asked for. */
    public DataSources(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** The pool of the inventory, looked for anew unless it was made here. */
    public PoolLookup inventory() {
        return bound(INVENTORY).orElseGet(this::ownPool);
    }

    /** The pool that may change the inventory's schema, if there is one beside the inventory's own. */
    public Optional<PoolLookup> migrate() {
        return bound(MIGRATE);
    }

    /** What the container has under a name; empty where it has nothing. */
    private Optional<PoolLookup> bound(String name) {
        Optional<Object> bound;
        try {
            bound = surroundings.naming().find(name);
        } catch (NamingException e) {
            return Optional.of(new PoolLookup.Failed(
                    "The DataSource " + name + " cannot be made (" + Causes.shortly(e)
                            + "); correct its Resource in the context descriptor, or what it connects to.",
                    true));
        }
        return bound.map(object -> object instanceof DataSource pool
                ? new PoolLookup.Found(name, pool)
                : new PoolLookup.Failed(
                        "The resource " + name + " is a " + object.getClass().getName()
                                + "; correct its type in the context descriptor to javax.sql.DataSource.",
                        false));
    }

    /** Ends the pool that was made here, if one was. */
    @Override
    public void close() {
        HikariDataSource pool = own;
        own = null;
        if (pool != null) {
            pool.close();
            threads.forEach(DataSources::awaitEnd);
        }
    }

    /** The pool does not wait for all of its threads, and the container reports those that are still ending. */
    private static void awaitEnd(Thread thread) {
        try {
            thread.join(LAST_WORK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(work, "anteroom-inventory-pool");
        thread.setDaemon(true);
        threads.removeIf(old -> old.getState() == Thread.State.TERMINATED);
        threads.add(thread);
        return thread;
    }

    private PoolLookup ownPool() {
        HikariDataSource made = own;
        if (made == null) {
            Path file = surroundings.home().resolve("inventory.db");
            try {
                prepare(surroundings.home(), file);
            } catch (IOException e) {
                return new PoolLookup.Failed(Unwritable.message("keep its inventory", surroundings.home(), e), false);
            }
            try {
                HikariConfig config = sqlite(file);
                config.setThreadFactory(this::thread);
                made = new HikariDataSource(config);
            } catch (RuntimeException e) {
                return new PoolLookup.Failed(
                        "The inventory " + file + " cannot be opened (" + Causes.shortly(e) + ").", true);
            }
            own = made;
        }
        return new PoolLookup.Found(made.getPoolName(), made);
    }

    /** SQLite makes its file, but no folder, and says little where it may not write beside it. */
    private static void prepare(Path folder, Path file) throws IOException {
        if (!Files.isDirectory(folder)) {
            // not otherwise: it would refuse a link to a folder
            Files.createDirectories(folder);
        }
        Path probe = Files.createTempFile(folder, "writable", null);
        Files.delete(probe);
        if (Files.exists(file) && !Files.isWritable(file)) {
            throw new IOException(file.getFileName() + " is not writable");
        }
    }

    private static HikariConfig sqlite(Path file) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("anteroom-inventory");
        // by name: the DriverManager knows only the drivers of the container's own class path
        config.setDriverClassName("org.sqlite.JDBC");
        config.setJdbcUrl(
                "jdbc:sqlite:" + file + "?journal_mode=WAL&synchronous=NORMAL&foreign_keys=true&busy_timeout=5000");
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
        // a connection to a file does not age
        config.setMaxLifetime(0);
        return config;
    }
}
