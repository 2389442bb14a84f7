package org.anteroom.config;

import javax.sql.DataSource;

/** What came of asking for a pool of database connections. */
public sealed interface PoolLookup {

    /**
     * There is one; whether its database answers is not known.
     *
     * @param name how to call it in messages and figures
     */
    record Found(String name, DataSource pool) implements PoolLookup {}

    /**
     * There is none, now; asking again later may help.
     *
     * @param message one line for the log: the resource, the cause and, where it is known, the remedy
     */
    record Failed(String message) implements PoolLookup {}
}
