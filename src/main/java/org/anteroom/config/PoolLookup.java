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
     * There is none, now.
     *
     * @param message one line for the log: the resource, the cause and, where it is known, the remedy
     * @param mayHeal whether asking again later may help; if not, an operator has to do something first
     */
    record Failed(String message, boolean mayHeal) implements PoolLookup {}
}
