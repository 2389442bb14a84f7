package org.anteroom.jdbc;

/**
 * The changes that wait to be made, and the threads that make them.
 *
 * <p>A change is claimed only when a connection is there for it, so that one whose caller has given up by then is never
 * made; it is undone when its caller gives up before the commit.
 */
interface Changes {

    /** Lets a change wait for its turn; false if too many wait. */
    boolean offer(Operation<?> change);

    /** Takes back a change whose caller has given up. */
    void forget(Operation<?> change);

    /** How many wait. */
    int waiting();
}
